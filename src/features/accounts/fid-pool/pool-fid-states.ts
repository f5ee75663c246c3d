import type { Queryable } from '../../../platform/db/connection.js'

/** States of a fid in the pool: ordered from the chain, ready for an account, reserved for a wallet, or taken. */
export const POOL_FID_STATES = ['ordered', 'available', 'held', 'used'] as const
export type PoolFidState = (typeof POOL_FID_STATES)[number]

/** The state of a row of accounts.fid_pool, as SQL. */
export function poolFidState(db: Queryable) {
  return db`case
    when fid is null then 'ordered'
    when used_at is not null then 'used'
    when held_until > now() then 'held'
    else 'available'
  end`
}
