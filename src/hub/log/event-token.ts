import { AFTER_ALL_EVENTS, type EventPage, type ShardRange } from './read.js'

/** The reference node's key of an event: a prefix and the id in eight bytes, big-endian (docs/protocol.md §1.4). */
const KEY_PREFIX = 9
const KEY_BYTES = 9

/**
 * What is left of the ranges behind the page that this token came with; in words what is wrong with a token that
 * such a page cannot have come with.
 *
 * A token (docs/protocol.md §1.4) is a JSON array with one entry per shard that is asked for, in the order of shards. An entry
 * is the key of the event that the page ended with in that shard, and the next page starts behind it; or null, and
 * the shard starts at its bound.
 *
 * As each shard goes on from its own place, nothing is lost or repeated when one of them writes an id that
 * is lower than what another has already shown.
 */
export function rangesAfter(
  token: Uint8Array,
  ranges: readonly ShardRange[],
  reverse: boolean,
): ShardRange[] | string {
  const ids = parseEntries(token)
  if (!ids) return 'is not a token that a page of events came with'
  if (ids.length !== ranges.length) return `is for ${ids.length} shards, and ${ranges.length} are asked for`
  return ranges.map((range, index) => {
    const id = ids[index] ?? null
    if (id === null) return range
    return reverse ? { ...range, stop: id } : { ...range, from: id + 1 }
  })
}

/** The token of the next page; undefined when this one reaches the end. */
export function eventToken(
  page: Pick<EventPage, 'next' | 'remaining'>,
  reverse: boolean,
): Buffer | undefined {
  if (page.next === null) return undefined
  const entries = page.remaining.map(({ from, stop }) => {
    if (reverse) return stop === AFTER_ALL_EVENTS ? null : encodeEventKey(stop)
    return from === 0 ? null : encodeEventKey(from - 1)
  })
  return Buffer.from(JSON.stringify(entries))
}

function encodeEventKey(id: number): number[] {
  const key = Buffer.alloc(KEY_BYTES)
  key[0] = KEY_PREFIX
  key.writeBigUInt64BE(BigInt(id), 1)
  return [...key]
}

function parseEntries(bytes: Uint8Array): (number | null)[] | null {
  let entries: unknown
  try {
    entries = JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch {
    return null
  }
  if (!Array.isArray(entries)) return null
  const ids = entries.map((entry) => (entry === null ? null : decodeEventKey(entry)))
  return ids.includes(undefined) ? null : (ids as (number | null)[])
}

/** Undefined when this is no key of an event. */
function decodeEventKey(key: unknown): number | undefined {
  if (!Array.isArray(key) || key.length !== KEY_BYTES || key[0] !== KEY_PREFIX) return undefined
  if (!key.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 0xff)) return undefined
  const id = Buffer.from(key).readBigUInt64BE(1)
  return id < BigInt(AFTER_ALL_EVENTS) ? Number(id) : undefined
}
