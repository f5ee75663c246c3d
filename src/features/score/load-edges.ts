import type { Session } from '../../platform/db/connection.js'
import type { EdgeList } from './edge-list.js'
import type { FidIndex } from './fid-index.js'

/**
 * Accounts loaded at once with all their endorsements, packed into one `bytea` each: fifty million separate
 * rows would take minutes.
 */
const ROWS = 200
const INT8_BYTES = 8
const HOUR_SECONDS = 60 * 60

interface PackedRow {
  fid: number
  packed: Buffer
}

/** Loads all follows, and the most follows of each account within an hour. */
export async function loadFollows(
  session: Session,
  index: FidIndex,
  edges: EdgeList,
  peakFollows: Uint32Array,
  signal: AbortSignal,
): Promise<void> {
  const rows = session<PackedRow[]>`
    select fid, string_agg(int8send(target_fid) || int8send(ts), ''::bytea) as packed
    from social.follows
    group by fid
  `.cursor(ROWS)
  for await (const batch of rows) {
    signal.throwIfAborted()
    for (const { fid, packed } of batch) {
      const user = index.indexOf(fid)
      if (user < 0) continue
      const times = new Float64Array(packed.length / (2 * INT8_BYTES))
      for (let follow = 0; follow < times.length; follow += 1) {
        const offset = follow * 2 * INT8_BYTES
        times[follow] = readInt8(packed, offset + INT8_BYTES)
        const target = index.indexOf(readInt8(packed, offset))
        if (target >= 0) edges.addFollow(user, target)
      }
      peakFollows[user] = mostWithinAnHour(times)
    }
  }
}

/** Loads all likes and recasts, counted per pair of accounts. */
export async function loadLikes(
  session: Session,
  index: FidIndex,
  edges: EdgeList,
  signal: AbortSignal,
): Promise<void> {
  const rows = session<PackedRow[]>`
    select fid, string_agg(int8send(target_fid), ''::bytea) as packed
    from social.reactions
    group by fid
  `.cursor(ROWS)
  for await (const batch of rows) {
    signal.throwIfAborted()
    for (const { fid, packed } of batch) {
      const user = index.indexOf(fid)
      if (user >= 0) addLikes(user, index, packed, edges)
    }
  }
}

/** Groups equal targets after sorting. */
function addLikes(user: number, index: FidIndex, packed: Buffer, edges: EdgeList): void {
  const targets = new Int32Array(packed.length / INT8_BYTES)
  for (let like = 0; like < targets.length; like += 1) {
    targets[like] = index.indexOf(readInt8(packed, like * INT8_BYTES))
  }
  targets.sort()
  for (let first = 0; first < targets.length; ) {
    let next = first + 1
    while (next < targets.length && targets[next] === targets[first]) next += 1
    if (targets[first]! >= 0) edges.addLikes(user, targets[first]!, next - first)
    first = next
  }
}

/** Returns the most timestamps (seconds, unsorted) within an hour. Sorts them in place. */
function mostWithinAnHour(times: Float64Array): number {
  times.sort()
  let most = 0
  let first = 0
  for (let last = 0; last < times.length; last += 1) {
    while (times[last]! - times[first]! >= HOUR_SECONDS) first += 1
    most = Math.max(most, last - first + 1)
  }
  return most
}

/** Reads a non-negative `int8` that fits a number, in PostgreSQL's binary format. */
function readInt8(bytes: Buffer, offset: number): number {
  return bytes.readUInt32BE(offset) * 2 ** 32 + bytes.readUInt32BE(offset + 4)
}
