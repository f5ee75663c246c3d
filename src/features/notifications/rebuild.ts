import type { PendingQuery, Row } from 'postgres'
import type { Transaction } from '../../platform/db/connection.js'
import { kinds } from './kinds.js'
import { lockInbox, upsertNotifications } from './refresh.js'
import { castSources } from './sources.js'

/** How many rows a rebuild changed. */
export interface RebuildResult {
  /** Rows that were missing or different. */
  readonly written: number
  /** Rows that should not exist. */
  readonly removed: number
}

/**
 * Rebuilds the inbox from the read model; correct rows are not touched.
 *
 * Readers see the old inbox until the transaction ends. The consumer waits and continues from its position.
 * Takes about as long as writing every notification once, without a time limit other than the signal.
 */
export async function rebuildInbox(db: Transaction, signal?: AbortSignal): Promise<RebuildResult> {
  await lockInbox(db)
  await db`set local statement_timeout = 0`
  const run = (statement: PendingQuery<Row[]>) => untilAborted(statement, signal)
  await run(db`
    create temporary table wanted_notifications on commit drop as
    ${allSources(db)}
  `)
  await run(db`create unique index on wanted_notifications (hash, kind, fid)`)
  await run(db`analyze wanted_notifications`)
  const removed = await run(db`
    delete from inbox.notifications n
    where not exists (
      select from wanted_notifications w where w.hash = n.hash and w.kind = n.kind and w.fid = n.fid
    )
  `)
  const written = await run(db`${upsertNotifications(db, db`wanted_notifications`)}`)
  return { written, removed }
}

/** SQL for all sources at once: one sort instead of a lookup per group (see `sources.ts`). */
function allSources(db: Transaction) {
  return db`
    ${castSources(db, db`true`)}
    union all
    select * from (
      select distinct on (f.target_fid) f.target_fid, ${kinds.follows}::smallint, ''::bytea, f.ts, f.fid,
        null::text, 0::smallint
      from social.follows f
      where f.fid <> f.target_fid
      order by f.target_fid, f.ts desc, f.fid desc
    ) follows
    union all
    select newest.*, c.root_parent_url, 0::smallint
    from (
      select distinct on (r.target_hash, r.target_fid, r.type) r.target_fid,
        case r.type when 1 then ${kinds.likes} else ${kinds.recasts} end::smallint, r.target_hash, r.ts, r.fid
      from social.reactions r
      where r.fid <> r.target_fid
      order by r.target_hash, r.target_fid, r.type, r.ts desc, r.fid desc
    ) newest (fid, kind, hash, ts, actor)
    left join social.casts c on c.hash = newest.hash and c.fid = newest.fid`
}

/** Runs a statement that the signal cancels, and returns its row count. */
async function untilAborted(
  statement: PendingQuery<Row[]>,
  signal: AbortSignal | undefined,
): Promise<number> {
  signal?.throwIfAborted()
  const cancel = () => statement.cancel()
  signal?.addEventListener('abort', cancel)
  try {
    return (await statement).count
  } finally {
    signal?.removeEventListener('abort', cancel)
  }
}
