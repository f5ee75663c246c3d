import type { Database } from '../../../platform/db/connection.js'

/** Numbers of fids in each state, and of charged purchases. */
export interface SettledFidCounts {
  readonly available: number
  readonly held: number
  readonly used: number
  /** Registered on the network by wallets. */
  readonly registered: number
  /** Settled purchases for the pool. */
  readonly bought: number
}

/** Counts fids by state. */
export async function countFidsByState(db: Database): Promise<SettledFidCounts> {
  const [row] = await db<SettledFidCounts[]>`
    select
      count(*) filter (where s.used_at is null and (s.held_until is null or s.held_until <= now()))::integer as available,
      count(*) filter (where s.used_at is null and s.held_until > now())::integer as held,
      count(*) filter (where s.used_at is not null)::integer as used,
      (
        select count(*)::integer from accounts.fid_pool o
        where exists (select from hub.onchain_events e where e.fid = o.fid and e.type = 3)
      ) as registered,
      (
        select count(distinct t.fid)::integer from accounts.transactions t
        where t.state = 'confirmed' and t.purpose like 'fid pool %'
      ) as bought
    from accounts.fid_pool s
    where s.fid is not null`
  return row!
}
