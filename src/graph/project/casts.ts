import type { Transaction } from '../../platform/db/connection.js'
import type { Statement } from '../../platform/db/pipeline.js'
import { MessageType } from '../../protocol/definitions.js'
import { unixSecondsFromFarcasterSeconds } from '../../protocol/time.js'
import { type CastRow, castRow, quotedBy } from '../cast-row.js'
import { type CastCountDeltas, UrlActivity } from './cast-counts.js'
import { urlInserts } from './embed-queue.js'
import { type NetChanges, ofType } from './net-changes.js'
import type { ThreadLock } from './thread-lock.js'
import { attachReplies, detachReplies, resolveThreads, type ThreadMoves } from './threads.js'

/**
 * Projects casts with their threads, quotes and embedded URLs.
 *
 * @param counts Gets their changes, which the caller writes.
 * @param threads Casts that begin a thread are sent behind the lock of the threads, without waiting for it.
 * @returns the last statements, in order, which the caller runs.
 */
export async function projectCasts(
  db: Transaction,
  changes: NetChanges,
  counts: CastCountDeltas,
  threads: ThreadLock | Promise<ThreadLock>,
  moves: ThreadMoves,
): Promise<Statement[]> {
  const removed = ofType(changes.removed, MessageType.CAST_ADD).map(castRow)
  const added = ofType(changes.added, MessageType.CAST_ADD).map(castRow)
  if (removed.length === 0 && added.length === 0) return []
  const activity = new UrlActivity()
  const moved: string[] = []
  if (removed.length > 0) {
    await threads
    moved.push(...(await removeCasts(db, removed, counts, activity, moves.maxMovedByRemoval)))
  }
  const rows = added.length > 0 ? await insertCasts(db, added, counts, activity, threads) : []
  if (rows.length > 0 && (await threads).mode === 'exclusive') {
    moved.push(...(await attachReplies(db, rows, activity, moves)))
  }
  if (moved.length > 0) await moves.onThreadsMoved?.(db, moved)
  return [
    ...insertQuotes(db, rows),
    ...insertUrls(db, rows),
    ...urlInserts(db, newestCasts(rows)),
    ...activity.statements(db),
  ]
}

/** @returns the threads that moved casts had, as `OnThreadsMoved` gets them. */
async function removeCasts(
  db: Transaction,
  removed: readonly CastRow[],
  counts: CastCountDeltas,
  activity: UrlActivity,
  maxMovedByRemoval: number | undefined,
): Promise<string[]> {
  const hashes = db.types.byteas(removed.map((cast) => cast.hash))
  const [removedRows] = await Promise.all([
    db<{ hash: Buffer; ts: number; thread_hash: Buffer; root_parent_url: string | null }[]>`
      delete from casts
      where hash = any (${hashes}::bytea[])
      returning hash, ts, thread_hash, root_parent_url
    `,
    db`delete from quotes where hash = any (${hashes}::bytea[])`,
    db`delete from url_embeds where hash = any (${hashes}::bytea[])`,
  ])
  for (const row of removedRows) activity.add(row.root_parent_url, row.ts, -1)
  const removedHashes = new Set(removedRows.map((row) => row.hash.toString('hex')))
  const rows = removed.filter((cast) => removedHashes.has(cast.hash.toString('hex')))
  sumCountDeltas(rows, counts, -1)
  const moved = await detachReplies(db, rows, activity, maxMovedByRemoval)
  // Caches have a cast of the removed cast's thread with a tag of each cast above it, or of all deep replies: the removal
  // itself ends both. One that waited for its thread may lack the removed cast among them. Of several threads it is not
  // known which removed cast each belonged to.
  const threads = new Set(removedRows.map((row) => row.thread_hash.toString('hex')))
  return threads.size > 1 ? moved : moved.filter((hash) => !threads.has(hash))
}

/** Returns the casts that were not stored before. */
async function insertCasts(
  db: Transaction,
  added: readonly CastRow[],
  counts: CastCountDeltas,
  activity: UrlActivity,
  lock: ThreadLock | Promise<ThreadLock>,
): Promise<CastRow[]> {
  const threads = await resolveThreads(db, added, lock)
  const inserted = await db<{ hash: Buffer }[]>`
    insert into casts (
      hash, fid, ts, text, parent_fid, parent_hash, parent_url, thread_hash, root_parent_url,
      embeds, mentions, mention_positions, signer
    )
    select
      hash, fid, ts, text, parent_fid, parent_hash, parent_url, thread_hash, root_parent_url,
      embeds::jsonb, mentions::bigint[], mention_positions::integer[], signer
    from unnest(
      ${db.types.byteas(added.map((cast) => cast.hash))}::bytea[],
      ${added.map((cast) => cast.fid)}::bigint[],
      ${added.map((cast) => cast.ts)}::bigint[],
      ${db.types.texts(added.map((cast) => cast.text))}::text[],
      ${added.map((cast) => cast.parentFid)}::bigint[],
      ${db.types.byteas(added.map((cast) => cast.parentHash))}::bytea[],
      ${db.types.texts(added.map((cast) => cast.parentUrl))}::text[],
      ${db.types.byteas(threads.map((thread) => thread.threadHash))}::bytea[],
      ${db.types.texts(threads.map((thread) => thread.rootParentUrl))}::text[],
      ${db.types.texts(added.map((cast) => JSON.stringify(cast.embeds)))}::text[],
      ${db.types.texts(added.map((cast) => `{${cast.mentions.join(',')}}`))}::text[],
      ${db.types.texts(added.map((cast) => `{${cast.mentionPositions.join(',')}}`))}::text[],
      ${db.types.byteas(added.map((cast) => cast.signer))}::bytea[]
    ) as incoming (
      hash, fid, ts, text, parent_fid, parent_hash, parent_url, thread_hash, root_parent_url,
      embeds, mentions, mention_positions, signer
    )
    on conflict do nothing
    returning hash
  `
  const insertedHashes = new Set(inserted.map((row) => row.hash.toString('hex')))
  const rows = added.filter((cast) => insertedHashes.has(cast.hash.toString('hex')))
  for (const [index, cast] of added.entries()) {
    if (insertedHashes.has(cast.hash.toString('hex'))) activity.add(threads[index]!.rootParentUrl, cast.ts, 1)
  }
  sumCountDeltas(rows, counts, 1)
  return rows
}

/** Counts each cast as a reply of its parent and as a quote of every cast that it embeds. */
function sumCountDeltas(casts: readonly CastRow[], counts: CastCountDeltas, by: number): void {
  for (const cast of casts) {
    if (cast.parentHash) counts.add({ fid: cast.parentFid!, hash: cast.parentHash }, 'replies', by)
    for (const quoted of quotedBy(cast)) counts.add(quoted, 'quotes', by)
  }
}

function insertQuotes(db: Transaction, casts: readonly CastRow[]): Statement[] {
  const quotes = casts.flatMap((cast) => quotedBy(cast).map((quoted) => ({ cast, quoted })))
  if (quotes.length === 0) return []
  const insert = db`
    insert into quotes (quoted_hash, quoted_fid, ts, hash, fid)
    select *
    from unnest(
      ${db.types.byteas(quotes.map(({ quoted }) => quoted.hash))}::bytea[],
      ${quotes.map(({ quoted }) => quoted.fid)}::bigint[],
      ${quotes.map(({ cast }) => cast.ts)}::bigint[],
      ${db.types.byteas(quotes.map(({ cast }) => cast.hash))}::bytea[],
      ${quotes.map(({ cast }) => cast.fid)}::bigint[]
    )
    on conflict do nothing
  `
  return [insert]
}

function insertUrls(db: Transaction, casts: readonly CastRow[]): Statement[] {
  const embeds = casts.flatMap((cast) => urlsIn(cast).map((url) => ({ cast, url })))
  if (embeds.length === 0) return []
  const insert = db`
    insert into url_embeds (url, ts, hash, fid)
    select *
    from unnest(
      ${db.types.texts(embeds.map(({ url }) => url))}::text[],
      ${embeds.map(({ cast }) => cast.ts)}::bigint[],
      ${db.types.byteas(embeds.map(({ cast }) => cast.hash))}::bytea[],
      ${embeds.map(({ cast }) => cast.fid)}::bigint[]
    )
    on conflict do nothing
  `
  return [insert]
}

/** The Unix seconds of the newest of these casts with each URL. */
function newestCasts(casts: readonly CastRow[]): Map<string, number> {
  const newest = new Map<string, number>()
  for (const cast of casts) {
    const at = unixSecondsFromFarcasterSeconds(cast.ts)
    for (const url of urlsIn(cast)) newest.set(url, Math.max(newest.get(url) ?? 0, at))
  }
  return newest
}

/** The URLs that a cast embeds. */
function urlsIn(cast: CastRow): string[] {
  return cast.embeds.flatMap((embed) => ('url' in embed ? [embed.url] : []))
}
