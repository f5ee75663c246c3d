import { hostOf } from '../../graph/project/embed-queue.js'
import type { Database } from '../../platform/db/connection.js'
import { HOUR_MS, MINUTE_MS } from '../../platform/durations.js'
import { type Refusal, refuse } from '../../platform/errors.js'
import type { CallerName } from '../../platform/limits/caller-name.js'
import { limits } from '../../platform/limits/limits.js'
import { createSlots } from '../../platform/limits/slots.js'
import type { ChargeWork } from '../../platform/limits/work-limits.js'
import { workPrices } from '../../platform/limits/work-prices.js'
import { reportFirstFailure } from '../../platform/log/first-failure.js'
import type { Log } from '../../platform/log/log.js'
import type { NetClient } from '../../platform/outbound/net-client.js'
import { pause } from '../../platform/process/pause.js'
import {
  CRAWL_DEADLINE_MS,
  type CrawlFailure,
  type CrawlResult,
  crawl,
  isCrawlResult,
  OEMBED_DEADLINE_MS,
} from './crawl.js'
import {
  type Claim,
  claimDue,
  claimUrl,
  type OnCrawled,
  releaseClaim,
  storeFailure,
  storeResult,
} from './queue.js'

export interface CrawlerOptions {
  readonly db: Database
  readonly client: NetClient
  readonly log: Log
  /** Most hosts visited at once. */
  readonly concurrency?: number
  /** How often an idle crawler polls the queue. */
  readonly pollMs?: number
  /** How long a claim lasts when its process dies. Must exceed the duration of an attempt. */
  readonly leaseMs?: number
  /** Delays after the first, second, … failed attempt of a URL. There is one attempt more than entries. */
  readonly retryDelaysMs?: readonly number[]
  readonly onCrawled?: OnCrawled
}

const CONCURRENCY = 16
const POLL_MS = 1_000
/** The deadlines of both requests plus time to store the results. */
const LEASE_MS = CRAWL_DEADLINE_MS + OEMBED_DEADLINE_MS + 20_000

const RETRY_DELAYS_MS = [MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS]

/** How long a crawl on demand waits for its host, and how often it retries. */
const HOST_WAIT_MS = 10_000
const HOST_POLL_MS = 100

const attemptsExhausted: CrawlFailure = {
  failure: 'every attempt was broken off',
  isTransient: false,
  retryAfterMs: 0,
}

/**
 * Crawls queued URLs in the background: one request at a time per host, many hosts at once, in any number of
 * processes. Failures are retried on a schedule, then given up.
 */
export class Crawler {
  readonly #stopping = new AbortController()
  readonly #inProgress = new Set<Promise<void>>()
  /** Last visited host in name order. */
  #lastHost = ''
  readonly #slots = createSlots(limits.crawls, limits.crawlsOfCaller)
  #running: Promise<void> | undefined
  /** Ends the pause of the loop, or the next one: capacity is free. */
  #idle = new AbortController()

  constructor(private readonly options: CrawlerOptions) {}

  /** Starts crawling the queue until `stop`. */
  start(): void {
    this.#running ??= this.#run()
  }

  /** Aborts running visits, releases their claims, and resolves when none is left. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#idle.abort()
    await this.#running
    await Promise.all(this.#inProgress)
  }

  /** Crawls everything that is due now, and resolves. */
  async drain(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      // A visit that ends during the poll frees a host that looked busy to it.
      const wasIdle = this.#inProgress.size === 0
      const claimed = await this.#claim()
      if (this.#inProgress.size > 0) await Promise.race(this.#inProgress)
      else if (claimed === 0 && wasIdle) return
    }
  }

  /**
   * Fetches a URL now, whatever is stored, and stores and returns the result; a refusal says why there is none.
   *
   * @throws PlazaError when the caller, or all callers together, have as many crawls as they may, or the caller has used up its
   * budget of work.
   */
  async crawlNow(url: string, caller: CallerName, charge: ChargeWork): Promise<CrawlResult | Refusal> {
    const host = hostOf(url)
    if (host === null)
      return refuse('bad_request.invalid_param', 'url must be an http or https URL of at most 2,048 bytes')
    const release = this.#slots.take(caller)
    try {
      await charge(workPrices.otherPage)
      const claim = await this.#waitForHost(url, host)
      if (claim === null) return refuse('unavailable', 'the host of this URL is busy')
      const result = await this.#attempt(claim)
      if (isCrawlResult(result)) return result
      if (this.#stopping.signal.aborted) return refuse('unavailable', 'the server is stopping')
      return refuse('bad_request.invalid_param', `nothing was found at this URL: ${result.failure}`)
    } finally {
      release()
    }
  }

  async #run(): Promise<void> {
    const { log, pollMs = POLL_MS } = this.options
    const { signal } = this.#stopping
    const poll = reportFirstFailure(
      () => this.#claim(),
      (error) => log.error({ err: error }, 'crawl queue poll failed: it is repeated'),
      () => log.info({}, 'the crawl queue is polled again'),
    )
    while (!signal.aborted) {
      await poll()
      if (!signal.aborted) await pause(pollMs, this.#idle.signal)
      this.#idle = new AbortController()
    }
  }

  /** Claims as many URLs as there is capacity for, and starts their visits. */
  async #claim(): Promise<number> {
    const { db, concurrency = CONCURRENCY, leaseMs = LEASE_MS } = this.options
    const count = concurrency - this.#inProgress.size
    if (count <= 0) return 0
    const claims = await claimDue(db, { count, leaseMs, after: this.#lastHost })
    this.#lastHost = claims.length === count ? (claims.at(-1)?.host ?? '') : ''
    for (const claim of claims) this.#track(this.#crawlClaim(claim))
    return claims.length
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => {
      this.#inProgress.delete(tracked)
      this.#idle.abort()
    })
    this.#inProgress.add(tracked)
  }

  /** Crawls one claim. A database error loses only this claim's lease. */
  async #crawlClaim(claim: Claim): Promise<void> {
    const { db, log, onCrawled, retryDelaysMs = RETRY_DELAYS_MS } = this.options
    try {
      // Attempts count from their start, so a count above the schedule means crashes.
      const isExhausted = claim.attempts > retryDelaysMs.length + 1
      if (isExhausted) await storeFailure(db, claim, attemptsExhausted, retryDelaysMs, onCrawled)
      else await this.#attempt(claim)
    } catch (error) {
      log.error({ err: error, host: claim.host }, 'crawling an embedded URL failed')
    }
  }

  async #attempt(claim: Claim): Promise<CrawlResult | CrawlFailure> {
    const { db, client, onCrawled, retryDelaysMs = RETRY_DELAYS_MS } = this.options
    const { signal } = this.#stopping
    const result = await crawl(client, claim.url, signal)
    if (isCrawlResult(result)) await storeResult(db, claim, result, onCrawled)
    else if (signal.aborted) await releaseClaim(db, claim)
    else await storeFailure(db, claim, result, retryDelaysMs, onCrawled)
    return result
  }

  async #waitForHost(url: string, host: string): Promise<Claim | null> {
    const { db, leaseMs = LEASE_MS } = this.options
    for (let waitedMs = 0; waitedMs < HOST_WAIT_MS; waitedMs += HOST_POLL_MS) {
      const claim = await claimUrl(db, url, host, leaseMs)
      if (claim !== null || this.#stopping.signal.aborted) return claim
      await pause(HOST_POLL_MS)
    }
    return null
  }
}
