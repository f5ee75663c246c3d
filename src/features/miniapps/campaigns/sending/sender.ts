import type { Database } from '../../../../platform/db/connection.js'
import { PlazaError } from '../../../../platform/errors.js'
import type { Log } from '../../../../platform/log/log.js'
import type { NetClient } from '../../../../platform/outbound/net-client.js'
import { pause } from '../../../../platform/process/pause.js'
import type { Outcome } from '../outcome.js'
import type { CampaignSettings } from '../settings.js'
import { Dispatcher } from './dispatcher.js'
import { Gatherer } from './gatherer.js'

/** What campaigns are sent with. */
export interface SenderOptions {
  /** Statements that select an audience run for as long as it is large. */
  readonly db: Database
  readonly net: Pick<NetClient, 'request'>
  readonly settings: CampaignSettings
  /** Names this process: a UUID. */
  readonly sender: string
  readonly log: Log
  /** Told of every token that was sent to. */
  readonly onAttempt?: (outcome: Outcome, tokens: number) => void
}

/** What operations need of it. */
export interface CampaignSender {
  /** Selects the audiences of campaigns that are queued, and sends to them. */
  gather(): void
  /** Sends what waits. */
  dispatch(): void
  /**
   * Waits until nothing of a campaign is left to be done, or for the time that is given: other processes may have done
   * the rest.
   *
   * @throws PlazaError `unavailable` when the server ends first.
   */
  waitForEnd(campaignId: string, limitMs: number): Promise<void>
}

/** What operations send campaigns with. */
export interface Campaigns {
  readonly settings: CampaignSettings
  readonly sender: CampaignSender
}

/** A sender, and how it is ended. */
export interface RunningSender extends CampaignSender {
  /** Finishes what is under way. What has not begun is for others, or for the next start. */
  stop(): Promise<void>
}

/** Sends campaigns whenever it is asked to. */
export function createSender(options: SenderOptions): RunningSender {
  const stopping = new AbortController()
  const waiting = new Map<string, Set<() => void>>()
  const dispatcher = new Dispatcher({
    ...options,
    onEnded: (campaignIds) => {
      for (const id of campaignIds) for (const resolve of waiting.get(id) ?? []) resolve()
    },
  })
  const gatherer = new Gatherer({ ...options, onGathered: () => dispatcher.wake() })

  async function waitForEnd(campaignId: string, limitMs: number): Promise<void> {
    const isOver = new AbortController()
    const end = () => isOver.abort()
    const others = waiting.get(campaignId) ?? new Set()
    waiting.set(campaignId, others.add(end))
    stopping.signal.addEventListener('abort', end)
    await pause(limitMs, isOver.signal)
    stopping.signal.removeEventListener('abort', end)
    others.delete(end)
    if (others.size === 0) waiting.delete(campaignId)
    if (stopping.signal.aborted) {
      throw new PlazaError('unavailable', 'the server ends: what is left is sent when it is back')
    }
  }

  return {
    gather: () => gatherer.wake(),
    dispatch: () => dispatcher.wake(),
    waitForEnd,
    async stop() {
      stopping.abort()
      await gatherer.stop()
      await dispatcher.stop()
    },
  }
}
