import { type Viewer, visibilityFilter } from '../../graph/query/visibility-filter.js'
import type { Database } from '../../platform/db/connection.js'

/**
 * Returns the supply of tokens by id in their smallest unit: what the zero address sent minus what it
 * received. Only for backfilled tokens.
 */
export async function readSupplies(db: Database, tokenIds: readonly number[]): Promise<Map<number, bigint>> {
  if (tokenIds.length === 0) return new Map()
  const rows = await db<{ id: number; supply: string }[]>`
    select t.id, coalesce(-b.balance, 0)::text as supply
    from tokens.tokens t
    left join tokens.balances b on b.token_id = t.id and b.holder = decode(repeat('00', 20), 'hex')
    where t.id = any (${[...tokenIds]}::integer[]) and t.read_to >= t.live_from
  `
  return new Map(rows.map(({ id, supply }) => [id, BigInt(supply)]))
}

/** Counts the casts visible to the viewer that embed each URL; URLs without casts are omitted. */
export async function countCastsOfUrls(
  db: Database,
  urls: readonly string[],
  viewer: Viewer,
): Promise<Map<string, number>> {
  const rows = await db<{ url: string; casts: number }[]>`
    select e.url, count(*)::integer as casts
    from social.url_embeds e
    where e.url = any (${db.types.texts(urls)}::text[]) and ${visibilityFilter(db, viewer, 'e.fid')}
    group by e.url
  `
  return new Map(rows.map(({ url, casts }) => [url, casts]))
}
