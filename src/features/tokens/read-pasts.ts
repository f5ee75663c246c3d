import type { Hex } from 'viem'
import type { ChainRpc } from '../../hub/chain/chain-rpc.js'
import { Follower, type FollowerParts } from '../../hub/chain/follower.js'
import { RangeRefused } from '../../hub/chain/log-range.js'
import type { Log } from '../../platform/log/log.js'
import { pause } from '../../platform/process/pause.js'
import { historyHandler, type TokenWithPast } from './history-handler.js'
import { historyFollower } from './kept-tokens.js'
import { isReady, readTokens, type Token } from './token.js'
import { findFirstBlock } from './token-details.js'

/** What reads the pasts of a network's tokens. */
export interface PastsParts extends FollowerParts {
  readonly log: Log
}

export interface ReadingOptions extends PastsParts {
  /** How long it waits when there is nothing to read. */
  readonly pollMs: number
}

/** Steps for one token before it is the next one's turn, so that a large one does not hold up small ones. */
const STEPS_IN_A_ROW = 20
const RETRY_MS = 5_000

/**
 * Reads the pasts of all tokens of a network that are to be kept, one after the other, until it is stopped.
 *
 * @returns stops it; the step under way is finished.
 */
export function startReadingPasts({ pollMs, ...parts }: ReadingOptions): () => Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping
  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        const moved = await readPasts(parts, signal)
        if (!moved) await pause(pollMs, signal)
      } catch (error) {
        const { network } = parts.rpc
        parts.log.warn({ err: error, network: network.name }, 'could not read the past of a token')
        await pause(RETRY_MS, signal)
      }
    }
  }
  const running = run()
  return async () => {
    stopping.abort()
    await running
  }
}

/**
 * Reads on in the pasts of a network's tokens, some steps for each. One that fails holds up no other.
 *
 * @returns whether anything was read.
 * @throws what the first one has failed with, after all others had their turn.
 */
export async function readPasts(parts: PastsParts, signal?: AbortSignal): Promise<boolean> {
  const { db, rpc } = parts
  let moved = false
  const failures: unknown[] = []
  for (const token of await readTokens(db, { network: rpc.network.name, onlyKept: true })) {
    if (signal?.aborted) return moved
    try {
      if (token.firstBlock === null) await lookForFirstBlock(parts, token)
      else if (hasPast(token) && !isReady(token)) moved = (await readPast(parts, token, signal)) || moved
    } catch (cause) {
      failures.push(new Error(`${historyFollower(token)} goes no further`, { cause }))
    }
  }
  if (failures.length > 0) throw failures[0]
  return moved
}

function hasPast(token: Token): token is TokenWithPast {
  return token.firstBlock !== null && token.liveFrom !== null
}

async function lookForFirstBlock(
  { db, rpc }: { db: PastsParts['db']; rpc: ChainRpc },
  token: Token,
): Promise<void> {
  const address: Hex = `0x${token.address.toString('hex')}`
  const first = await rpc.with((endpoint) => findFirstBlock(endpoint, address))
  await db`update assets.tokens set first_block = ${first}::bigint where id = ${token.id} and first_block is null`
}

async function readPast(parts: PastsParts, token: TokenWithPast, signal?: AbortSignal): Promise<boolean> {
  const follower = new Follower(historyHandler(token), parts)
  let moved = false
  try {
    for (let steps = 0; steps < STEPS_IN_A_ROW && !signal?.aborted; steps += 1) {
      const outcome = await follower.step().catch((error: unknown) => {
        // It is asked for less in the next step.
        if (error instanceof RangeRefused && follower.span > 1) return 'refused' as const
        throw error
      })
      if (outcome === 'moved') moved = true
      else if (outcome !== 'refused') break
    }
  } finally {
    await follower.release()
  }
  await forgetFollower(parts, token)
  return moved
}

/** When all is read, its cursor is of no use any more. */
async function forgetFollower({ db }: PastsParts, { id }: Token): Promise<void> {
  await db`
    delete from chain.followers f
    using assets.tokens t
    where t.id = ${id} and t.read_to >= t.live_from
      and f.name = t.network || '/token/0x' || encode(t.address, 'hex')
  `
}
