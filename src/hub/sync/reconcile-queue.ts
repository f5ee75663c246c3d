import type { Database } from '../../platform/db/connection.js'
import type { Refusal } from '../../platform/errors.js'
import type { Log } from '../../platform/log/log.js'
import { isMissingDependency } from '../merge/missing-dependency.js'
import type { MergeItem } from '../merge/shard-writer.js'

/** Users of whom something may be missing here, until they are written down to be compared soon. */
export class ReconcileQueue {
  readonly #db: Database
  #reasons = new Map<number, string>()

  constructor(db: Database) {
    this.#db = db
  }

  /** Notes whose item was refused, unless the refusal is how messages compete. */
  addRefused(item: MergeItem, refusal: Refusal): void {
    if (!isMissingDependency(refusal)) return
    this.#reasons.set(fidOfItem(item), `refused: ${refusal.code}`)
  }

  /** Notes a user with a reason of one's own. */
  add(fid: number, reason: string): void {
    this.#reasons.set(fid, reason)
  }

  /** Writes down what was noted. */
  async flush(): Promise<void> {
    if (this.#reasons.size === 0) return
    const reasons = [...this.#reasons].sort(([a], [b]) => a - b)
    this.#reasons = new Map()
    await this.#db`
      insert into sync.fids (fid, reconcile_reason, queued_at)
      select fid, reconcile_reason, date_trunc('milliseconds', clock_timestamp())
      from unnest(
        ${reasons.map(([fid]) => fid)}::bigint[],
        ${this.#db.types.texts(reasons.map(([, reason]) => reason))}::text[]
      ) as noted (fid, reconcile_reason)
      on conflict (fid) do update set reconcile_reason = excluded.reconcile_reason, queued_at = excluded.queued_at
    `
  }
}

/** Has every user compared who is known here: events are gone, and nobody can say whose. */
export async function queueAllUsers(db: Database, reason: string): Promise<void> {
  await db`
    insert into sync.fids (fid, reconcile_reason, queued_at)
    select fid, ${reason}, date_trunc('milliseconds', clock_timestamp()) from hub.fids
    order by fid
    on conflict (fid) do update
    set reconcile_reason = coalesce(fids.reconcile_reason, excluded.reconcile_reason), queued_at = excluded.queued_at
  `
}

/** Whose item it is. */
function fidOfItem(item: MergeItem): number {
  switch (item.kind) {
    case 'message':
      return item.message.data.fid
    case 'chainEvent':
      return item.event.fid
    case 'nameTransfer':
      return item.proof.fid
  }
}

/** Logs each reason for a refusal once, with an example: an upstream may send millions of the same kind. */
export class RefusalLog {
  readonly #log: Log
  readonly #loggedReasons = new Set<string>()

  constructor(log: Log) {
    this.#log = log
  }

  logOnce(item: MergeItem | null, { code, message }: Refusal): void {
    const reason = `${code}: ${message.replace(/"[^"]*"/g, '"…"').replace(/\d+/g, '…')}`
    if (this.#loggedReasons.has(reason)) return
    this.#loggedReasons.add(reason)
    const example = item === null ? {} : { fid: fidOfItem(item), kind: item.kind }
    this.#log.warn({ code, reason: message, ...example }, 'something of the upstream was refused')
  }
}
