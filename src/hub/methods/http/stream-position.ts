import type { ReadPosition } from '../../log/tail.js'
import { invalid } from '../refusals.js'

/** The header that has a position. */
const NAME = 'Last-Event-ID'

/**
 * Formats the position of a stream as the `id` of a server-sent event: the last event id for one shard, else
 * that of each shard, such as `1:81920,2:16384`. Shards without an event yet are left out; null when all are.
 */
export function formatPosition(positions: readonly ReadPosition[]): string | null {
  const started = positions.filter((position) => position.lastId >= 0)
  if (started.length === 0) return null
  if (positions.length === 1) return String(started[0]!.lastId)
  return started.map(({ shard, lastId }) => `${shard}:${lastId}`).join(',')
}

/** Parses the last id of each shard of a position. For one shard both forms are allowed. */
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
