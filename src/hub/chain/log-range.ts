import type { Hex } from 'viem'
import type { BlockHeader, ChainLog, Endpoint, LogFilter } from './endpoint.js'

/** A block that has been handled. */
export interface HandledBlock {
  readonly number: number
  readonly hash: Hex
}

/** What a follower wants to read next. */
export interface RangeRequest {
  /** The first block that has not been handled. */
  readonly from: number
  /** The last block that may be read, inclusive; without it, whatever there is. */
  readonly until?: number
  /** Most blocks. */
  readonly span: number
  /** How many blocks above it make a block final. */
  readonly confirmations: number
  /** Whether only final blocks are wanted. */
  readonly confirmedOnly: boolean
  /** The last block that was handled; null before the first. */
  readonly before: HandledBlock | null
  /** Null when there is nothing to look for. */
  readonly filter: LogFilter | null
  /** Whether headers are needed of all blocks that have logs: for their times. */
  readonly withTimes: boolean
}

/** Logs of consecutive blocks. */
export interface LogRange {
  readonly from: number
  /** Inclusive. */
  readonly to: number
  /** In the order of the chain. */
  readonly logs: readonly ChainLog[]
  /** Of the last block; of every block, when they may still be taken back; of blocks with logs where times are wanted. */
  readonly headers: ReadonlyMap<number, BlockHeader>
  /** Whether all its blocks are final. */
  readonly isFinal: boolean
  /** The newest block of the chain. */
  readonly head: number
}

/** What was found: a range, nothing new, or that what was handled last is no longer of the chain. */
export type RangeResult =
  | { readonly state: 'range'; readonly range: LogRange }
  | { readonly state: 'caughtUp'; readonly head: number }
  | { readonly state: 'reorged'; readonly head: number }

/** An RPC has said what cannot be: it is behind, it lies, or the chain has just changed. */
export class InconsistentReply extends Error {}

/** `eth_getLogs` has failed: perhaps for a smaller range it would not. */
export class RangeRefused extends Error {}

/**
 * Reads what comes next, and holds it against itself: blocks follow each other, logs are in them and are such as were
 * asked for, and the endpoint knows all blocks that it says nothing happened in.
 *
 * @throws UntrueReply, RangeRefused, or whatever the RPC fails with.
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
      throw new InconsistentReply(`${endpoint.name} gave a log of another block ${log.blockNumber}`)
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
    throw new RangeRefused(`${endpoint.name} gave no logs of blocks ${from} to ${to}`, { cause: error })
  })
  const addresses = new Set(filter.addresses)
  const topics = new Set(filter.topics)
  for (const { address, topics: logTopics, blockNumber } of logs) {
    if (blockNumber < from || blockNumber > to || !addresses.has(address) || !topics.has(logTopics[0]!)) {
      throw new InconsistentReply(`${endpoint.name} gave a log that was not asked for`)
    }
  }
  return logs.sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
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
        `${endpoint.name}: block ${header.number} does not follow the one before it`,
      )
    }
  }
  return headers
}
