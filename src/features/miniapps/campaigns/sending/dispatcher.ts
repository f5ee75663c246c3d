import type { Database } from '../../../../platform/db/connection.js'
import type { Log } from '../../../../platform/log/log.js'
import type { NetAnswer, NetClient } from '../../../../platform/outbound/net-client.js'
import { isNetFailure, type NetFailure, netFailure } from '../../../../platform/outbound/net-failure.js'
import { pause } from '../../../../platform/process/pause.js'
import type { Outcome } from '../outcome.js'
import type { CampaignSettings } from '../settings.js'
import { readAnswer } from './answer.js'
import { type ClaimedRequest, claimBatches } from './claim.js'
import { HostLanes } from './host-lanes.js'
import { requestOf } from './request.js'
import { type BatchResult, type Missed, settleBatches } from './settle.js'

/** What notifications are sent with. */
export interface DispatcherOptions {
  readonly db: Database
  readonly net: Pick<NetClient, 'request'>
  readonly settings: CampaignSettings
  /** Of this process. */
  readonly sender: string
  readonly log: Log
  /** Told of every token that was sent to. */
  readonly onAttempt?: (outcome: Outcome, tokens: number) => void
  /** Told of campaigns of which nothing is left to be done. */
  readonly onEnded: (campaignIds: readonly string[]) => void
}

const RETRY_MS = 500
const STOP_POLL_MS = 5
/** Requests in hand, whatever the number of hosts: each holds up to 100 tokens. */
const MAX_REQUESTS = 1_024

interface OpenBatch extends BatchResult {
  readonly host: string
  readonly missed: Missed[]
  requests: number
  answered: number
}

/**
 * Sends the batches that wait. One loop talks with the database: each round writes down what has come since the last
 * one and takes more for all hosts that have room, so that under load a statement carries dozens of batches, and a
 * single one waits for nobody.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions
  readonly #lanes: HostLanes
  readonly #stopping = new AbortController()
  /** Batches in hand; one whose users have moved between URLs takes several requests. */
  readonly #open = new Map<number, OpenBatch>()
  #results: OpenBatch[] = []
  /** Something may wait in the queue. */
  #wanted = false
  /** It came since the last look at the queue began, which may not have seen it. */
  #woken = false
  #afterHost = ''
  #working: Promise<void> | null = null

  constructor(options: DispatcherOptions) {
    this.#options = options
    this.#lanes = new HostLanes(options.settings.parallel, (request) => this.#send(request))
  }

  /** Looks at the queue now. */
  wake(): void {
    if (this.#stopping.signal.aborted) return
    this.#wanted = true
    this.#woken = true
    this.#work()
  }

  /** Takes no more, and waits for what is under way. What has not begun is for others. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#working
    this.#lanes.clear()
    while (this.#lanes.isSending) await pauseShortly()
    this.#work()
    await this.#working
  }

  #work(): void {
    this.#working ??= this.#loop().finally(() => {
      this.#working = null
      if (this.#stopping.signal.aborted) return
      // Something may have come in the moment in which the loop ended.
      if (this.#results.length > 0 || this.#woken) this.#work()
    })
  }

  async #loop(): Promise<void> {
    const { log } = this.#options
    const { signal } = this.#stopping
    for (let failures = 0; ; ) {
      try {
        const hasSettled = await this.#settle()
        const hasClaimed = await this.#claim()
        if (!hasSettled && !hasClaimed && !this.#woken) return
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
    this.#woken = false
    if (!this.#wanted || this.#stopping.signal.aborted || this.#lanes.size >= MAX_REQUESTS) return false
    const rooms = this.#lanes.rooms()
    if (rooms.length > 0 && rooms.every(({ batches }) => batches === 0)) return false
    const { db, sender, settings, onEnded } = this.#options
    const afterHost = this.#afterHost
    this.#wanted = false
    const claim = await claimBatches(db, {
      sender,
      settings,
      rooms,
      hostRoom: this.#lanes.hostRoom,
      afterHost,
    }).catch((error: unknown) => {
      this.#wanted = true
      throw error
    })
    this.#afterHost = claim.lastHost ?? ''
    const mayFindMore = claim.batches > 0 || claim.lastHost !== null || afterHost !== ''
    // Hosts without room have not been asked for anything.
    if (mayFindMore || rooms.some(({ batches }) => batches === 0)) this.#wanted = true
    this.#take(claim.requests)
    onEnded(claim.endedCampaigns)
    return mayFindMore
  }

  #take(requests: readonly ClaimedRequest[]): void {
    for (const { batchId, host } of requests) {
      const batch = this.#open.get(batchId) ?? { batchId, host, missed: [], requests: 0, answered: 0 }
      batch.requests += 1
      this.#open.set(batchId, batch)
    }
    this.#lanes.take(requests)
  }

  async #send(request: ClaimedRequest): Promise<void> {
    const { settings, net, log } = this.#options
    const answer = await net.request(requestOf(request, settings.timeoutMs)).catch((error: unknown) => {
      log.error({ err: error, batch: request.batchId }, 'a client could not be asked')
      return netFailure('connection', 'the request could not be made')
    })
    this.#takeAnswer(request, answer)
  }

  #takeAnswer(request: ClaimedRequest, answer: NetAnswer | NetFailure): void {
    const batch = this.#open.get(request.batchId)
    // Of what the end of this process has cut off nobody knows whom it has told: it is sent again.
    if (batch === undefined || (isNetFailure(answer) && answer.kind === 'aborted')) {
      this.#open.delete(request.batchId)
      return
    }
    batch.missed.push(...this.#missedBy(request, answer))
    batch.answered += 1
    if (batch.answered < batch.requests) return
    this.#open.delete(request.batchId)
    this.#results.push(batch)
    this.#work()
  }

  #missedBy({ tokens, fids }: ClaimedRequest, answer: NetAnswer | NetFailure): Missed[] {
    const said = readAnswer(answer, tokens)
    const missed = tokens.flatMap((token, index): Missed[] => {
      const { outcome, httpStatus } = said.get(token)!
      return outcome === 'success' ? [] : [{ fid: fids[index]!, token, outcome, httpStatus }]
    })
    const { onAttempt } = this.#options
    if (missed.length < tokens.length) onAttempt?.('success', tokens.length - missed.length)
    for (const { outcome } of missed) onAttempt?.(outcome, 1)
    return missed
  }
}

function pauseShortly(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, STOP_POLL_MS))
}
