import type { Fragment, PendingQuery, Row } from '#postgres'
import type { Consumer } from '../../hub/log/consumer-batch.js'
import { untilAborted } from '../../platform/db/cancelable.js'
import type { Transaction } from '../../platform/db/connection.js'
import type { Statement } from '../../platform/db/pipeline.js'
import {
  type AffectedNotifications,
  type AffectedReactions,
  affectedBy,
  inboxEventTypes,
} from './affected.js'
import { kinds, lastGrouped } from './kinds.js'
import { castSources, followSources, notificationColumns, reactionSources } from './sources.js'

/** Advisory lock id: the bytes of "inbox". */
const INBOX_LOCK = 0x696e626f78

/** Batches take milliseconds; a longer wait means a rebuild, and waiting callers must stay cancelable. */
const LOCK_TIMEOUT = '2s'

/**
 * Takes the inbox's write lock until the transaction ends. Rows are derived from the read model, so the last writer
 * must be the last reader; and groups span shards. Fails with a lock timeout while a rebuild holds the lock.
 */
function lockInbox(db: Transaction): Statement {
  return db`
    select set_config('lock_timeout', ${LOCK_TIMEOUT}, true), pg_advisory_xact_lock(${INBOX_LOCK}::bigint)
  `
}

/** Recomputes the affected notifications from the read model, in sets. Idempotent. */
function refreshInbox(db: Transaction, affected: AffectedNotifications): Statement[] {
  const { followed, compacted, reactions, casts } = affected
  return [
    lockInbox(db),
    ...(followed.length + compacted.length > 0 ? [refreshFollows(db, affected)] : []),
    ...(reactions.length > 0 ? [refreshReactions(db, reactions)] : []),
    ...(casts.length > 0 ? [refreshCasts(db, casts)] : []),
  ]
}

function refreshFollows(db: Transaction, { followed, compacted }: AffectedNotifications): Statement {
  // A compact state does not say which follows it removed. Only groups led by its author can have changed.
  const groups = db`(
    select unnest(${[...followed]}::bigint[]) as fid
    union
    select n.fid from inbox.notifications n
    where n.kind <= ${lastGrouped} and n.kind = ${kinds.follows}::smallint and n.actor = any (${[...compacted]}::bigint[])
  )`
  return db`
    with affected as materialized (select * from ${groups} g),
    sources as materialized (${followSources(db, db`affected`)}),
    stale as (
      delete from inbox.notifications n
      using affected a
      where n.hash = ''::bytea and n.kind = ${kinds.follows}::smallint and n.fid = a.fid
        and not exists (select from sources s where s.fid = n.fid)
    )
    ${upsertNotifications(db, db`sources`)}`
}

function refreshReactions(db: Transaction, groups: readonly AffectedReactions[]): Statement {
  return db`
    with affected as materialized (
      select *
      from unnest(
        ${groups.map(({ fid }) => fid)}::bigint[],
        ${db.types.byteas(groups.map(({ hash }) => hash))}::bytea[],
        ${groups.map(({ kind }) => kind)}::smallint[]
      ) as g (fid, hash, kind)
    ),
    sources as materialized (${reactionSources(db, db`affected`)}),
    stale as (
      delete from inbox.notifications n
      using affected a
      where n.hash = a.hash and n.kind = a.kind and n.fid = a.fid
        and not exists (select from sources s where s.hash = n.hash and s.kind = n.kind and s.fid = n.fid)
    )
    ${upsertNotifications(db, db`sources`)}`
}

/** Descendants count as affected: an added or removed cast moves them to another root, and so to other URLs. */
function refreshCasts(db: Transaction, casts: readonly Buffer[]): Statement {
  const isAffected = (column: Fragment) => db`${column} = any ((select hashes from affected)::bytea[])`
  return db`
    with recursive below (hash) as (
      select unnest(${db.types.byteas(casts)}::bytea[])
      union
      select c.hash
      from below b
      join social.casts c on c.parent_hash = b.hash
    ),
    affected as materialized (select array_agg(hash) as hashes from below),
    stale as (
      delete from inbox.notifications n
      where ${isAffected(db`n.hash`)} and n.kind > ${lastGrouped}
        and not exists (select from social.casts c where c.hash = n.hash)
    ),
    moved as (
      update inbox.notifications n
      set root_url = now.root_url
      from (
        select g.hash, g.kind, g.fid, c.root_parent_url as root_url
        from inbox.notifications g
        left join social.casts c on c.hash = g.hash and c.fid = g.fid
        where ${isAffected(db`g.hash`)} and g.kind <= ${lastGrouped}
      ) now
      where n.hash = now.hash and n.kind = now.kind and n.fid = now.fid
        and n.root_url is distinct from now.root_url
    )
    ${upsertNotifications(db, db`(${castSources(db, isAffected(db`c.hash`))}) sources`)}`
}

/**
 * Gives the notifications of all casts below one the root URL that these have now: a long thread moves later than the event by
 * which it does. Runs in the transaction that moves it, which has taken the write lock before (`takeInbox`).
 */
export async function moveNotifications(db: Transaction, hash: Buffer): Promise<void> {
  await db`
    with recursive below (hash) as (
      select ${db.types.bytea(hash)}
      union
      select c.hash
      from below b
      join social.casts c on c.parent_hash = b.hash
    )
    update inbox.notifications n
    set root_url = now.root_url
    from (
      select g.hash, g.kind, g.fid, case when g.kind > ${lastGrouped} or c.fid = g.fid then c.root_parent_url end as root_url
      from below b
      join inbox.notifications g on g.hash = b.hash
      join social.casts c on c.hash = g.hash
    ) now
    where n.hash = now.hash and n.kind = now.kind and n.fid = now.fid
      and n.root_url is distinct from now.root_url`
}

/** Takes the inbox's write lock until the transaction ends. Fails with a lock timeout while a rebuild holds it. */
export async function takeInbox(db: Transaction): Promise<void> {
  await lockInbox(db)
}

/** Writes rows that are missing or different. */
function upsertNotifications(db: Transaction, source: Fragment): Fragment {
  return db`
    insert into inbox.notifications as n (${notificationColumns(db)})
    select ${notificationColumns(db)} from ${source}
    on conflict (hash, kind, fid) do update
    set ts = excluded.ts, actor = excluded.actor, root_url = excluded.root_url,
        suppressed_by = excluded.suppressed_by
    where (n.ts, n.actor, n.root_url, n.suppressed_by)
      is distinct from (excluded.ts, excluded.actor, excluded.root_url, excluded.suppressed_by)`
}

/**
 * Rebuilds the inbox from the read model; correct rows stay as they are. Readers see the old inbox until the transaction
 * ends. The consumer waits and continues from its position. Takes about as long as writing every notification once,
 * without a time limit other than the signal.
 */
export async function rebuildInbox(
  db: Transaction,
  signal?: AbortSignal,
): Promise<{ written: number; removed: number }> {
  await lockInbox(db)
  await db`set local statement_timeout = 0`
  const run = (statement: PendingQuery<Row[]>) => untilAborted(statement, signal)
  await run(db`
    create temporary table source_notifications on commit drop as
    ${allSources(db)}
  `)
  await run(db`create unique index on source_notifications (hash, kind, fid)`)
  await run(db`analyze source_notifications`)
  const removed = await run(db`
    delete from inbox.notifications n
    where not exists (
      select from source_notifications s where s.hash = n.hash and s.kind = n.kind and s.fid = n.fid
    )
  `)
  const written = await run(db`${upsertNotifications(db, db`source_notifications`)}`)
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
    join social.casts c on c.hash = newest.hash and c.fid = newest.fid`
}

/**
 * Keeps the inbox up to date with the event log. Events only say which rows to recompute; the rows come from the read
 * model, which the merge has updated. Events dropped before they were consumed are repaired by a rebuild.
 */
export const inboxConsumer: Consumer = {
  name: 'inbox',
  from: 'oldest',
  types: inboxEventTypes,
  handle: async (db, events) => refreshInbox(db, affectedBy(events)),
  onGap: async (db, _gap, signal) => {
    await rebuildInbox(db, signal)
  },
}
