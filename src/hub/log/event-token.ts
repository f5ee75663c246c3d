import { AFTER_ALL_EVENTS, type EventPage, type ShardRange } from './read.js'

/** Prefix of an event key of the reference node, before the id in eight bytes (docs/protocol.md §1.4). */
const KEY_PREFIX = 9
const KEY_BYTES = 9

/**
 * Returns the ranges that remain after the page of this token, or a text that says what is wrong with the
 * token.
 *
 * A token is a JSON array with one entry for each requested shard, in the order of shards (docs/protocol.md
 * §1.4): the key of the last event of the page in that shard, or null to start at the bound of the range.
 * Each shard has its own position: no event is lost or repeated when one shard writes a lower id than another
 * has shown.
 */
export function rangesAfter(
  token: Uint8Array,
  ranges: readonly ShardRange[],
  reverse: boolean,
): ShardRange[] | string {
  const ids = parseEntries(token)
  if (!ids) return 'is not a token of a page of events'
  if (ids.length !== ranges.length) return `is for ${ids.length} shards, but ${ranges.length} are requested`
  return ranges.map((range, index) => {
    const id = ids[index] ?? null
    if (id === null) return range
    return reverse ? { ...range, stop: id } : { ...range, from: id + 1 }
  })
}

/** Returns the token of the next page; undefined at the end. */
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

/** Decodes an event key; undefined if it is malformed. */
function decodeEventKey(key: unknown): number | undefined {
  if (!Array.isArray(key) || key.length !== KEY_BYTES || key[0] !== KEY_PREFIX) return undefined
  if (!key.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 0xff)) return undefined
  const id = Buffer.from(key).readBigUInt64BE(1)
  return id < BigInt(AFTER_ALL_EVENTS) ? Number(id) : undefined
}
