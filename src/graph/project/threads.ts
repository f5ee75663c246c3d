import type { PendingQuery } from 'postgres'
import type { Transaction } from '../../platform/db/connection.js'
import type { UrlActivity } from './url-activity.js'

/**
 * The thread that a cast belongs to. It depends only on the casts that are here, not on the order in which they
 * came: walk up the parents; the first cast without one is the thread, and its parent URL the root URL. Where a
 * parent is missing, the missing cast is the thread and the root URL is unknown.
 */
export interface Thread {
  readonly threadHash: Buffer
  readonly rootParentUrl: string | null
}

/** What a cast says of its place. */
interface ThreadNode {
  readonly fid: number
  readonly hash: Buffer
  readonly parentFid: number | null
  readonly parentHash: Buffer | null
  readonly parentUrl: string | null
}

/** A cast that is here, with the thread that it has so far. */
interface StoredCast extends Thread {
  readonly hash: Buffer
}

/** The threads of casts that are about to be inserted, aligned with them; parents may be among them. */
export async function resolveThreads(db: Transaction, casts: readonly ThreadNode[]): Promise<Thread[]> {
  const castsByName = new Map(casts.map((cast) => [nameOf(cast.fid, cast.hash), cast]))
  const missingParentHashes = casts.flatMap((cast) =>
    cast.parentHash && !castsByName.has(nameOf(cast.parentFid!, cast.parentHash)) ? [cast.parentHash] : [],
  )
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
 * Walks up from a cast through `places` to a thread that is known, and remembers it of all casts on the way. In a
 * loop, not by recursion: a thread may be thousands of casts deep.
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
  const rows = await db<{ fid: number; hash: Buffer; thread_hash: Buffer; root_parent_url: string | null }[]>`
    select fid, hash, thread_hash, root_parent_url
    from casts
    where hash = any (${db.types.byteas(hashes)}::bytea[])
  `
  return new Map(
    rows.map((row) => [
      nameOf(row.fid, row.hash),
      { hash: row.hash, threadHash: row.thread_hash, rootParentUrl: row.root_parent_url },
    ]),
  )
}

/**
 * What stands as the thread of a cast is about to change where the missing cast at its top is one of `casts`. Such
 * parents are not known but have to be walked through, with all that is above them.
 */
async function selectWaitingReplies(
  db: Transaction,
  parents: ReadonlyMap<string, StoredCast>,
  casts: readonly ThreadNode[],
): Promise<ThreadNode[]> {
  const insertedHashes = new Set(casts.map(({ hash }) => hash.toString('hex')))
  const waitingReplies = [...parents.values()].filter(({ threadHash }) =>
    insertedHashes.has(threadHash.toString('hex')),
  )
  return await selectWithAncestors(
    db,
    waitingReplies.map(({ hash }) => hash),
  )
}

/** Casts, with all that is above them as far as it is here. */
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

/** A part of a statement: a select of casts, named in full, with the threads that they are to have. */
type ThreadUpdates = PendingQuery<
  { hash: Buffer; fid: number; thread_hash: Buffer; root_parent_url: string | null }[]
>

/** Casts that were waiting below one that has come take over its thread, all the way down. */
export async function attachReplies(
  db: Transaction,
  casts: readonly ThreadNode[],
  activity: UrlActivity,
): Promise<void> {
  const threadUpdates: ThreadUpdates = db`
    select c.hash, c.fid, p.thread_hash, p.root_parent_url
    from casts p
    join casts c on c.parent_hash = p.hash and c.parent_fid = p.fid
    where p.hash = any (${db.types.byteas(casts.map(({ hash }) => hash))}::bytea[])
      and (c.thread_hash, c.root_parent_url) is distinct from (p.thread_hash, p.root_parent_url)
  `
  await updateDescendants(db, threadUpdates, activity)
}

/** Casts below one that is gone lose its thread: the missing cast is theirs now, all the way down. */
export async function detachReplies(
  db: Transaction,
  casts: readonly ThreadNode[],
  activity: UrlActivity,
): Promise<void> {
  const threadUpdates: ThreadUpdates = db`
    select c.hash, c.fid, gone.hash as thread_hash, null::text as root_parent_url
    from unnest(
      ${db.types.byteas(casts.map(({ hash }) => hash))}::bytea[],
      ${casts.map(({ fid }) => fid)}::bigint[]
    ) as gone (hash, fid)
    join casts c on c.parent_hash = gone.hash and c.parent_fid = gone.fid
  `
  await updateDescendants(db, threadUpdates, activity)
}

/** A part of the casts by their hashes: behind the one, up to and with the other. Null is without end. */
export interface CastRange {
  readonly after: Buffer | null
  readonly end: Buffer | null
}

/**
 * Gives the casts of a part the threads that they have by definition, and what stands below those, too. Nobody else
 * may be writing threads.
 *
 * A cast is held against its parent only. One that is as wrong as its parent is not noticed with its own part: the
 * topmost of them is, with the part that it is in, and takes along what is below.
 *
 * @returns how many casts were wrong.
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
    ) as doubtful (hash, fid, thread_hash, root_parent_url)
  `
  return await updateDescendants(db, threadUpdates, activity)
}

/**
 * Gives casts their thread, and all that is below them the same. Where one of them is below another, it is to have
 * the same thread.
 *
 * @returns how many casts were in another thread.
 */
async function updateDescendants(
  db: Transaction,
  threadUpdates: ThreadUpdates,
  activity: UrlActivity,
): Promise<number> {
  const moved = await db<{ ts: number; old_url: string | null; new_url: string | null }[]>`
    with recursive below as (
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
    returning c.ts, old.root_parent_url as old_url, c.root_parent_url as new_url
  `
  for (const { ts, old_url, new_url } of moved) {
    activity.add(old_url, ts, -1)
    activity.add(new_url, ts, 1)
  }
  return moved.length
}
