import type { Transaction } from '../db/connection.js'
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
interface Linked {
  readonly fid: number
  readonly hash: Buffer
  readonly parentFid: number | null
  readonly parentHash: Buffer | null
  readonly parentUrl: string | null
}

/** The threads of casts that are about to be inserted, aligned with them; parents may be among them. */
export async function resolveThreads(db: Transaction, casts: readonly Linked[]): Promise<Thread[]> {
  const incoming = new Map(casts.map((cast) => [nameOf(cast.fid, cast.hash), cast]))
  const outside = casts.flatMap((cast) =>
    cast.parentHash && !incoming.has(nameOf(cast.parentFid!, cast.parentHash)) ? [cast.parentHash] : [],
  )
  const known = outside.length > 0 ? await selectThreads(db, outside) : new Map<string, Thread>()

  /** Walks up in a loop, not by recursion: a thread may be thousands of casts deep. */
  function resolve(start: Linked): Thread {
    const path: Linked[] = []
    let cast: Linked | undefined = start
    let thread: Thread | undefined
    while (cast && !thread) {
      thread = known.get(nameOf(cast.fid, cast.hash))
      if (thread) break
      path.push(cast)
      if (!cast.parentHash) thread = { threadHash: cast.hash, rootParentUrl: cast.parentUrl }
      else {
        const parent: string = nameOf(cast.parentFid!, cast.parentHash)
        thread = known.get(parent)
        const next: Linked | undefined = incoming.get(parent)
        if (!thread && !next) thread = { threadHash: cast.parentHash, rootParentUrl: null }
        cast = next
      }
    }
    for (const each of path) known.set(nameOf(each.fid, each.hash), thread!)
    return thread!
  }
  return casts.map(resolve)
}

function nameOf(fid: number, hash: Buffer): string {
  return `${fid}/${hash.toString('hex')}`
}

async function selectThreads(db: Transaction, hashes: readonly Buffer[]): Promise<Map<string, Thread>> {
  const rows = await db<{ fid: number; hash: Buffer; thread_hash: Buffer; root_parent_url: string | null }[]>`
    select fid, hash, thread_hash, root_parent_url
    from casts
    where hash = any (${db.types.byteas(hashes)}::bytea[])
  `
  return new Map(
    rows.map((row) => [
      nameOf(row.fid, row.hash),
      { threadHash: row.thread_hash, rootParentUrl: row.root_parent_url },
    ]),
  )
}

interface Moved {
  ts: number
  old_url: string | null
  new_url: string | null
}

/** Casts that were waiting below one that has come take over its thread, all the way down. */
export async function adoptReplies(
  db: Transaction,
  casts: readonly Linked[],
  activity: UrlActivity,
): Promise<void> {
  const moved = await db<Moved[]>`
    with recursive below as (
      select c.hash, c.fid, p.thread_hash, p.root_parent_url
      from casts p
      join casts c on c.parent_hash = p.hash and c.parent_fid = p.fid
      where p.hash = any (${db.types.byteas(casts.map(({ hash }) => hash))}::bytea[])
        and (c.thread_hash, c.root_parent_url) is distinct from (p.thread_hash, p.root_parent_url)
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
  move(moved, activity)
}

/** Casts below one that is gone lose its thread: the missing cast is theirs now, all the way down. */
export async function orphanReplies(
  db: Transaction,
  casts: readonly Linked[],
  activity: UrlActivity,
): Promise<void> {
  const moved = await db<Moved[]>`
    with recursive below as (
      select c.hash, c.fid, gone.hash as thread_hash
      from unnest(
        ${db.types.byteas(casts.map(({ hash }) => hash))}::bytea[],
        ${casts.map(({ fid }) => fid)}::bigint[]
      ) as gone (hash, fid)
      join casts c on c.parent_hash = gone.hash and c.parent_fid = gone.fid
      union
      select c.hash, c.fid, b.thread_hash
      from below b
      join casts c on c.parent_hash = b.hash and c.parent_fid = b.fid
    )
    update casts c
    set thread_hash = below.thread_hash, root_parent_url = null
    from below
    join casts old on old.hash = below.hash
    where c.hash = below.hash
    returning c.ts, old.root_parent_url as old_url, null::text as new_url
  `
  move(moved, activity)
}

function move(moved: readonly Moved[], activity: UrlActivity): void {
  for (const { ts, old_url, new_url } of moved) {
    activity.add(old_url, ts, -1)
    activity.add(new_url, ts, 1)
  }
}
