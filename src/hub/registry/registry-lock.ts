import type { Database, Queryable } from '../../platform/db/connection.js'
import { withHeldConnection } from '../../platform/db/held-connection.js'
import { blockNumberAt } from './local-chain.js'

/** Key of the advisory lock: one process at a time changes the local registry. */
const REGISTRY_LOCK = 0x7265_6769

/**
 * Runs `work` while no other process changes the registry: a free name or the next fid remains so until it
 * has written.
 *
 * `work` gets the connection that holds the lock, for its reads. It must not take the lock again.
 */
export async function withRegistryLock<T>(db: Database, work: (locked: Queryable) => Promise<T>): Promise<T> {
  return await withHeldConnection(db, async (transaction) => {
    await transaction`select pg_advisory_xact_lock(${REGISTRY_LOCK}::bigint)`
    return await work(transaction)
  })
}

/** Reserves the fids up to this one for a later registration, such as a demo. */
export async function reserveFids(db: Database, lastFid: number): Promise<void> {
  await db`
    insert into hub.settings (name, value)
    values ('reserved_fids', ${lastFid}::bigint::text::jsonb)
    on conflict do nothing
  `
}

/**
 * Returns a new block number of the local chain: the current one, or the one after the last if that is
 * larger. It commits by itself, so no two calls of any process get the same number.
 *
 * @param unixSeconds The current time.
 */
export async function nextBlockNumber(db: Database, unixSeconds: number): Promise<number> {
  const blockNumberNow = blockNumberAt(unixSeconds)
  const [row] = await db<{ block: number }[]>`
    insert into hub.settings (name, value)
    values ('registry_block', ${blockNumberNow}::bigint::text::jsonb)
    on conflict (name) do update
    set value = greatest((settings.value #>> '{}')::bigint + 1, ${blockNumberNow}::bigint)::text::jsonb
    returning (value #>> '{}')::bigint as block
  `
  return row!.block
}
