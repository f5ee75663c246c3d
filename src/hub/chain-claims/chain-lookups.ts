import { type Refusal, refuse } from '../../platform/errors.js'
import { createCounter } from '../../platform/limits/counter.js'
import { limits } from '../../platform/limits/limits.js'
import { type ChainRpc, RpcMismatch } from '../chain/chain-rpc.js'
import { type ChainSettings, readChainSettings } from '../chain/chain-settings.js'
import type { Endpoint } from '../chain/endpoint.js'
import { type NetworkName, rpcUrlsVariable } from '../chain/networks.js'

/** Networks that claims are verified on, by the reference node's names. */
const clientNames = { ethereum: 'EthMainnet', optimism: 'OptimismMainnet', base: 'BaseMainnet' } as const

/** A network that claims are verified on. */
export type ClaimNetwork = keyof typeof clientNames

/** The confirmed answer of a chain, or why there is none. */
export type Lookup<T> = { readonly answer: T } | { readonly refusal: Refusal }

/** Outcomes of lookups, as metrics count them. */
export type LookupOutcome = 'answered' | 'mismatch' | 'failed' | 'overloaded' | 'not_configured'

/**
 * Bounded questions to chains on behalf of users. At most `maxConcurrent` of a network run at once; others wait for as
 * long as one may take. A question ends after `timeoutMs`. All endpoints of a network that answer must agree, and two must answer
 * where there are two.
 */
export interface ChainLookups {
  readonly contracts: ChainSettings['contracts']
  /** Whether the operator has set up RPC URLs of a network. */
  isConfigured(network: ClaimNetwork): boolean
  /** Asks a network. Refuses if it is not set up, does not answer, or answers in two ways. */
  ask<T>(network: ClaimNetwork, work: (endpoint: Endpoint) => Promise<T>): Promise<Lookup<T>>
  /** Counts a question of a user or an address against its limit; null if there is room, else the refusal. */
  countFor(asker: number | string): Refusal | null
}

export interface ChainLookupOptions {
  readonly rpcs: ReadonlyMap<NetworkName, ChainRpc>
  readonly contracts: ChainSettings['contracts']
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly timeoutMs?: number
  readonly maxConcurrent?: number
  readonly maxWaiting?: number
  /** Called for every question. */
  readonly onOutcome?: (network: ClaimNetwork, outcome: LookupOutcome) => void
}

const TIMEOUT_MS = 8_000
const MAX_CONCURRENT = 16
const MAX_WAITING = 1_000

/** Opens lookups on the RPC endpoints of the operator. */
export function createChainLookups(options: ChainLookupOptions): ChainLookups {
  const { rpcs, contracts, clock, timeoutMs = TIMEOUT_MS, onOutcome = () => {} } = options
  const { maxConcurrent = MAX_CONCURRENT, maxWaiting = MAX_WAITING } = options
  const counter = createCounter<number | string>(limits.chainLookups, clock)
  // A network that does not answer keeps no turns from the others.
  const networks = new Map(
    [...rpcs].map(([network, rpc]) => [network, { rpc, turns: createTurns(maxConcurrent) }] as const),
  )

  async function askInTurn<T>(
    network: ClaimNetwork,
    { rpc, turns }: { readonly rpc: ChainRpc; readonly turns: Turns },
    work: (endpoint: Endpoint) => Promise<T>,
  ): Promise<Lookup<T>> {
    const deadlineMs = clock() + timeoutMs
    await turns.take()
    try {
      if (clock() > deadlineMs) {
        onOutcome(network, 'overloaded')
        return { refusal: refuse('unavailable', `too many questions wait for ${network}: try again later`) }
      }
      const answer = await rpc.requestConfirmed(work, timeoutMs)
      onOutcome(network, 'answered')
      return { answer }
    } catch (error) {
      onOutcome(network, error instanceof RpcMismatch ? 'mismatch' : 'failed')
      return { refusal: refuse('unavailable', `${problemOf(error)} (${network}): try again later`) }
    } finally {
      turns.pass()
    }
  }

  return {
    contracts,
    isConfigured: (network) => rpcs.has(network),
    async ask(network, work) {
      const found = networks.get(network)
      if (found === undefined) {
        onOutcome(network, 'not_configured')
        return { refusal: notConfigured(network) }
      }
      if (found.turns.waiting() < maxWaiting) return await askInTurn(network, found, work)
      onOutcome(network, 'overloaded')
      return { refusal: refuse('unavailable', `too many questions wait for ${network}: try again later`) }
    },
    countFor(asker) {
      const { retryAfterSeconds = 0 } = counter.take(asker) ?? {}
      if (retryAfterSeconds === 0) return null
      return refuse(
        'bad_request.rate_limited',
        `too many names and wallets to look up: wait ${retryAfterSeconds} s`,
      )
    },
  }
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
  ask: async (network) => ({ refusal: notConfigured(network) }),
  countFor: () => null,
}

function notConfigured(network: ClaimNetwork): Refusal {
  const problem = `No client configured for chain: ${clientNames[network]}`
  return refuse('not_configured', `${problem} (${rpcUrlsVariable(network)})`)
}

/** A text for the client: an RPC's own message may contain its URL, and so a key. */
function problemOf(error: unknown): string {
  return error instanceof RpcMismatch
    ? 'RPC endpoints returned different answers'
    : 'too few RPC endpoints answered'
}
