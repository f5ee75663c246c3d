import { AFTER_ALL_EVENTS, type EventPage, type ShardRange } from '../log/read.js'
import { type Parameters, refusal } from './parameters.js'

/** The reference node's key of an event: a prefix and the id in eight bytes, big-endian (hub.md §1.4). */
const KEY_PREFIX = 9
const KEY_BYTES = 9

/**
 * The page token of `/v1/events` (hub.md §1.4): base64 of a JSON array with one entry per shard that is
 * asked for, in the order of shards. An entry is the key of the event that the page before ended with in
 * that shard, and the next page starts behind it; or null, and the shard starts at its bound.
 *
 * As each shard goes on from its own place, nothing is lost or repeated when one of them writes an id that
 * is lower than what another has already shown.
 */
export function applyEventToken(
  parameters: Parameters,
  ranges: readonly ShardRange[],
  reverse: boolean,
): ShardRange[] {
  const token = parameters.pageToken()
  if (!token) return [...ranges]
  const ids = readEntries(token.bytes)
  if (!ids) throw refusal(token.name, 'is not a token that /v1/events gave out')
  if (ids.length !== ranges.length) {
    throw refusal(token.name, `is for ${ids.length} shards, and ${ranges.length} are asked for`)
  }
  return ranges.map((range, index) => {
    const id = ids[index] ?? null
    if (id === null) return range
    return reverse ? { ...range, stop: id } : { ...range, from: id + 1 }
  })
}

/** The token of the next page; undefined when this one reaches the end. */
export function eventToken(page: Pick<EventPage, 'next' | 'rest'>, reverse: boolean): string | undefined {
  if (page.next === null) return undefined
  const entries = page.rest.map(({ from, stop }) => {
    if (reverse) return stop === AFTER_ALL_EVENTS ? null : keyOf(stop)
    return from === 0 ? null : keyOf(from - 1)
  })
  return Buffer.from(JSON.stringify(entries)).toString('base64')
}

function keyOf(id: number): number[] {
  const key = Buffer.alloc(KEY_BYTES)
  key[0] = KEY_PREFIX
  key.writeBigUInt64BE(BigInt(id), 1)
  return [...key]
}

function readEntries(bytes: Buffer): (number | null)[] | null {
  let entries: unknown
  try {
    entries = JSON.parse(bytes.toString('utf8'))
  } catch {
    return null
  }
  if (!Array.isArray(entries)) return null
  const ids = entries.map((entry) => (entry === null ? null : idOf(entry)))
  return ids.includes(undefined) ? null : (ids as (number | null)[])
}

/** Undefined when this is no key of an event. */
function idOf(key: unknown): number | undefined {
  if (!Array.isArray(key) || key.length !== KEY_BYTES || key[0] !== KEY_PREFIX) return undefined
  if (!key.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 0xff)) return undefined
  const id = Buffer.from(key).readBigUInt64BE(1)
  return id < BigInt(AFTER_ALL_EVENTS) ? Number(id) : undefined
}
