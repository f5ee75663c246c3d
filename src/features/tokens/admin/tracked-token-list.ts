import type { Database } from '../../../platform/db/connection.js'
import { readTokens, type Token } from '../token.js'

/** Indexing state of a token. */
export interface TrackedTokenRow extends Token {
  readonly trackedBy: 'operator' | 'request'
  /** Counted up to `MAX_COUNTED_HOLDERS`. */
  readonly holders: number
  /** Addresses of 20 bytes. */
  readonly pools: readonly Buffer[]
  readonly requestedAt: Date
}

const MAX_COUNTED_HOLDERS = 10_001

/** Lists tracked tokens in the order in which they were added: a page of those after an id, or those with these ids. */
export async function listTrackedTokens(
  db: Database,
  page: { readonly after: number; readonly limit: number } | { readonly ids: readonly number[] },
): Promise<TrackedTokenRow[]> {
  const rows = await db<Pick<TrackedTokenRow, 'id' | 'holders' | 'pools' | 'requestedAt'>[]>`
    select t.id, t.requested_at as "requestedAt",
      (
        select count(*)::integer from (
          select from tokens.balances b where b.token_id = t.id and b.balance > 0 limit ${MAX_COUNTED_HOLDERS}
        ) counted
      ) as holders,
      array(select p.address from tokens.pools p where t.id in (p.token0_id, p.token1_id) order by p.address) as pools
    from tokens.tokens t
    where tracked_by is not null
      and ${'ids' in page ? db`id = any (${[...page.ids]}::integer[])` : db`id > ${page.after}`}
    order by id
    limit ${'ids' in page ? null : page.limit}::bigint`
  const ids = rows.map(({ id }) => id)
  const tokens = new Map(
    (ids.length === 0 ? [] : await readTokens(db, { ids, onlyTracked: true })).map((token) => [
      token.id,
      token,
    ]),
  )
  return rows.flatMap((row) => {
    const token = tokens.get(row.id)
    // It may have been dropped in between.
    return token?.trackedBy ? [{ ...token, trackedBy: token.trackedBy, ...row }] : []
  })
}
