import { ancestorsOf, type BlockHistory, type BlockRef, withBlocks } from '../../log/block-history.js'
import { blockOf } from '../../log/hub-event.js'
import type { ShardRange } from '../../log/log-range.js'
import { invalid } from '../refusals.js'

/** The header that has a position. */
const POSITION_HEADER = 'Last-Event-ID'

/** The last event of a shard that a reader was sent, and the blocks before it. */
export interface StreamPosition {
  readonly shard: number
  /** -1 before the first event. */
  readonly lastId: number
  readonly history: BlockHistory
}

/** The positions behind which ranges begin. */
export function positionsBefore(ranges: readonly ShardRange[]): StreamPosition[] {
  return ranges.map(({ shard, from, history = [] }) => ({ shard, lastId: from - 1, history }))
}

/** Histories behind one more block: all streams at one position share them. */
const nextHistories = new WeakMap<
  BlockHistory,
  { readonly block: BlockRef; readonly history: BlockHistory }
>()

/** The position behind one more event. `block` is its block; null for the block of the event before. */
export function positionAfter(
  position: StreamPosition,
  lastId: number,
  block: BlockRef | null,
): StreamPosition {
  const { history } = position
  if (!block || history[0]?.height === block.height) return { ...position, lastId }
  let next = nextHistories.get(history)
  if (next?.block !== block) {
    next = { block, history: withBlocks(history, [block]) }
    nextHistories.set(history, next)
  }
  return { ...position, lastId, history: next.history }
}

/** Four bytes of a hash: one in four billion lost branches has the same. */
const HASH_LENGTH = 8

/**
 * Formats the position of a stream as the `id` of a server-sent event, such as `81920.9f1c02ab-8.77aa01bc`: the last
 * event id, behind it the hash of its block, and the hashes of blocks that are 8 and more blocks before it. They say
 * after a reconnect whether the log went back, and where to continue. Of several shards each has its part:
 * `1:81920.9f1c02ab,2:16384.77aa01bc`. Shards without an event yet are left out; null when all are.
 *
 * Clients send an id back as it is: to server-sent events it is a string without a meaning, and no client library
 * parses it. The number stays in front for those who look at it.
 */
export function formatPosition(positions: readonly StreamPosition[]): string | null {
  const started = positions.filter((position) => position.lastId >= 0)
  if (started.length === 0) return null
  if (positions.length === 1) return formatShard(started[0]!)
  return started.map((position) => `${position.shard}:${formatShard(position)}`).join(',')
}

function formatShard({ lastId, history }: StreamPosition): string {
  const newest = history[0]
  if (!newest) return String(lastId)
  const distance = blockOf(lastId) - newest.height
  return `${lastId}${distance > 0 ? `-${distance}` : ''}${hashesOf(history, newest.height)}`
}

const hashesByHistory = new WeakMap<BlockHistory, string>()

/** The hashes of the newest block and its ancestors, which have a distance in front. */
function hashesOf(history: BlockHistory, newest: number): string {
  let hashes = hashesByHistory.get(history)
  if (hashes === undefined) {
    hashes = ancestorsOf(history)
      .map(({ height, hash }) => {
        return `${height < newest ? `-${newest - height}` : ''}.${hash.slice(0, HASH_LENGTH)}`
      })
      .join('')
    hashesByHistory.set(history, hashes)
  }
  return hashes
}

/** Parses the last id of each shard of a position. For one shard both forms are allowed. Hashes may be missing. */
export function parsePosition(text: string, shards: readonly number[]): Map<number, StreamPosition> {
  const positions = new Map<number, StreamPosition>()
  for (const part of text.split(',')) {
    const position = parsePart(part.trim(), shards)
    const { shard } = position
    if (!shards.includes(shard)) throw invalid(POSITION_HEADER, `names shard ${shard}, which is not followed`)
    if (positions.has(shard)) throw invalid(POSITION_HEADER, `names shard ${shard} twice`)
    positions.set(shard, position)
  }
  return positions
}

const PART = /^(?:(\d{1,5}):)?(\d{1,16})((?:(?:-\d{1,7})?\.[0-9a-f]{8}){0,4})$/

function parsePart(part: string, shards: readonly number[]): StreamPosition {
  const [, shard, digits, hashes = ''] = PART.exec(part) ?? []
  const lastId = Number(digits)
  if (digits === undefined || lastId >= Number.MAX_SAFE_INTEGER)
    throw invalid(POSITION_HEADER, 'is not a position in the log')
  const history = parseHashes(hashes, blockOf(lastId))
  if (shard !== undefined) return { shard: Number(shard), lastId, history }
  const [onlyShard] = shards
  if (onlyShard === undefined || shards.length > 1) {
    throw invalid(POSITION_HEADER, 'must name the shard of each id, such as 1:81920,2:16384')
  }
  return { shard: onlyShard, lastId, history }
}

/** Newest first, like a history. The first distance is to the block of the id, the others are to the first block. */
function parseHashes(text: string, blockOfId: number): BlockHistory {
  const found = Array.from(text.matchAll(/(?:-(\d+))?\.([0-9a-f]+)/g), ([, distance = '0', hash = '']) => ({
    distance: Number(distance),
    hash,
  }))
  const newest = blockOfId - (found[0]?.distance ?? 0)
  const blocks = found.map(({ distance, hash }, index) => ({
    height: index === 0 ? newest : newest - distance,
    hash,
  }))
  const isOrdered = blocks.every(
    ({ height }, index) => height > 0 && (index === 0 || height < blocks[index - 1]!.height),
  )
  if (!isOrdered) throw invalid(POSITION_HEADER, 'is not a position in the log')
  return blocks
}
