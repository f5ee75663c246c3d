import { type Listen, notifyLanes } from '../../../outbox/notify-lanes.js'
import type { Queryable } from '../../../platform/db/connection.js'
import { PlazaError } from '../../../platform/errors.js'
import { pause } from '../../../platform/process/pause.js'
import type { CampaignSettings } from './settings.js'

/** The NOTIFY channel that wakes the senders of campaigns, in whatever process they are. */
export const campaignChannel = 'campaigns'
/** The NOTIFY channel of campaigns that have ended. Its payload is the id of the campaign. */
export const campaignEndChannel = 'campaign_ends'

/** What operations need of campaigns. A sender in this process or another one does the work. */
export interface Campaigns {
  readonly settings: CampaignSettings
  /**
   * Wakes the senders.
   *
   * @param hosts Those with new batches; none for a sweep, which also finds queued campaigns.
   */
  wake(db: Queryable, hosts?: readonly string[]): Promise<void>
  /** Begins to listen for ends: afterwards `waitForEnd` misses none. */
  watchEnds(): Promise<void>
  /**
   * Waits until a campaign has ended, or until the time is over.
   *
   * @throws PlazaError `unavailable` when the server ends first.
   */
  waitForEnd(campaignId: string, limitMs: number): Promise<void>
  /** Ends every wait. */
  close(): Promise<void>
}

/** Makes the client of the senders. It opens nothing before the first `watchEnds`. */
export function createCampaigns({
  settings,
  listen,
}: {
  readonly settings: CampaignSettings
  readonly listen: Listen
}): Campaigns {
  const closing = new AbortController()
  const waiters = new Map<string, Set<AbortController>>()
  let listener: ReturnType<Listen> | null = null

  return {
    settings,
    wake: (db, hosts) => notifyLanes(db, campaignChannel, hosts),
    async watchEnds() {
      listener ??= listen(campaignEndChannel, (campaignId) => {
        for (const ended of waiters.get(campaignId) ?? []) ended.abort()
      })
      await listener.catch((error: unknown) => {
        listener = null
        throw error
      })
    },
    async waitForEnd(campaignId, limitMs) {
      const ended = new AbortController()
      const others = waiters.get(campaignId) ?? new Set()
      waiters.set(campaignId, others.add(ended))
      await pause(limitMs, AbortSignal.any([ended.signal, closing.signal]))
      others.delete(ended)
      if (others.size === 0) waiters.delete(campaignId)
      if (closing.signal.aborted)
        throw new PlazaError('unavailable', 'the server ends: what is left is sent when it is back')
    },
    async close() {
      closing.abort()
      await listener?.then((listening) => listening.unlisten()).catch(() => {})
    },
  }
}
