import type { Database } from '../../../../platform/db/connection.js'
import { PlazaError } from '../../../../platform/errors.js'
import type { Log } from '../../../../platform/log/log.js'
import type { NetClient } from '../../../../platform/outbound/net-client.js'
import { pause } from '../../../../platform/process/pause.js'
import type { TokenOutcome } from '../outcome.js'
import type { CampaignSettings } from '../settings.js'
import { AudienceSelector } from './audience-selector.js'
import { Dispatcher } from './dispatcher.js'

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
  readonly onAttempt?: (outcome: TokenOutcome, tokens: number) => void
}

/** What operations need of it. */
export interface CampaignSender {
  /** Selects the audiences of campaigns that are queued, and sends to them. */
  selectAudiences(): void
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
  const abortController = new AbortController()
  const waitersByCampaign = new Map<string, Set<() => void>>()
  const dispatcher = new Dispatcher({
    ...options,
    onEnded: (campaignIds) => {
      for (const id of campaignIds) for (const resolve of waitersByCampaign.get(id) ?? []) resolve()
    },
  })
  const audienceSelector = new AudienceSelector({ ...options, onSelected: () => dispatcher.wake() })

  async function waitForEnd(campaignId: string, limitMs: number): Promise<void> {
    const ended = new AbortController()
    const resolveWait = () => ended.abort()
    const waiters = waitersByCampaign.get(campaignId) ?? new Set()
    waitersByCampaign.set(campaignId, waiters.add(resolveWait))
    abortController.signal.addEventListener('abort', resolveWait)
    await pause(limitMs, ended.signal)
    abortController.signal.removeEventListener('abort', resolveWait)
    waiters.delete(resolveWait)
    if (waiters.size === 0) waitersByCampaign.delete(campaignId)
    if (abortController.signal.aborted) {
      throw new PlazaError('unavailable', 'the server ends: what is left is sent when it is back')
    }
  }

  return {
    selectAudiences: () => audienceSelector.wake(),
    dispatch: () => dispatcher.wake(),
    waitForEnd,
    async stop() {
      abortController.abort()
      await audienceSelector.stop()
      await dispatcher.stop()
    },
  }
}
