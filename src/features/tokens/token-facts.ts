import { type Onlooker, shownTo } from '../../graph/query/casts-shown-to.js'
import type { Database } from '../../platform/db/connection.js'

/**
 * How much there is of tokens, in their smallest units, by id: what the zero address has given and not got back. Only of
 * tokens that are kept whole.
 */
export async function readSupplies(db: Database, tokenIds: readonly number[]): Promise<Map<number, bigint>> {
  if (tokenIds.length === 0) return new Map()
  const rows = await db<{ id: number; supply: string }[]>`
    select t.id, coalesce(-b.balance, 0)::text as supply
    from assets.tokens t
    left join assets.balances b on b.token_id = t.id and b.holder = decode(repeat('00', 20), 'hex')
    where t.id = any (${[...tokenIds]}::integer[]) and t.read_to >= t.live_from
  `
  return new Map(rows.map(({ id, supply }) => [id, BigInt(supply)]))
}

/** How many casts embed each of these URLs, as far as the onlooker is to see them. URLs without casts are not in it. */
export async function countCastsOfUrls(
  db: Database,
  urls: readonly string[],
  onlooker: Onlooker,
): Promise<Map<string, number>> {
  const rows = await db<{ url: string; casts: number }[]>`
    select e.url, count(*)::integer as casts
    from social.url_embeds e
    where e.url = any (${db.types.texts(urls)}::text[]) and ${shownTo(db, onlooker, 'e.fid')}
    group by e.url
  `
  return new Map(rows.map(({ url, casts }) => [url, casts]))
}
