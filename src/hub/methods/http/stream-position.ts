import type { ReadPosition } from '../../log/tail.js'
import { invalid } from '../refusals.js'

/** Where a position comes from, for the refusal of a bad one. */
const NAME = 'Last-Event-ID'

/**
 * How far a stream of events has come, as the `id` of a server-sent event: the event's id where one shard is
 * followed, else the last id of each shard, such as `1:81920,2:16384`. A shard that has shown nothing yet is
 * left out; null when none has.
 */
export function formatPosition(positions: readonly ReadPosition[]): string | null {
  const started = positions.filter((position) => position.lastId >= 0)
  if (started.length === 0) return null
  if (positions.length === 1) return String(started[0]!.lastId)
  return started.map(({ shard, lastId }) => `${shard}:${lastId}`).join(',')
}

/** The last id of each shard that a position names; both forms are good where one shard is followed. */
export function parsePosition(text: string, shards: readonly number[]): Map<number, number> {
  const lastIds = new Map<number, number>()
  for (const part of text.split(',')) {
    const { shard, id } = parsePart(part.trim(), shards)
    if (!shards.includes(shard)) throw invalid(NAME, `names shard ${shard}, which is not followed`)
    if (lastIds.has(shard)) throw invalid(NAME, `names shard ${shard} twice`)
    lastIds.set(shard, id)
  }
  return lastIds
}

function parsePart(part: string, shards: readonly number[]): { shard: number; id: number } {
  const [, shard, digits] = /^(?:(\d{1,5}):)?(\d{1,16})$/.exec(part) ?? []
  const id = Number(digits)
  if (digits === undefined || id >= Number.MAX_SAFE_INTEGER)
    throw invalid(NAME, 'is not a position in the log')
  if (shard !== undefined) return { shard: Number(shard), id }
  const [onlyShard] = shards
  if (onlyShard === undefined || shards.length > 1) {
    throw invalid(NAME, 'must name the shard of each id, such as 1:81920,2:16384')
  }
  return { shard: onlyShard, id }
}
