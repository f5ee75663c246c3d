import type { Database, Queryable } from './connection.js'
import { isWorkerDead, takeWorkerLock } from './worker-lock.js'

/** Whoever has not said within this time that it lives is dead. */
const LEASE_SECONDS = 10

/** How often a worker says that it lives, and looks for the dead. */
export const HEARTBEAT_MS = 3_000

/**
 * Which workers of one kind live. A worker holds a lock (`worker-lock.ts`), and it says now and again that it lives, for
 * connections that hang. What the dead had goes back to the others.
 */
export class WorkerRegistry {
  readonly #table: string
  readonly #releaseWork: (db: Queryable, workers: readonly string[]) => Promise<void>

  /**
   * @param table Where they stand, with its schema: `id uuid` and `alive_until timestamptz`.
   * @param releaseWork Gives back what the workers with these ids have, in the transaction that strikes them out.
   */
  constructor(table: string, releaseWork: (db: Queryable, workers: readonly string[]) => Promise<void>) {
    this.#table = table
    this.#releaseWork = releaseWork
  }

  /**
   * Says that the worker lives, and takes its lock, or takes it once more.
   *
   * @param lockDb For its lock: a pool of one connection that does nothing else.
   * @param worker A UUID.
   */
  async heartbeat(db: Database, lockDb: Database, worker: string): Promise<void> {
    await takeWorkerLock(lockDb, worker)
    await db`
      insert into ${db(this.#table)} (id, alive_until)
      values (${worker}, now() + ${LEASE_SECONDS}::integer * interval '1 second')
      on conflict (id) do update set alive_until = excluded.alive_until`
  }

  /** Gives everything that this worker has back to the others, and says that it is no more. */
  async deregister(db: Database, worker: string): Promise<void> {
    await db.begin(async (transaction) => {
      await transaction`delete from ${transaction(this.#table)} where id = ${worker}`
      await this.#releaseWork(transaction, [worker])
    })
  }

  /** Frees what dead workers have, and tells how many there were. Nobody knows what of it they had done. */
  async reapExpired(db: Database): Promise<number> {
    return db.begin(async (transaction) => {
      const table = transaction(this.#table)
      const expired = await transaction<{ id: string }[]>`
        delete from ${table}
        where id in (
          select id from ${table}
          where alive_until < now() or ${isWorkerDead(transaction, transaction`id`)}
        )
        returning id`
      if (expired.length > 0) {
        await this.#releaseWork(
          transaction,
          expired.map(({ id }) => id),
        )
      }
      return expired.length
    })
  }
}
