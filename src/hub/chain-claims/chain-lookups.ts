import { type Refusal, refuse } from '../../platform/errors.js'
import type { CallerName } from '../../platform/limits/caller-name.js'
import { createCounter } from '../../platform/limits/counter.js'
import { limits } from '../../platform/limits/limits.js'
import { type ChainRpc, RpcMismatch } from '../chain/chain-rpc.js'
import { type ChainSettings, readChainSettings } from '../chain/chain-settings.js'
import { type ChainName, rpcUrlsVariable } from '../chain/chains.js'
import type { Endpoint } from '../chain/endpoint.js'

/** Chains that claims are verified on, by the reference node's names. */
const clientNames = { ethereum: 'EthMainnet', optimism: 'OptimismMainnet', base: 'BaseMainnet' } as const

/** A chain that claims are verified on. */
export type ClaimChain = keyof typeof clientNames

/** The confirmed answer of a chain, or why there is none. */
export type Lookup<T> = { readonly answer: T } | { readonly refusal: Refusal }

/** Outcomes of lookups, as metrics count them. */
export type LookupOutcome = 'answered' | 'mismatch' | 'failed' | 'overloaded' | 'not_configured'

/**
 * Bounded questions to chains on behalf of users. At most `maxConcurrent` of a chain run at once; others wait for as
 * long as one may take. A question ends after `timeoutMs`. All endpoints of a chain that answer must agree, and two must answer
 * where there are two.
 */
export interface ChainLookups {
  readonly contracts: ChainSettings['contracts']
  /** Whether the operator has set up RPC URLs of a chain. */
  isConfigured(chain: ClaimChain): boolean
  /** Asks a chain. Refuses if it is not set up, does not answer, or answers in two ways. */
  ask<T>(chain: ClaimChain, work: (endpoint: Endpoint) => Promise<T>): Promise<Lookup<T>>
  /** Counts a question of a user or an address against its limit; null if there is room, else the refusal. */
  countFor(asker: number | string): Refusal | null
}

export interface ChainLookupOptions {
  readonly rpcs: ReadonlyMap<ChainName, ChainRpc>
  readonly contracts: ChainSettings['contracts']
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly timeoutMs?: number
  readonly maxConcurrent?: number
  readonly maxWaiting?: number
  /** Called for every question. */
  readonly onOutcome?: (chain: ClaimChain, outcome: LookupOutcome) => void
}

const TIMEOUT_MS = 8_000
const MAX_CONCURRENT = 16
const MAX_WAITING = 1_000

/** Opens lookups on the RPC endpoints of the operator. */
export function createChainLookups(options: ChainLookupOptions): ChainLookups {
  const { rpcs, contracts, clock, timeoutMs = TIMEOUT_MS, onOutcome = () => {} } = options
  const { maxConcurrent = MAX_CONCURRENT, maxWaiting = MAX_WAITING } = options
  const counter = createCounter<number | string>(limits.chainLookups, clock)
  // A chain that does not answer keeps no turns from the others.
  const chains = new Map(
    [...rpcs].map(([chain, rpc]) => [chain, { rpc, turns: createTurns(maxConcurrent) }] as const),
  )

  async function askInTurn<T>(
    chain: ClaimChain,
    { rpc, turns }: { readonly rpc: ChainRpc; readonly turns: Turns },
    work: (endpoint: Endpoint) => Promise<T>,
  ): Promise<Lookup<T>> {
    const deadlineMs = clock() + timeoutMs
    await turns.take()
    try {
      if (clock() > deadlineMs) {
        onOutcome(chain, 'overloaded')
        return { refusal: refuse('unavailable', `too many questions wait for ${chain}: try again later`) }
      }
      const answer = await rpc.requestConfirmed(work, timeoutMs)
      onOutcome(chain, 'answered')
      return { answer }
    } catch (error) {
      onOutcome(chain, error instanceof RpcMismatch ? 'mismatch' : 'failed')
      return { refusal: refuse('unavailable', `${problemOf(error)} (${chain}): try again later`) }
    } finally {
      turns.pass()
    }
  }

  return {
    contracts,
    isConfigured: (chain) => rpcs.has(chain),
    async ask(chain, work) {
      const found = chains.get(chain)
      if (found === undefined) {
        onOutcome(chain, 'not_configured')
        return { refusal: notConfigured(chain) }
      }
      if (found.turns.waiting() < maxWaiting) return await askInTurn(chain, found, work)
      onOutcome(chain, 'overloaded')
      return { refusal: refuse('unavailable', `too many questions wait for ${chain}: try again later`) }
    },
    countFor(asker) {
      const { retryAfterSeconds = 0 } = counter.take(asker) ?? {}
      if (retryAfterSeconds === 0) return null
      return refuse(
        'bad_request.rate_limited',
        `too many names and wallets to look up: wait ${retryAfterSeconds} s`,
        { retryAfterSeconds },
      )
    },
  }
}

/** Lookups of one caller: what others ask about the same wallet does not use up its own. */
export function lookupsFor(lookups: ChainLookups, caller: CallerName): ChainLookups {
  return { ...lookups, countFor: (asker) => lookups.countFor(`${asker} of ${caller}`) }
}

type Turns = ReturnType<typeof createTurns>

/** Lets at most `maxConcurrent` run at once; others wait in the order in which they came. */
function createTurns(maxConcurrent: number) {
  const waiting: (() => void)[] = []
  let running = 0
  return {
    waiting: () => waiting.length,
    async take(): Promise<void> {
      if (running >= maxConcurrent) await new Promise<void>((resolve) => waiting.push(resolve))
      else running += 1
    },
    /** Hands the turn to the next in the queue. */
    pass(): void {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    },
  }
}

/** Lookups of a server without chains, which refuse every question. */
export const lookupsWithoutChains: ChainLookups = {
  contracts: readChainSettings({ rpcUrls: {} }).contracts,
  isConfigured: () => false,
  ask: async (chain) => ({ refusal: notConfigured(chain) }),
  countFor: () => null,
}

function notConfigured(chain: ClaimChain): Refusal {
  const problem = `No client configured for chain: ${clientNames[chain]}`
  return refuse('not_configured', `${problem} (${rpcUrlsVariable(chain)})`)
}

/** A text for the client: an RPC's own message may contain its URL, and so a key. */
function problemOf(error: unknown): string {
  return error instanceof RpcMismatch
    ? 'RPC endpoints returned different answers'
    : 'too few RPC endpoints answered'
}
