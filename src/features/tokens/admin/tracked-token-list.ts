import type { Database } from '../../../platform/db/connection.js'
import { type Token, tokenColumns } from '../token.js'

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

/**
 * Lists tracked tokens in the order in which they were added: a page of those after an id, or those with these ids. One
 * statement: a token that is dropped between two would shorten a page, which is the mark of the last one.
 */
export async function listTrackedTokens(
  db: Database,
  page: { readonly after: number; readonly limit: number } | { readonly ids: readonly number[] },
): Promise<TrackedTokenRow[]> {
  return await db<TrackedTokenRow[]>`
    select ${tokenColumns(db)}, requested_at as "requestedAt",
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
}
