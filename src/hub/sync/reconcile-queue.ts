import type { Database, Queryable } from '../../platform/db/connection.js'
import { type Refusal, refusalKind } from '../../platform/errors.js'
import type { Log } from '../../platform/log/log.js'
import { CHANNELS_FID } from '../../protocol/shard.js'
import { isMissingDependency } from '../merge/applied-offsets.js'
import type { MergeItem } from '../merge/shard-writer.js'
import { inFidRanges, MAX_RANGE_FIDS } from './fid-ranges.js'

/** Queues users for reconciliation. Keeps them in memory until `flush`. */
export class ReconcileQueue {
  #reasons = new Map<number, string>()

  constructor(private readonly db: Database) {}

  /** Queues the user of a refused item, unless the refusal is a conflict. */
  addRefused(item: MergeItem, refusal: Refusal): void {
    if (!isMissingDependency(refusal)) return
    this.#reasons.set(fidOfItem(item), `refused: ${refusal.code}`)
  }

  /** Queues a user with a reason. */
  add(fid: number, reason: string): void {
    this.#reasons.set(fid, reason)
  }

  /** Writes queued users to the database. After a failure they stay queued. */
  async flush(): Promise<void> {
    if (this.#reasons.size === 0) return
    const flushing = this.#reasons
    this.#reasons = new Map()
    try {
      await this.#write([...flushing].sort(([a], [b]) => a - b))
    } catch (error) {
      this.#reasons = new Map([...flushing, ...this.#reasons])
      throw error
    }
  }

  async #write(reasons: readonly (readonly [fid: number, reason: string])[]): Promise<void> {
    await this.db`
      insert into sync.fids (fid, reconcile_reason, queued_at)
      select fid, reconcile_reason, date_trunc('milliseconds', clock_timestamp())
      from unnest(
        ${reasons.map(([fid]) => fid)}::bigint[],
        ${this.db.types.texts(reasons.map(([, reason]) => reason))}::text[]
      ) as noted (fid, reconcile_reason)
      on conflict (fid) do update set reconcile_reason = excluded.reconcile_reason, queued_at = excluded.queued_at
    `
  }
}

/** Queues those users of the sync that are among these, in the order of fids; the others are not synced. */
export async function queueKnownUsers(db: Database, fids: readonly number[], reason: string): Promise<void> {
  if (fids.length === 0) return
  await db`
    with known as materialized (
      select fid from sync.fids where fid = any (${[...fids]}::bigint[]) order by fid for update
    )
    update sync.fids u
    set reconcile_reason = coalesce(reconcile_reason, ${reason}), queued_at = date_trunc('milliseconds', clock_timestamp())
    from known
    where u.fid = known.fid`
}

/**
 * Queues every user of the sync, and channels as fid 0: events were lost, and their users are unknown. Of a subset these are the
 * selected users: a queued user is compared from then on. Repeating it after a failure in between does no harm.
 */
export async function queueAllUsers(
  db: Queryable,
  { isSubset, reason }: { readonly isSubset: boolean; readonly reason: string },
): Promise<void> {
  const users = isSubset ? db`select fid from sync.selected_users` : db`select fid from hub.fids`
  await inFidRanges(
    (after) => db<{ last: number | null }[]>`
      with known as materialized (
        select distinct fid
        from (${users} union all select ${CHANNELS_FID}::bigint where exists (select from hub.channels)) users
        where fid > ${after}
        order by fid
        limit ${MAX_RANGE_FIDS}
      ), queued as (
        insert into sync.fids (fid, reconcile_reason, queued_at)
        select fid, ${reason}, date_trunc('milliseconds', clock_timestamp())
        from known
        order by fid
        on conflict (fid) do update
        set reconcile_reason = coalesce(fids.reconcile_reason, excluded.reconcile_reason), queued_at = excluded.queued_at
      )
      select max(fid) as last from known`,
  )
}

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

/** Logs each reason of refusal once, with an example: an upstream may send millions of one kind. */
export class UpstreamRefusalLog {
  readonly #loggedKinds = new Set<string>()

  constructor(private readonly log: Log) {}

  logOnce(item: MergeItem | null, refusal: Refusal): void {
    const kind = refusalKind(refusal)
    if (this.#loggedKinds.has(kind)) return
    this.#loggedKinds.add(kind)
    const { code, message } = refusal
    const example = item === null ? {} : { fid: fidOfItem(item), kind: item.kind }
    this.log.warn({ code, reason: message, ...example }, 'an upstream item was refused')
  }
}
