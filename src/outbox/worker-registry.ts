import type { Fragment } from '#postgres'
import type { Database, Queryable } from '../platform/db/connection.js'
import { isWorkerDead, takeWorkerLock } from '../platform/db/worker-lock.js'

/** A worker that has not renewed its lease within this time counts as dead. */
const LEASE_SECONDS = 10
const LEASE_MS = LEASE_SECONDS * 1000

/** The last heartbeat of a worker of this process. */
interface Heartbeat {
  readonly atMs: number
  /** The process of PostgreSQL that had its lock. */
  readonly holder: number
}

/**
 * The live workers of one queue. A worker holds a lock (`worker-lock.ts`), which PostgreSQL frees at once when its
 * process dies, and renews a lease, for connections that hang. The work of a dead worker goes back to the others.
 *
 * An outage of the database takes the locks and leases of all workers. So a process that had one finds nobody dead for the
 * time of a lease, in which those that live come back. One that has just started, perhaps as the database came back, does not take
 * a lease that has ended for a death. One that has not ended and whose lock is free is that of a process that died a moment ago.
 */
export class WorkerRegistry {
  readonly #heartbeats = new Map<string, Heartbeat>()
  #reapsFromMs = Number.NEGATIVE_INFINITY
  #judgesLeasesFromMs = Number.POSITIVE_INFINITY

  /**
   * @param table With its schema: `id uuid` and `alive_until timestamptz`.
   * @param releaseWork Gives back the work of these workers, in the transaction that deletes them.
   * @param clock Milliseconds from any origin.
   */
  constructor(
    private readonly table: string,
    private readonly releaseWork: (db: Queryable, workers: readonly string[]) => Promise<void>,
    private readonly clock: () => number = () => performance.now(),
  ) {}

  /**
   * Renews the worker's lease, and takes its lock if it does not have it.
   *
   * @param lockDb For the lock: a pool of one connection that does nothing else.
   * @param worker A UUID.
   */
  async heartbeat(db: Database, lockDb: Database, worker: string): Promise<void> {
    const last = this.#heartbeats.get(worker)
    try {
      const holder = await takeWorkerLock(lockDb, worker)
      await db`
        insert into ${db(this.table)} (id, alive_until)
        values (${worker}, now() + ${LEASE_SECONDS}::integer * interval '1 second')
        on conflict (id) do update set alive_until = excluded.alive_until`
      const atMs = this.clock()
      this.#heartbeats.set(worker, { atMs, holder })
      if (last && (last.holder !== holder || atMs - last.atMs > LEASE_MS)) this.#waitForOthers()
      this.#judgesLeasesFromMs = Math.min(this.#judgesLeasesFromMs, atMs + LEASE_MS)
    } catch (error) {
      this.#waitForOthers()
      throw error
    }
  }

  #waitForOthers(): void {
    this.#reapsFromMs = this.clock() + LEASE_MS
  }

  /**
   * The row of a worker, for a statement that claims work: one that joins it claims nothing for a worker that counts as
   * dead. It is locked until the claim is committed, and nobody reaps the worker before, so this claim is given back too: the
   * database may carry out a claim whose process is dead already, and nobody else would look for that work.
   */
  lockedRow(db: Queryable, worker: string): Fragment {
    return db`select id from ${db(this.table)} where id = ${worker}::uuid for key share`
  }

  /** Deletes a worker that ends, and gives its work back to the others. */
  async deregister(db: Database, worker: string): Promise<void> {
    this.#heartbeats.delete(worker)
    await db.begin(async (transaction) => {
      await transaction`delete from ${transaction(this.table)} where id = ${worker}`
      await this.releaseWork(transaction, [worker])
    })
  }

  /** Releases the work of dead workers and returns their number. Nobody knows how much of it they had done. */
  async reapExpired(db: Database): Promise<number> {
    const nowMs = this.clock()
    if (nowMs < this.#reapsFromMs) return 0
    return db.begin(async (transaction) => {
      const table = transaction(this.table)
      const expired = await transaction<{ id: string }[]>`
        delete from ${table}
        where id in (
          select id from ${table}
          where case when alive_until < now()
            then ${nowMs >= this.#judgesLeasesFromMs}
            else ${isWorkerDead(transaction, transaction`id`)}
          end
          -- One whose claim is under way is reaped next time: waiting would delay heartbeats.
          for update skip locked
        )
        returning id`
      const ids = expired.map(({ id }) => id)
      if (ids.length > 0) await this.releaseWork(transaction, ids)
      return ids.length
    })
  }
}
