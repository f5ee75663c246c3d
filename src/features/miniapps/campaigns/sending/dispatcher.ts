import type { Database } from '../../../../platform/db/connection.js'
import type { Log } from '../../../../platform/log/log.js'
import type { NetAnswer, NetClient } from '../../../../platform/outbound/net-client.js'
import { isNetFailure, type NetFailure, netFailure } from '../../../../platform/outbound/net-failure.js'
import { pause } from '../../../../platform/process/pause.js'
import type { TokenOutcome } from '../outcome.js'
import type { CampaignSettings } from '../settings.js'
import { type BatchResult, type FailedToken, settleBatches } from './batch-results.js'
import { type ClaimedRequest, claimBatches } from './claim.js'
import { readClientResponse } from './client-response.js'
import { HostLanes } from './host-lanes.js'
import { notificationRequest } from './request.js'

/** What notifications are sent with. */
export interface DispatcherOptions {
  readonly db: Database
  readonly net: Pick<NetClient, 'request'>
  readonly settings: CampaignSettings
  /** Of this process. */
  readonly sender: string
  readonly log: Log
  /** Told of every token that was sent to. */
  readonly onAttempt?: (outcome: TokenOutcome, tokens: number) => void
  /** Told of campaigns of which nothing is left to be done. */
  readonly onEnded: (campaignIds: readonly string[]) => void
}

const RETRY_MS = 500
const STOP_POLL_MS = 5
/** Requests in hand, whatever the number of hosts: each holds up to 100 tokens. */
const MAX_REQUESTS = 1_024

interface OpenBatch extends BatchResult {
  readonly host: string
  readonly failedTokens: FailedToken[]
  requests: number
  responseCount: number
}

/**
 * Sends the batches that wait. One loop talks with the database: each round writes down what has come since the last
 * one and takes more for all hosts that have room, so that under load a statement carries dozens of batches, and a
 * single one waits for nobody.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions
  readonly #lanes: HostLanes
  readonly #abortController = new AbortController()
  /** Batches in hand; one whose users have moved between URLs takes several requests. */
  readonly #openBatches = new Map<number, OpenBatch>()
  #results: OpenBatch[] = []
  /** Something may wait in the queue. */
  #mayHaveMore = false
  /** It came since the last look at the queue began, which may not have seen it. */
  #wasWoken = false
  #afterHost = ''
  #loopPromise: Promise<void> | null = null

  constructor(options: DispatcherOptions) {
    this.#options = options
    this.#lanes = new HostLanes(options.settings.concurrency, (request) => this.#send(request))
  }

  /** Looks at the queue now. */
  wake(): void {
    if (this.#abortController.signal.aborted) return
    this.#mayHaveMore = true
    this.#wasWoken = true
    this.#ensureLoop()
  }

  /** Takes no more, and waits for what is under way. What has not begun is for others. */
  async stop(): Promise<void> {
    this.#abortController.abort()
    await this.#loopPromise
    this.#lanes.clear()
    while (this.#lanes.isSending) await shortPause()
    this.#ensureLoop()
    await this.#loopPromise
  }

  #ensureLoop(): void {
    this.#loopPromise ??= this.#loop().finally(() => {
      this.#loopPromise = null
      if (this.#abortController.signal.aborted) return
      // Something may have come in the moment in which the loop ended.
      if (this.#results.length > 0 || this.#wasWoken) this.#ensureLoop()
    })
  }

  async #loop(): Promise<void> {
    const { log } = this.#options
    const { signal } = this.#abortController
    for (let failures = 0; ; ) {
      try {
        const hasSettled = await this.#settle()
        const hasClaimed = await this.#claim()
        if (!hasSettled && !hasClaimed && !this.#wasWoken) return
        failures = 0
      } catch (error) {
        failures += 1
        if (failures === 1) log.error({ err: error }, 'notifications wait for the database')
        if (signal.aborted) return
        await pause(RETRY_MS, signal)
      }
    }
  }

  /** Whether there was something to be written down. */
  async #settle(): Promise<boolean> {
    const { db, sender, onEnded } = this.#options
    // A copy: more come while these are written down.
    const settled = [...this.#results]
    if (settled.length === 0) return false
    const ended = await settleBatches(db, sender, settled)
    this.#results = this.#results.slice(settled.length)
    for (const { host, requests } of settled) this.#lanes.release(host, requests)
    onEnded(ended)
    return true
  }

  /** Whether another look at the queue may find more. */
  async #claim(): Promise<boolean> {
    this.#wasWoken = false
    if (!this.#mayHaveMore || this.#abortController.signal.aborted || this.#lanes.size >= MAX_REQUESTS)
      return false
    const capacities = this.#lanes.capacities()
    if (capacities.length > 0 && capacities.every(({ batches }) => batches === 0)) return false
    const { db, sender, settings, onEnded } = this.#options
    const afterHost = this.#afterHost
    this.#mayHaveMore = false
    const claim = await claimBatches(db, {
      sender,
      settings,
      capacities,
      defaultCapacity: this.#lanes.defaultCapacity,
      afterHost,
    }).catch((error: unknown) => {
      this.#mayHaveMore = true
      throw error
    })
    this.#afterHost = claim.lastHost ?? ''
    const mayFindMore = claim.batches > 0 || claim.lastHost !== null || afterHost !== ''
    // Hosts without room have not been asked for anything.
    if (mayFindMore || capacities.some(({ batches }) => batches === 0)) this.#mayHaveMore = true
    this.#addRequests(claim.requests)
    onEnded(claim.endedCampaigns)
    return mayFindMore
  }

  #addRequests(requests: readonly ClaimedRequest[]): void {
    for (const { batchId, host } of requests) {
      const batch = this.#openBatches.get(batchId) ?? {
        batchId,
        host,
        failedTokens: [],
        requests: 0,
        responseCount: 0,
      }
      batch.requests += 1
      this.#openBatches.set(batchId, batch)
    }
    this.#lanes.add(requests)
  }

  async #send(request: ClaimedRequest): Promise<void> {
    const { settings, net, log } = this.#options
    const response = await net
      .request(notificationRequest(request, settings.timeoutMs))
      .catch((error: unknown) => {
        log.error({ err: error, batch: request.batchId }, 'a client could not be asked')
        return netFailure('connection', 'the request could not be made')
      })
    this.#handleResponse(request, response)
  }

  #handleResponse(request: ClaimedRequest, response: NetAnswer | NetFailure): void {
    const batch = this.#openBatches.get(request.batchId)
    // Of what the end of this process has cut off nobody knows whom it has told: it is sent again.
    if (batch === undefined || (isNetFailure(response) && response.kind === 'aborted')) {
      this.#openBatches.delete(request.batchId)
      return
    }
    batch.failedTokens.push(...this.#failedTokensOf(request, response))
    batch.responseCount += 1
    if (batch.responseCount < batch.requests) return
    this.#openBatches.delete(request.batchId)
    this.#results.push(batch)
    this.#ensureLoop()
  }

  #failedTokensOf({ tokens, fids }: ClaimedRequest, response: NetAnswer | NetFailure): FailedToken[] {
    const outcomes = readClientResponse(response, tokens)
    const failedTokens = tokens.flatMap((token, index): FailedToken[] => {
      const { outcome, httpStatus } = outcomes.get(token)!
      return outcome === 'success' ? [] : [{ fid: fids[index]!, token, outcome, httpStatus }]
    })
    const { onAttempt } = this.#options
    if (failedTokens.length < tokens.length) onAttempt?.('success', tokens.length - failedTokens.length)
    for (const { outcome } of failedTokens) onAttempt?.(outcome, 1)
    return failedTokens
  }
}

function shortPause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, STOP_POLL_MS))
}
