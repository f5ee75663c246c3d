import type { Fragment, PendingQuery } from '#postgres'
import type { Transaction } from '../../platform/db/connection.js'
import type { UrlActivity } from './cast-counts.js'
import type { ThreadLock } from './thread-lock.js'

/**
 * The thread of a cast. It depends on the stored casts only, not on their order of arrival: follow the
 * parents; the first cast without one is the thread, and its parent URL the root URL. If a parent is missing,
 * the missing cast is the thread and the root URL is unknown.
 */
export interface Thread {
  readonly threadHash: Buffer
  readonly rootParentUrl: string | null
}

/** A cast with its parent. */
interface ThreadNode {
  readonly fid: number
  readonly hash: Buffer
  readonly parentFid: number | null
  readonly parentHash: Buffer | null
  readonly parentUrl: string | null
}

/** A stored cast with its current thread. */
interface StoredCast extends Thread {
  readonly hash: Buffer
  /** Whether its thread is out of date: the cast that was missing at the top has arrived, and waits to move it. */
  readonly waits: boolean
}

/**
 * The threads of casts before their insertion, in the same order. Their parents may be among them. It waits for the lock
 * where it reads other parents.
 */
export async function resolveThreads(
  db: Transaction,
  casts: readonly ThreadNode[],
  lock: ThreadLock | Promise<ThreadLock>,
): Promise<Thread[]> {
  const castsByName = new Map(casts.map((cast) => [nameOf(cast.fid, cast.hash), cast]))
  const missingParentHashes = casts.flatMap((cast) =>
    cast.parentHash && !castsByName.has(nameOf(cast.parentFid!, cast.parentHash)) ? [cast.parentHash] : [],
  )
  if (missingParentHashes.length > 0) await lock
  const parents = await selectThreads(db, missingParentHashes)
  const knownThreads = new Map<string, Thread>(parents)
  for (const cast of await selectWaitingReplies(db, parents, casts)) {
    const name = nameOf(cast.fid, cast.hash)
    knownThreads.delete(name)
    castsByName.set(name, cast)
  }
  return casts.map((cast) => resolve(cast, castsByName, knownThreads))
}

/**
 * Follows the parents of a cast through `castsByName` to a known thread, and remembers the thread of every
 * cast on the way. A loop, no recursion: a thread may be thousands of casts deep.
 */
function resolve(
  start: ThreadNode,
  castsByName: ReadonlyMap<string, ThreadNode>,
  knownThreads: Map<string, Thread>,
): Thread {
  const visited: ThreadNode[] = []
  let cast: ThreadNode | undefined = start
  let thread: Thread | undefined
  while (cast && !thread) {
    thread = knownThreads.get(nameOf(cast.fid, cast.hash))
    if (thread) break
    visited.push(cast)
    if (!cast.parentHash) thread = { threadHash: cast.hash, rootParentUrl: cast.parentUrl }
    else {
      const parent: string = nameOf(cast.parentFid!, cast.parentHash)
      thread = knownThreads.get(parent)
      const next: ThreadNode | undefined = castsByName.get(parent)
      if (!thread && !next) thread = { threadHash: cast.parentHash, rootParentUrl: null }
      cast = next
    }
  }
  for (const each of visited) knownThreads.set(nameOf(each.fid, each.hash), thread!)
  return thread!
}

function nameOf(fid: number, hash: Buffer): string {
  return `${fid}/${hash.toString('hex')}`
}

async function selectThreads(db: Transaction, hashes: readonly Buffer[]): Promise<Map<string, StoredCast>> {
  if (hashes.length === 0) return new Map()
  const rows = await db<(StoredCast & { fid: number })[]>`
    select
      fid, hash, thread_hash as "threadHash", root_parent_url as "rootParentUrl",
      exists (select from waiting_threads w where w.hash = casts.thread_hash) as waits
    from casts
    where hash = any (${db.types.byteas(hashes)}::bytea[])
  `
  return new Map(rows.map((row) => [nameOf(row.fid, row.hash), row]))
}

/**
 * The thread of a stored cast is about to change if the missing cast at its top is one of `casts`, or waits. Such
 * parents do not count as known: they are walked through, with all of their ancestors.
 */
async function selectWaitingReplies(
  db: Transaction,
  parents: ReadonlyMap<string, StoredCast>,
  casts: readonly ThreadNode[],
): Promise<ThreadNode[]> {
  const insertedHashes = new Set(casts.map(({ hash }) => hash.toString('hex')))
  const waitingReplies = [...parents.values()].filter(
    ({ threadHash, waits }) => waits || insertedHashes.has(threadHash.toString('hex')),
  )
  return await selectWithAncestors(
    db,
    waitingReplies.map(({ hash }) => hash),
  )
}

/** Casts with all of their stored ancestors. */
async function selectWithAncestors(db: Transaction, hashes: readonly Buffer[]): Promise<ThreadNode[]> {
  if (hashes.length === 0) return []
  return await db<ThreadNode[]>`
    with recursive above as (
      select hash, fid, parent_hash, parent_fid, parent_url
      from casts
      where hash = any (${db.types.byteas(hashes)}::bytea[])
      union
      select c.hash, c.fid, c.parent_hash, c.parent_fid, c.parent_url
      from above a
      join casts c on c.hash = a.parent_hash and c.fid = a.parent_fid
    )
    select hash, fid, parent_hash as "parentHash", parent_fid as "parentFid", parent_url as "parentUrl"
    from above
  `
}

/** A part of a statement: a select of casts with the threads that they get. */
type ThreadUpdates = PendingQuery<
  { hash: Buffer; fid: number; thread_hash: Buffer; root_parent_url: string | null }[]
>

/**
 * With more casts below, a cast whose own parent is missing does not move them: of a thread that arrives from its end,
 * each batch would move all that came before. They wait in `waiting_threads`, with the thread that they have, until the
 * first cast arrives or the scheduled job (`waiting-threads.ts`) moves them, which also ends their entry and the caches'. A
 * chain of 5,000 in batches of 50 moves 5,450 rows instead of 250,000, and takes 1.9 s in all.
 */
const MAX_MOVED_TO_MISSING = 200

/**
 * With more casts below them, together, removed casts do not take the thread from them: all merges of casts would wait for it,
 * and a statement that takes too long is tried again without end. They wait likewise, and so does what is added below.
 */
const MAX_MOVED_BY_REMOVAL = 2_000
/**
 * With more casts below, an added cast whose thread is stored, or which begins it, does not move them, for the same reason: 100,000
 * replies to a cast that nobody has seen would take 10 s of the merge that brings it.
 */
const MAX_MOVED_BY_ARRIVAL = 2_000
/** Casts that are counted for each that may be moved, to find these. */
const COUNTED_FOR_MOVED = 10

/**
 * Runs in the transaction that moves casts, with the threads that they had and no event of the merge names: hex without
 * 0x. Caches may have casts with them.
 */
export type OnThreadsMoved = (db: Transaction, hashes: readonly string[]) => Promise<void>

/** How added casts move stored threads. */
export interface ThreadMoves {
  readonly onThreadsMoved?: OnThreadsMoved
  /** With more casts below, a cast whose own parent is missing does not move them. 200 by default. */
  readonly maxMovedToMissing?: number
  /** With more casts below, another added cast does not move them. 2,000 by default. */
  readonly maxMovedByArrival?: number
  /** With more casts below them, together, removed casts do not move them. 2,000 by default. */
  readonly maxMovedByRemoval?: number
}

/**
 * Gives the replies that were waiting for these casts their thread, and all casts below.
 *
 * @returns the threads that moved casts had, other than these casts, as `OnThreadsMoved` gets them: only those that have waited.
 */
export async function attachReplies(
  db: Transaction,
  casts: readonly Pick<ThreadNode, 'hash'>[],
  activity: UrlActivity,
  { maxMovedToMissing = MAX_MOVED_TO_MISSING, maxMovedByArrival = MAX_MOVED_BY_ARRIVAL }: ThreadMoves = {},
): Promise<string[]> {
  const isMoreThan = (most: number) =>
    db`${countBelow(db, db`a.parent_hash`, db`a.parent_fid`, most)} > ${most}::bigint`
  const threadUpdates: ThreadUpdates = db`
    select hash, fid, thread_hash, root_parent_url from attached
    where parent_hash not in (select hash from deferred)
  `
  const deferring = db`
    attached as materialized (
      select c.hash, c.fid, p.thread_hash, p.root_parent_url, p.hash as parent_hash, p.fid as parent_fid
      from casts p
      join casts c on c.parent_hash = p.hash and c.parent_fid = p.fid
      where p.hash = any (${db.types.byteas(casts.map(({ hash }) => hash))}::bytea[])
        and (c.thread_hash, c.root_parent_url) is distinct from (p.thread_hash, p.root_parent_url)
    ), deferred as (
      insert into waiting_threads (hash, fid, waiting_since)
      -- Nothing else has to arrive where the thread is stored.
      select parent_hash, parent_fid, case when is_missing then now() else 'infinity' end
      from (
        -- Otherwise the casts below are counted for each direct reply.
        select distinct parent_hash, parent_fid,
          not exists (select from casts t where t.hash = attached.thread_hash) as is_missing
        from attached
        offset 0
      ) a
      where case when is_missing then ${isMoreThan(maxMovedToMissing)} else ${isMoreThan(maxMovedByArrival)} end
      on conflict (hash) do update set waiting_since = excluded.waiting_since
      returning hash
    ),
  `
  return otherThreads(casts, await updateDescendants(db, threadUpdates, activity, deferring))
}

/**
 * Takes the thread from the replies of removed casts, and from all casts below: the missing cast is their
 * thread.
 *
 * @returns the threads that moved casts had, other than these casts, as `OnThreadsMoved` gets them.
 */
export async function detachReplies(
  db: Transaction,
  casts: readonly Pick<ThreadNode, 'hash' | 'fid'>[],
  activity: UrlActivity,
  maxMovedByRemoval = MAX_MOVED_BY_REMOVAL,
): Promise<string[]> {
  // Of thousands of removed casts not all casts below are counted: those of one that has more than its share wait uncounted.
  const share = Math.min(maxMovedByRemoval, Math.ceil((COUNTED_FOR_MOVED * maxMovedByRemoval) / casts.length))
  const threadUpdates: ThreadUpdates = db`
    select c.hash, c.fid, deleted.hash as thread_hash, null::text as root_parent_url
    from deleted
    join casts c on c.parent_hash = deleted.hash and c.parent_fid = deleted.fid
    -- Hashed: as an array, each of 20,000 pruned casts is compared with each that waits, for 20 s.
    where deleted.hash not in (select hash from deferred)
  `
  const deferring = db`
    deleted as materialized (
      select hash, fid, ${countBelow(db, db`given.hash`, db`given.fid`, share)} as below
      from unnest(
        ${db.types.byteas(casts.map(({ hash }) => hash))}::bytea[],
        ${casts.map(({ fid }) => fid)}::bigint[]
      ) as given (hash, fid)
    ), deferred as (
      insert into waiting_threads (hash, fid, waiting_since)
      -- Nothing has to arrive first. And a process of an older version passes over this time: it would end the entry of a cast
      -- that is not stored, and move nothing.
      select hash, fid, 'infinity'
      -- One message may remove the casts of years, when storage has expired: those with few casts below come first.
      from (select hash, fid, below, sum(below) over (order by below, hash) as moved from deleted) d
      where moved > ${maxMovedByRemoval}::bigint or below > ${share}::bigint
      on conflict (hash) do update set waiting_since = excluded.waiting_since
      returning hash
    ),
  `
  return otherThreads(casts, await updateDescendants(db, threadUpdates, activity, deferring))
}

/**
 * Gives all casts below a cast its thread, or, if it is missing, the thread that it is then. Also those below a reply that has it
 * already: one that was added while the cast was away has another.
 *
 * @returns the threads that moved casts had, other than this cast, as `OnThreadsMoved` gets them.
 */
export async function settleReplies(
  db: Transaction,
  cast: Pick<ThreadNode, 'hash' | 'fid'>,
  activity: UrlActivity,
): Promise<string[]> {
  const threadUpdates: ThreadUpdates = db`
    select c.hash, c.fid, coalesce(p.thread_hash, c.parent_hash) as thread_hash, p.root_parent_url
    from casts c
    left join casts p on p.hash = c.parent_hash and p.fid = c.parent_fid
    where c.parent_hash = ${db.types.bytea(cast.hash)} and c.parent_fid = ${cast.fid}::bigint
  `
  return otherThreads([cast], await updateDescendants(db, threadUpdates, activity))
}

/** SQL for the number of casts below a cast, counted up to one more than `max`. */
function countBelow(db: Transaction, hash: Fragment, fid: Fragment, max: number): Fragment {
  return db`(
    with recursive lower as (
      select ${hash} as hash, ${fid} as fid
      union all
      select c.hash, c.fid from lower l join casts c on c.parent_hash = l.hash and c.parent_fid = l.fid
    )
    select count(*) - 1 from (select from lower limit ${max}::bigint + 2) counted
  )`
}

/** Threads by their names, without those of the casts. */
function otherThreads(casts: readonly Pick<ThreadNode, 'hash'>[], threadHashes: readonly Buffer[]): string[] {
  const names = new Set(threadHashes.map((hash) => hash.toString('hex')))
  for (const { hash } of casts) names.delete(hash.toString('hex'))
  return [...names]
}

/** A range of casts by hash: after `after`, up to and including `end`. Null is unbounded. */
export interface CastRange {
  readonly after: Buffer | null
  readonly end: Buffer | null
}

/**
 * Repairs the threads of the casts in a range, and of all casts below them. The caller has locked the
 * threads.
 *
 * A cast is compared with its parent only. A cast that is as wrong as its parent is not found in its own
 * range: the topmost wrong cast is found in its range and repairs the casts below.
 *
 * @returns the number of wrong casts.
 */
export async function repairThreads(
  db: Transaction,
  range: CastRange,
  activity: UrlActivity,
): Promise<number> {
  const inconsistentCasts = await db<{ hash: Buffer; fid: number }[]>`
    select c.hash, c.fid
    from casts c
    left join casts p on p.hash = c.parent_hash and p.fid = c.parent_fid
    where (${range.after}::bytea is null or c.hash > ${range.after}::bytea)
      and (${range.end}::bytea is null or c.hash <= ${range.end}::bytea)
      and (c.thread_hash, c.root_parent_url) is distinct from (
        coalesce(p.thread_hash, c.parent_hash, c.hash),
        case when p.hash is null and c.parent_hash is null then c.parent_url else p.root_parent_url end
      )
  `
  const hashes = inconsistentCasts.map(({ hash }) => hash)
  const castsByName = new Map(
    (await selectWithAncestors(db, hashes)).map((cast) => [nameOf(cast.fid, cast.hash), cast]),
  )
  const knownThreads = new Map<string, Thread>()
  const threads = inconsistentCasts.map(({ fid, hash }) =>
    resolve(castsByName.get(nameOf(fid, hash))!, castsByName, knownThreads),
  )
  if (threads.length === 0) return 0
  const threadUpdates: ThreadUpdates = db`
    select *
    from unnest(
      ${db.types.byteas(hashes)}::bytea[],
      ${inconsistentCasts.map(({ fid }) => fid)}::bigint[],
      ${db.types.byteas(threads.map(({ threadHash }) => threadHash))}::bytea[],
      ${db.types.texts(threads.map(({ rootParentUrl }) => rootParentUrl))}::text[]
    ) as inconsistent (hash, fid, thread_hash, root_parent_url)
  `
  return (await updateDescendants(db, threadUpdates, activity)).length
}

/**
 * Gives casts their thread, and all casts below them the same. If one is below another, both must get the
 * same thread.
 *
 * @param definitions Queries that `threadUpdates` reads.
 * @returns the thread that each cast had whose thread was another.
 */
async function updateDescendants(
  db: Transaction,
  threadUpdates: ThreadUpdates,
  activity: UrlActivity,
  definitions: Fragment = db``,
): Promise<Buffer[]> {
  const moved = await db<
    { ts: number; old_thread: Buffer; old_url: string | null; new_url: string | null }[]
  >`
    with recursive ${definitions} below as (
      ${threadUpdates}
      union
      select c.hash, c.fid, b.thread_hash, b.root_parent_url
      from below b
      join casts c on c.parent_hash = b.hash and c.parent_fid = b.fid
    )
    update casts c
    set thread_hash = below.thread_hash, root_parent_url = below.root_parent_url
    from below
    join casts old on old.hash = below.hash
    where c.hash = below.hash
      and (old.thread_hash, old.root_parent_url) is distinct from (below.thread_hash, below.root_parent_url)
    returning c.ts, old.thread_hash as old_thread, old.root_parent_url as old_url, c.root_parent_url as new_url
  `
  for (const { ts, old_url, new_url } of moved) {
    activity.add(old_url, ts, -1)
    activity.add(new_url, ts, 1)
  }
  return moved.map(({ old_thread }) => old_thread)
}
