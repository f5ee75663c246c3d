import type { Database, Queryable } from '../../platform/db/connection.js'
import { blockNumberAt } from './local-chain.js'

/** Key of the advisory lock under which one process at a time changes the local registry. */
const REGISTRY_LOCK = 0x7265_6769

/**
 * Runs `work` while no other process changes the registry, so that what it finds (a free name, the next fid)
 * still holds when it has written. `work` gets the connection that holds the lock, for its reads.
 */
export async function withRegistryLock<T>(db: Database, work: (locked: Queryable) => Promise<T>): Promise<T> {
  const result = await db.begin(async (transaction) => {
    await transaction`select pg_advisory_xact_lock(${REGISTRY_LOCK}::bigint)`
    // Wrapped, because the driver would await an array of results as if they were queries.
    return { value: await work(transaction) }
  })
  return result.value
}

/** Keeps the fids up to this one for somebody who registers them later, such as a demo. */
export async function reserveFids(db: Database, lastFid: number): Promise<void> {
  await db`
    insert into hub.settings (name, value)
    values ('reserved_fids', ${lastFid}::bigint::text::jsonb)
    on conflict do nothing
  `
}

/**
 * The number of a new block of the local chain: that of the moment, or the one after the last if that is
 * taken. Committed by itself, so no two calls of any process get the same number.
 *
 * @param unixSeconds now.
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
