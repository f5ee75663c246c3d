import type { Hex } from 'viem'
import type { BlockHeader, ChainLog, Endpoint, LogFilter } from './endpoint.js'

/** A handled block. */
export interface HandledBlock {
  readonly number: number
  readonly hash: Hex
}

/** Bounds of the next range to read. */
export interface RangeRequest {
  /** The first block that is not handled. */
  readonly from: number
  /** The last block that may be read, inclusive; unlimited by default. */
  readonly until?: number | undefined
  /** Most blocks of the range. */
  readonly span: number
  /** Blocks above a block that make it final. */
  readonly confirmations: number
  /** True to read final blocks only. */
  readonly confirmedOnly: boolean
  /** The last handled block; null before the first. */
  readonly before: HandledBlock | null
  /** Null to read headers only. */
  readonly filter: LogFilter | null
  /** True to read headers of all blocks with logs, for their times. */
  readonly withTimes: boolean
}

/** Logs of consecutive blocks. */
export interface LogRange {
  readonly from: number
  /** The last block, inclusive. */
  readonly to: number
  /** In chain order. */
  readonly logs: readonly ChainLog[]
  /** Header of the last block, of every block that is not final, and `withTimes` of those with logs. */
  readonly headers: ReadonlyMap<number, BlockHeader>
  /** True if all blocks are final. */
  readonly isFinal: boolean
  /** The newest block of the chain. */
  readonly head: number
}

/** A range, nothing new, or a reorganization of the last handled block. */
export type RangeResult =
  | { readonly state: 'range'; readonly range: LogRange }
  | { readonly state: 'caughtUp'; readonly head: number }
  | { readonly state: 'reorged'; readonly head: number }

/** An RPC contradicts itself: it lags, is wrong, or the chain just changed. */
export class InconsistentReply extends Error {}

/** `eth_getLogs` failed. A smaller range may succeed, unless it was of one block. */
export class RangeRefused extends Error {
  readonly canSplit: boolean

  constructor(endpointName: string, from: number, to: number, cause: unknown) {
    super(`${endpointName} returned no logs of blocks ${from} to ${to}`, { cause })
    this.canSplit = to > from
  }
}

/**
 * Reads the next range. Blocks are chained, logs match the filter and their blocks, and all blocks are there.
 * @throws InconsistentReply, RangeRefused, or the error of the RPC.
 */
export async function readRange(endpoint: Endpoint, request: RangeRequest): Promise<RangeResult> {
  const { from, span, confirmations, confirmedOnly, before, until = Number.MAX_SAFE_INTEGER } = request
  const [head, last] = await Promise.all([
    endpoint.head(),
    before === null ? null : endpoint.header(before.number),
  ])
  if (before !== null && last === null)
    throw new InconsistentReply(`${endpoint.name} has no block ${before.number}`)
  if (last !== null && before !== null && last.hash !== before.hash) return { state: 'reorged', head }
  const final = head - confirmations
  const newest = Math.min(until, confirmedOnly ? final : head)
  if (from > newest) return { state: 'caughtUp', head }
  const isFinal = from <= final
  const to = Math.min(newest, from + span - 1, isFinal ? final : newest)
  const logs = await readLogs(endpoint, request.filter, from, to)
  const headers = await readHeaders(endpoint, request, logs, { from, to, isFinal })
  for (const log of logs) {
    const header = headers.get(log.blockNumber)
    if (header !== undefined && header.hash !== log.blockHash) {
      throw new InconsistentReply(`${endpoint.name} returned a log of another block ${log.blockNumber}`)
    }
  }
  return { state: 'range', range: { from, to, logs, headers, isFinal, head } }
}

async function readLogs(
  endpoint: Endpoint,
  filter: LogFilter | null,
  from: number,
  to: number,
): Promise<ChainLog[]> {
  if (filter === null) return []
  const logs = await endpoint.logs(filter, from, to).catch((error: unknown) => {
    throw new RangeRefused(endpoint.name, from, to, error)
  })
  const addresses = new Set(filter.addresses)
  const topics = new Set(filter.topics)
  const thirdTopics = filter.thirdTopics && new Set(filter.thirdTopics)
  for (const { address, topics: logTopics, blockNumber } of logs) {
    const hasTopics = topics.has(logTopics[0]!) && (thirdTopics?.has(logTopics[2]!) ?? true)
    if (blockNumber < from || blockNumber > to || !addresses.has(address) || !hasTopics) {
      throw new InconsistentReply(`${endpoint.name} returned a log that does not match the filter`)
    }
  }
  logs.sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
  for (const [index, { blockNumber, logIndex }] of logs.entries()) {
    const next = logs[index + 1]
    // Handlers add up what logs say: a transfer that comes twice would be in balances twice.
    if (next?.blockNumber === blockNumber && next.logIndex === logIndex) {
      throw new InconsistentReply(`${endpoint.name} returned log ${logIndex} of block ${blockNumber} twice`)
    }
  }
  return logs
}

async function readHeaders(
  endpoint: Endpoint,
  { before, withTimes }: RangeRequest,
  logs: readonly ChainLog[],
  { from, to, isFinal }: Pick<LogRange, 'from' | 'to' | 'isFinal'>,
): Promise<Map<number, BlockHeader>> {
  const numbers = isFinal
    ? [...new Set([...(withTimes ? logs.map(({ blockNumber }) => blockNumber) : []), to])]
    : Array.from({ length: to - from + 1 }, (_, index) => from + index)
  const headers = new Map<number, BlockHeader>()
  for (const [index, header] of (await endpoint.headers(numbers)).entries()) {
    if (header === null) throw new InconsistentReply(`${endpoint.name} has no block ${numbers[index]}`)
    headers.set(header.number, header)
  }
  for (const header of headers.values()) {
    const isFirst = before !== null && header.number === before.number + 1
    const parent = isFirst ? before : headers.get(header.number - 1)
    if (parent !== undefined && parent.hash !== header.parentHash) {
      throw new InconsistentReply(
        `${endpoint.name}: the parent of block ${header.number} is not the block before it`,
      )
    }
  }
  return headers
}
