import { type Listen, notifyLanes } from '../../../outbox/outbox-queue.js'
import type { Database, Queryable } from '../../../platform/db/connection.js'
import { PlazaError } from '../../../platform/errors.js'
import { pause } from '../../../platform/process/pause.js'
import { createLooks, createSelectionGates } from './selection-gates.js'

/**
 * Rate limits per token. Clients refuse more than one notification per 30 s and more than 100 a day; such
 * requests are not sent (docs/protocol.md §8.3).
 */
export interface RateLimits {
  readonly intervalSeconds: number
  readonly perDay: number
}

/** Operator settings of mini app notifications. */
export interface CampaignSettings extends RateLimits {
  /** Whether audiences above `SYNCHRONOUS_TOKENS` are queued. Otherwise every request waits until all is sent. */
  readonly isAsync: boolean
  /** Most concurrent requests to one client host. */
  readonly concurrency: number
  /** Timeout of a request to a client. */
  readonly timeoutMs: number
}

/** Larger audiences are queued when that is enabled (docs/compatibility.md §20.5). */
export const SYNCHRONOUS_TOKENS = 100

/** Tokens in one request to a client (docs/protocol.md §8.3). */
export const TOKENS_PER_BATCH = 100

/** The longest wait of a call for its end, a little shorter than the 600 s of its request. */
export const MAX_WAIT_MS = 590_000
/** The longest wait for all turns of a call. What gets the last one then has as long for its audience and the answer. */
export const MAX_TURN_WAIT_MS = 300_000

/** The NOTIFY channel that wakes the senders of campaigns, in whatever process they are. */
export const campaignChannel = 'campaigns'
/** The NOTIFY channel of campaigns that have ended. Its payload is the id of the campaign. */
export const campaignEndChannel = 'campaign_ends'

/** Interface of campaigns for operations. A sender in this process or another one does the work. */
export type Campaigns = ReturnType<typeof createCampaigns>

export interface CampaignOptions {
  readonly settings: CampaignSettings
  readonly listen: Listen
  /** Selects audiences within requests. The statement may take longer than those of other requests. */
  readonly db: Database
}

/** Makes the client of the senders. It opens nothing before the first `watchEnds`. */
export function createCampaigns({ settings, listen, db }: CampaignOptions) {
  const closing = new AbortController()
  const waiters = new Map<string, Set<AbortController>>()
  let listener: ReturnType<Listen> | null = null

  return {
    settings,
    /** Runs a look at a large audience. */
    look: createLooks(closing.signal),
    /** Runs a transaction that selects an audience within a request. */
    select: createSelectionGates({ db, isAsync: settings.isAsync, closing: closing.signal }),
    /** Wakes the senders of hosts with new batches; without hosts for a sweep, which also finds queued campaigns. */
    wake: async (db: Queryable, hosts?: readonly string[]): Promise<void> => {
      await notifyLanes(db, campaignChannel, hosts)
    },
    /** Begins to listen for ends: afterwards `waitForEnd` misses none. */
    async watchEnds(): Promise<void> {
      listener ??= listen(campaignEndChannel, (campaignId) => {
        for (const ended of waiters.get(campaignId) ?? []) ended.abort()
      })
      await listener.catch((error: unknown) => {
        listener = null
        throw error
      })
    },
    /**
     * Waits until a campaign has ended, or until the time is over.
     *
     * @throws PlazaError `unavailable` when the server ends first.
     */
    async waitForEnd(campaignId: string, limitMs: number): Promise<void> {
      const ended = new AbortController()
      const others = waiters.get(campaignId) ?? new Set()
      waiters.set(campaignId, others.add(ended))
      await pause(limitMs, AbortSignal.any([ended.signal, closing.signal]))
      others.delete(ended)
      if (others.size === 0) waiters.delete(campaignId)
      if (closing.signal.aborted)
        throw new PlazaError('unavailable', 'the server ends: what is left is sent when it is back')
    },
    /** Ends every wait, now and later: calls answer with their campaign while the server can still answer. */
    endWaits: () => closing.abort(),
    /** Ends every wait, and hears of no more ends. */
    async close(): Promise<void> {
      closing.abort()
      await listener?.then((listening) => listening.unlisten()).catch(() => {})
    },
  }
}
