import { inspect, isDeepStrictEqual } from 'node:util'
import type { Log } from '../../platform/log/log.js'
import type { ChainNetwork } from './chain-settings.js'
import { type Endpoint, openEndpoint } from './endpoint.js'

/** What the access to a network stands on. */
export interface ChainRpcOptions {
  readonly log: Log
  /** Unix milliseconds. */
  readonly clock: () => number
  /** Told of every failure of an endpoint. */
  readonly onFailure?: (endpoint: string) => void
  /** Told each time that endpoints do not agree. */
  readonly onMismatch?: () => void
}

/** What an endpoint says, by its name. */
interface EndpointAnswer<T> {
  readonly endpoint: string
  readonly answer: T
}

/** Two RPCs have told different things of the same. One of them lies, or they are of two minds for a moment. */
export class RpcMismatch extends Error {}

/** After so long, the first URL is tried again. */
const PREFER_FIRST_MS = 5 * 60_000
/** Chains make a block every few seconds: one that has made none for so long has stopped, or its RPC has. */
const STALLED_MS = 60_000
/** What waits for RPCs that differ asks every few seconds: so often it is told to whoever reads the log. */
const REPORT_INTERVAL_MS = 60_000
/** Of what an RPC says, so much is in the log: enough to see which one is wrong. */
const LOGGED_LENGTH = 600

/**
 * A network by its RPC URLs. The first is used until it fails, then the next one; each has to be of the right chain.
 */
export class ChainRpc {
  readonly network: ChainNetwork
  readonly #endpoints: readonly { readonly endpoint: Endpoint; checked: boolean }[]
  readonly #options: ChainRpcOptions
  #current = 0
  #switchedAtMs = 0
  #reportedAtMs = Number.NEGATIVE_INFINITY
  /** The newest block that the current endpoint has told, and since when. */
  #head = { number: -1, sinceMs: 0 }

  constructor(network: ChainNetwork, options: ChainRpcOptions) {
    this.network = network
    this.#options = options
    this.#endpoints = network.rpcUrls.map((url) => ({ endpoint: openEndpoint(url), checked: false }))
  }

  /**
   * Does something with one endpoint, so that all that is read is of one and the same view of the chain. When it
   * fails, it is done anew with the next one, until all have failed.
   *
   * @throws what the last one failed with.
   */
  async withEndpoint<T>(work: (endpoint: Endpoint) => Promise<T>): Promise<T> {
    const { clock } = this.#options
    if (this.#current !== 0 && clock() - this.#switchedAtMs > PREFER_FIRST_MS) this.#current = 0
    let failure: unknown
    const startIndex = this.#current
    for (let tried = 0; tried < this.#endpoints.length; tried += 1) {
      const index = (startIndex + tried) % this.#endpoints.length
      try {
        return await this.#request(index, work)
      } catch (error) {
        failure = error
        this.#switchEndpoint(index)
      }
    }
    throw failure
  }

  /**
   * Notes the newest block that was told. An endpoint that answers and tells the same for a minute is left for the one
   * that is furthest, if there is any: it stands still, which is no failure that `with` would see.
   */
  async recordHead(number: number): Promise<void> {
    const { log, clock } = this.#options
    if (number !== this.#head.number) this.#head = { number, sinceMs: clock() }
    if (clock() - this.#head.sinceMs < STALLED_MS || this.#endpoints.length === 1) return
    this.#head = { number, sinceMs: clock() }
    const heads = await Promise.allSettled(
      this.#endpoints.map((_, index) => this.#request(index, (endpoint) => endpoint.head())),
    )
    const headNumbers = heads.map((head) => (head.status === 'fulfilled' ? head.value : -1))
    const furthest = headNumbers.indexOf(Math.max(...headNumbers))
    if (headNumbers[furthest]! <= number) return
    const { name } = this.#endpoints[this.#current]!.endpoint
    log.warn({ network: this.network.name, endpoint: name, head: number }, 'an RPC stands still')
    this.#current = furthest
    this.#switchedAtMs = clock()
  }

  /**
   * Asks every endpoint at once.
   *
   * @returns what those say that answer, in the order of the URLs; at least one.
   * @throws what the first one failed with, when all have failed.
   */
  async requestAll<T>(work: (endpoint: Endpoint) => Promise<T>): Promise<T[]> {
    return (await this.#requestAll(work)).map(({ answer }) => answer)
  }

  /**
   * Asks for what cannot be taken back once it was believed: every endpoint is asked, and all that answer have to say the
   * same. One that is behind is to fail, not to answer.
   *
   * @param comparedPart What of it has to be the same.
   * @throws RpcsDiffer when it is not.
   */
  async requestAgreed<T>(
    work: (endpoint: Endpoint) => Promise<T>,
    comparedPart: (answer: T) => unknown = (answer) => answer,
  ): Promise<T> {
    const answers = await this.#requestAll(work)
    const first = answers[0]!.answer
    if (answers.every(({ answer }) => isDeepStrictEqual(comparedPart(answer), comparedPart(first))))
      return first
    this.#reportMismatch(answers.map(({ endpoint, answer }) => ({ endpoint, answer: comparedPart(answer) })))
    throw new RpcMismatch(`the RPCs of ${this.network.name} do not say the same`)
  }

  async #requestAll<T>(work: (endpoint: Endpoint) => Promise<T>): Promise<EndpointAnswer<T>[]> {
    const answers = await Promise.allSettled(
      this.#endpoints.map(async ({ endpoint }, index) => ({
        endpoint: endpoint.name,
        answer: await this.#request(index, work),
      })),
    )
    const answer = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
    if (answer.length > 0) return answer
    throw answers.map((answer) => (answer.status === 'rejected' ? answer.reason : null))[0]
  }

  #reportMismatch(answers: readonly EndpointAnswer<unknown>[]): void {
    const { log, clock, onMismatch } = this.#options
    onMismatch?.()
    if (clock() - this.#reportedAtMs < REPORT_INTERVAL_MS) return
    this.#reportedAtMs = clock()
    const logged = answers.map(({ endpoint, answer }) => ({
      endpoint,
      answer: inspect(answer, { breakLength: Number.POSITIVE_INFINITY }).slice(0, LOGGED_LENGTH),
    }))
    log.warn(
      { network: this.network.name, answers: logged },
      'RPCs do not say the same, and what rests on it waits until they do: if that stays so, one of them is wrong; take it out of the RPC URLs and start again',
    )
  }

  async #request<T>(index: number, work: (endpoint: Endpoint) => Promise<T>): Promise<T> {
    const requested = this.#endpoints[index]!
    try {
      await this.#check(requested)
      return await work(requested.endpoint)
    } catch (error) {
      const { log, onFailure } = this.#options
      const { name } = requested.endpoint
      onFailure?.(name)
      log.debug({ err: error, network: this.network.name, endpoint: name }, 'an RPC failed')
      throw error
    }
  }

  async #check(current: { readonly endpoint: Endpoint; checked: boolean }): Promise<void> {
    if (current.checked) return
    const id = await current.endpoint.chainId()
    if (id !== this.network.chainId) {
      throw new Error(`${current.endpoint.name} is of chain ${id}, not of ${this.network.chainId}`)
    }
    current.checked = true
  }

  /** Of many who fail at once, the first moves on; the others would move back. */
  #switchEndpoint(index: number): void {
    if (this.#current !== index) return
    this.#current = (index + 1) % this.#endpoints.length
    this.#switchedAtMs = this.#options.clock()
  }
}
