import type { Database } from '../../platform/db/connection.js'
import { literal } from '../../platform/db/literal.js'
import { nextTurn } from '../../platform/process/turns.js'
import { ReactionType } from '../../protocol/definitions.js'
import { type HeightsJson, heightsIn, selectHeights } from './snapshot-heights.js'

/** All relations of a user, as words of 32 bits. */
export interface UserRelationsRow {
  readonly fid: number
  /** Pairs of a time, in Farcaster seconds, and a fid; by both. */
  readonly followed: Uint32Array
  /** Fids, in any order. */
  readonly followers: Uint32Array
  readonly blocking: Uint32Array
  readonly blockers: Uint32Array
  readonly muting: Uint32Array
  /** Keys of casts (`castKeysIn`), three words each, sorted. A key may repeat. */
  readonly liked: Uint32Array
  readonly recasted: Uint32Array
}

/** The relations of users, and what the snapshot they were read in contains. */
export interface LoadedUserRelations {
  /** The last block of each shard. */
  readonly heights: ReadonlyMap<number, number>
  /** Null for a user with too many relations. */
  readonly users: ReadonlyMap<number, UserRelationsRow | null>
}

interface PackedRow {
  fid: number
  heights: HeightsJson
  isLarge: boolean
  followed: Buffer | null
  followers: Buffer | null
  blocking: Buffer | null
  blockers: Buffer | null
  muting: Buffer | null
  liked: Buffer | null
  recasted: Buffer | null
}

/** Others have their turn then: a user with 50,000 relations takes 8 ms, and 16 of them are loaded together. */
const MAX_UNPACKING_MS = 8

/**
 * Loads all relations of users with at most `maxRelations` each, in one statement: one snapshot.
 *
 * The values come packed as bytes, which the driver decodes natively: it parses the elements of an array one by one.
 */
export async function loadUserRelations(
  db: Database,
  fids: readonly number[],
  maxRelations: number,
): Promise<LoadedUserRelations> {
  const limit = literal(db, maxRelations + 1)
  const rows = await db<PackedRow[]>`
    with requested as materialized (
      select requested.fid, coalesce(n.follower_count + n.following_count, 0) > ${maxRelations} as is_large
      from unnest(${[...fids]}::bigint[]) as requested (fid)
      left join social.user_counts n on n.fid = requested.fid
    )
    select
      fid,
      is_large as "isLarge",
      ${selectHeights(db)} as heights,
      (
        select string_agg(int8send(ts) || int8send(target_fid), ''::bytea order by ts, target_fid)
        from (
          select ts, target_fid from social.follows where fid = requested.fid and not requested.is_large limit ${limit}
        ) found
      ) as followed,
      (
        select string_agg(int8send(found.fid), ''::bytea)
        from (select fid from social.follows where target_fid = requested.fid and not requested.is_large limit ${limit}) found
      ) as followers,
      (
        select string_agg(int8send(target_fid), ''::bytea)
        from (select target_fid from social.blocks where fid = requested.fid limit ${limit}) found
      ) as blocking,
      (
        select string_agg(int8send(found.fid), ''::bytea)
        from (select fid from social.blocks where target_fid = requested.fid limit ${limit}) found
      ) as blockers,
      (
        select string_agg(int8send(target_fid), ''::bytea)
        from (select target_fid from moderation.mutes where fid = requested.fid limit ${limit}) found
      ) as muting,
      reacted.*
    from requested
    cross join lateral (
      select
        string_agg(substring(target_hash for 12) || int8send(target_fid), ''::bytea order by target_hash) filter (where type = ${literal(db, ReactionType.LIKE)}) as liked,
        string_agg(substring(target_hash for 12) || int8send(target_fid), ''::bytea order by target_hash) filter (where type = ${literal(db, ReactionType.RECAST)}) as recasted
      from (
        select target_hash, target_fid, type from social.reactions
        where social.reactions.fid = requested.fid and not requested.is_large
        limit ${limit}
      ) found
    ) reacted
  `
  const users = new Map<number, UserRelationsRow | null>()
  let startMs = performance.now()
  for (const row of rows) {
    if (performance.now() - startMs > MAX_UNPACKING_MS) {
      await nextTurn()
      startMs = performance.now()
    }
    users.set(row.fid, unpack(row, maxRelations))
  }
  return { heights: heightsIn(rows[0]?.heights ?? null), users }
}

/** Null if there are too many relations, or a number that does not fit a word. */
function unpack(row: PackedRow, maxRelations: number): UserRelationsRow | null {
  if (row.isLarge) return null
  const [followed, followers, blocking, blockers, muting] = [
    row.followed,
    row.followers,
    row.blocking,
    row.blockers,
    row.muting,
  ].map(integersIn)
  if (!followed || !followers || !blocking || !blockers || !muting) return null
  const [liked, recasted] = [castKeysIn(row.liked), castKeysIn(row.recasted)]
  const fids = followed.length / 2 + followers.length + blocking.length + blockers.length + muting.length
  const reactions = (liked.length + recasted.length) / 3
  if (fids + reactions > maxRelations) return null
  return { fid: row.fid, followed, followers, blocking, blockers, muting, liked, recasted }
}

/** Unpacks integers of 64 bits; null if one does not fit 32 bits. */
function integersIn(bytes: Buffer | null): Uint32Array | null {
  const words = wordsIn(bytes)
  const integers = new Uint32Array(words.length / 2)
  for (let index = 0; index < integers.length; index += 1) {
    if (words[2 * index] !== 0) return null
    integers[index] = words[2 * index + 1]!
  }
  return integers
}

/** Words of a reaction to a cast as it is read: of 12 bytes of the hash, and of the fid, in 64 bits. */
const REACTION_WORDS = 5
const KEY_WORDS = 3

/**
 * Makes the sorted keys of casts: the first 96 bits of the hash, mixed with the author, so that a reaction which names
 * another author is one to another cast, and takes no more memory.
 */
function castKeysIn(bytes: Buffer | null): Uint32Array {
  const words = wordsIn(bytes)
  const keys = new Uint32Array((words.length / REACTION_WORDS) * KEY_WORDS)
  let isSorted = true
  for (let at = 0, from = 0; at < keys.length; at += KEY_WORDS, from += REACTION_WORDS) {
    keys[at] = words[from]!
    keys[at + 1] = words[from + 1]!
    keys[at + 2] = mixedWord(words[from + 2]!, words[from + 4]!)
    isSorted &&= at === 0 || compareKeys(keys, at - KEY_WORDS, at) <= 0
  }
  return isSorted ? keys : sortedKeys(keys)
}

/** Mixes a word of a hash with the low 32 bits of a fid. */
export function mixedWord(word: number, fid: number): number {
  return (word ^ fid) >>> 0
}

/** Rows come in the order of their hashes, which is that of the keys unless two share 64 bits: no client makes such. */
function sortedKeys(keys: Uint32Array): Uint32Array {
  const offsets = Array.from({ length: keys.length / KEY_WORDS }, (_, index) => index * KEY_WORDS)
  offsets.sort((a, b) => compareKeys(keys, a, b))
  return Uint32Array.from(offsets.flatMap((offset) => [...keys.subarray(offset, offset + KEY_WORDS)]))
}

function compareKeys(keys: Uint32Array, a: number, b: number): number {
  return keys[a]! - keys[b]! || keys[a + 1]! - keys[b + 1]! || keys[a + 2]! - keys[b + 2]!
}

function wordsIn(bytes: Buffer | null): Uint32Array {
  if (!bytes) return new Uint32Array(0)
  const words = new Uint32Array(bytes.length / 4)
  for (let index = 0; index < words.length; index += 1) words[index] = bytes.readUInt32BE(4 * index)
  return words
}
