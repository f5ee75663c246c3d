import { inspect, isDeepStrictEqual } from 'node:util'
import type { Log } from '../../platform/log/log.js'
import { resultWithin } from '../../platform/process/pause.js'
import type { FollowedChain } from './chain-settings.js'
import { type Endpoint, openEndpoint } from './endpoint.js'
import { type HandledBlock, InconsistentReply } from './log-range.js'

/** Dependencies and callbacks of a `ChainRpc`. */
export interface ChainRpcOptions {
  readonly log: Log
  /** Milliseconds from any origin; in a server one that does not go back, for which a stall would last as long as the step. */
  readonly clock: () => number
  /** Called on every failure of an endpoint. */
  readonly onFailure?: (endpoint: string) => void
  /** Called on every mismatch between endpoints. */
  readonly onMismatch?: () => void
  /** Called with the newest block whenever it is recorded, by `recordHead`. */
  readonly onHead?: ((number: number) => void) | undefined
}

/** The answer of one endpoint. */
interface EndpointAnswer<T> {
  readonly index: number
  readonly endpoint: string
  readonly answer: T
}

/** Two RPC endpoints returned different answers: one is wrong, or they are at different blocks. */
export class RpcMismatch extends Error {}

/** The first URL is tried again after this time. */
const PREFER_FIRST_MS = 5 * 60_000
/** Time without a block after which a chain, or its RPC, counts as stopped: chains make one every few seconds. */
const STALLED_MS = 60_000
/** Callers repeat a mismatching call every few seconds; the log reports it this often. */
const REPORT_INTERVAL_MS = 60_000
/** Length of each answer in the log, enough to see which endpoint is wrong. */
const LOGGED_LENGTH = 600

/** RPC access to a chain. Uses the first URL until it fails, then the next. Checks each chain id. */
export class ChainRpc {
  readonly #endpoints: readonly { readonly endpoint: Endpoint; checked: boolean }[]
  #current = 0
  #switchedAtMs = 0
  #reportedAtMs = Number.NEGATIVE_INFINITY
  /** The newest block that the current endpoint reported, and since when. */
  #head = { number: -1, sinceMs: 0 }

  constructor(
    readonly chain: FollowedChain,
    private readonly options: ChainRpcOptions,
  ) {
    this.#endpoints = chain.rpcUrls.map((url) => ({ endpoint: openEndpoint(url), checked: false }))
  }

  /**
   * Runs `work` with one endpoint, so that its reads see one state of the chain; on failure with the next.
   * @throws the error of the last endpoint, if all fail.
   */
  async withEndpoint<T>(work: (endpoint: Endpoint) => Promise<T>): Promise<T> {
    const { clock } = this.options
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
   * Records the newest block. If an endpoint reports the same one for a minute, switches to the endpoint with
   * the highest block, if there is a higher one: a stalled endpoint does not fail.
   */
  async recordHead(number: number): Promise<void> {
    const { log, clock, onHead } = this.options
    onHead?.(number)
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
    log.warn({ network: this.chain.name, endpoint: name, head: number }, 'an RPC endpoint stalls')
    this.#current = furthest
    this.#switchedAtMs = clock()
  }

  /**
   * Calls all endpoints at once. Returns the answers of those that succeed, in the order of the URLs.
   *
   * @param timeoutMs An endpoint without an answer by then counts as failed.
   * @throws the error of the first endpoint, if all fail.
   */
  async requestAll<T>(work: (endpoint: Endpoint) => Promise<T>, timeoutMs?: number): Promise<T[]> {
    return (await this.#requestAll(work, timeoutMs)).map(({ answer }) => answer)
  }

  /**
   * Calls all endpoints and requires that all answers are equal, for what cannot be undone later. An endpoint
   * that lags must fail, not answer.
   *
   * @param comparedPart Selects the part of the answer that must be equal.
   * @throws RpcMismatch if answers differ.
   */
  async requestAgreed<T>(
    work: (endpoint: Endpoint) => Promise<T>,
    comparedPart: (answer: T) => unknown = (answer) => answer,
  ): Promise<T> {
    return this.#requireEqual(await this.#requestAll(work), comparedPart)
  }

  #requireEqual<T>(answers: readonly EndpointAnswer<T>[], comparedPart: (answer: T) => unknown): T {
    const first = answers[0]!.answer
    if (answers.every(({ answer }) => isDeepStrictEqual(comparedPart(answer), comparedPart(first))))
      return first
    this.#reportMismatch(answers.map((each) => ({ ...each, answer: comparedPart(each.answer) })))
    throw new RpcMismatch(`RPC endpoints of ${this.chain.name} returned different answers`)
  }

  /**
   * Calls all endpoints and requires that all answers are equal, and that two endpoints answer where there are two:
   * for what a single wrong endpoint must not decide.
   *
   * @param timeoutMs An endpoint without an answer by then counts as failed.
   * @throws RpcMismatch if answers differ; Error if too few endpoints answer.
   */
  async requestConfirmed<T>(work: (endpoint: Endpoint) => Promise<T>, timeoutMs: number): Promise<T> {
    const answers = await this.#requestAll(work, timeoutMs)
    this.#requireEnough(answers)
    return this.#requireEqual(answers, (answer) => answer)
  }

  /**
   * Requires that these blocks have left the chain. All endpoints are asked, each for its chain id anew, and two must answer
   * where there are two: one alone may have missed a hard fork, or have become one of another chain. An endpoint
   * that still has one of the blocks is used from now on.
   *
   * @throws InconsistentReply if an endpoint has one of the blocks; Error if too few endpoints answer.
   */
  async requireReplaced(blocks: readonly HandledBlock[]): Promise<void> {
    for (const each of this.#endpoints) each.checked = false
    const answers = await this.#requestAll((endpoint) => hashesInPlaceOf(endpoint, blocks))
    const keeping = answers.find(({ answer }) => blocks.some(({ hash }, index) => answer[index] === hash))
    if (keeping === undefined) return this.#requireEnough(answers)
    this.#reportMismatch(answers)
    this.#current = keeping.index
    this.#switchedAtMs = this.options.clock()
    throw new InconsistentReply(`${keeping.endpoint} has a block that another RPC has replaced`)
  }

  #requireEnough(answers: readonly unknown[]): void {
    const [count, needed] = [this.#endpoints.length, Math.min(2, this.#endpoints.length)]
    if (answers.length < needed) {
      throw new Error(`${answers.length} of ${count} RPC endpoints answered, and ${needed} must agree`)
    }
  }

  async #requestAll<T>(
    work: (endpoint: Endpoint) => Promise<T>,
    timeoutMs?: number,
  ): Promise<EndpointAnswer<T>[]> {
    const answers = await Promise.allSettled(
      this.#endpoints.map(async ({ endpoint }, index) => ({
        index,
        endpoint: endpoint.name,
        answer: await this.#requestWithin(timeoutMs, index, work),
      })),
    )
    const answer = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
    if (answer.length > 0) return answer
    throw answers.map((answer) => (answer.status === 'rejected' ? answer.reason : null))[0]
  }

  #reportMismatch(answers: readonly EndpointAnswer<unknown>[]): void {
    const { log, clock, onMismatch } = this.options
    onMismatch?.()
    if (clock() - this.#reportedAtMs < REPORT_INTERVAL_MS) return
    this.#reportedAtMs = clock()
    const logged = answers.map(({ endpoint, answer }) => ({
      endpoint,
      answer: inspect(answer, { breakLength: Number.POSITIVE_INFINITY }).slice(0, LOGGED_LENGTH),
    }))
    log.warn(
      { network: this.chain.name, answers: logged },
      'RPC endpoints returned different answers; waiting until they agree. If this persists, remove the wrong one from the RPC URLs and restart',
    )
  }

  async #requestWithin<T>(
    timeoutMs: number | undefined,
    index: number,
    work: (endpoint: Endpoint) => Promise<T>,
  ): Promise<T> {
    const requested = this.#request(index, work)
    if (timeoutMs === undefined) return await requested
    const result = await resultWithin(
      timeoutMs,
      requested.then((answer) => ({ answer })),
    )
    if (result !== null) return result.answer
    // Nobody waits for it any more.
    requested.catch(() => {})
    throw new Error(`${this.#endpoints[index]!.endpoint.name} did not answer in time`)
  }

  async #request<T>(index: number, work: (endpoint: Endpoint) => Promise<T>): Promise<T> {
    const requested = this.#endpoints[index]!
    try {
      await this.#check(requested)
      return await work(requested.endpoint)
    } catch (error) {
      const { log, onFailure } = this.options
      const { name } = requested.endpoint
      onFailure?.(name)
      log.debug({ err: error, network: this.chain.name, endpoint: name }, 'an RPC call failed')
      throw error
    }
  }

  async #check(current: { readonly endpoint: Endpoint; checked: boolean }): Promise<void> {
    if (current.checked) return
    const id = await current.endpoint.chainId()
    if (id !== this.chain.chainId) {
      throw new Error(`${current.endpoint.name} is on chain ${id}, not ${this.chain.chainId}`)
    }
    current.checked = true
  }

  /** Switches to the next endpoint, unless another failure of this one already did. */
  #switchEndpoint(index: number): void {
    if (this.#current !== index) return
    this.#current = (index + 1) % this.#endpoints.length
    this.#switchedAtMs = this.options.clock()
  }
}

/** Returns the hashes of the blocks at these numbers. @throws InconsistentReply if they are unknown. */
async function hashesInPlaceOf(
  endpoint: Endpoint,
  blocks: readonly HandledBlock[],
): Promise<(string | undefined)[]> {
  const headers = await endpoint.headers(blocks.map(({ number }) => number))
  const isKept = blocks.some(({ hash }, index) => headers[index]?.hash === hash)
  // A node that is behind does not know what is in place of the blocks.
  if (!isKept && headers.includes(null)) {
    throw new InconsistentReply(`${endpoint.name} does not have all blocks that were handled`)
  }
  return headers.map((header) => header?.hash)
}
