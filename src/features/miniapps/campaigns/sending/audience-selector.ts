import type { Database } from '../../../../platform/db/connection.js'
import { isUnavailable } from '../../../../platform/db/connection-errors.js'
import type { Log } from '../../../../platform/log/log.js'
import { pause } from '../../../../platform/process/pause.js'
import { type QueuedCampaign, selectAudience } from '../audience/audience-selection.js'

/** What audiences are selected with. */
export interface AudienceSelectorOptions {
  readonly db: Database
  readonly log: Log
  /** Told when a campaign has begun to run. */
  readonly onSelected: () => void
}

const RETRY_MS = 500
/** A campaign whose audience could not be selected so often has failed. */
const MAX_FAILURES = 3

/** Selects the audiences of campaigns that are queued, one after the other, the oldest first. */
export class AudienceSelector {
  readonly #options: AudienceSelectorOptions
  readonly #abortController = new AbortController()
  #isRequested = false
  #loopPromise: Promise<void> | null = null

  constructor(options: AudienceSelectorOptions) {
    this.#options = options
  }

  /** Looks for campaigns now. */
  wake(): void {
    if (this.#abortController.signal.aborted) return
    this.#isRequested = true
    this.#loopPromise ??= this.#loop().finally(() => {
      this.#loopPromise = null
      if (this.#isRequested) this.wake()
    })
  }

  /** Finishes the one at hand. */
  async stop(): Promise<void> {
    this.#abortController.abort()
    await this.#loopPromise
  }

  async #loop(): Promise<void> {
    const { db, log, onSelected } = this.#options
    const { signal } = this.#abortController
    while (this.#isRequested && !signal.aborted) {
      try {
        this.#isRequested = false
        if (!(await selectNextAudience(db, log))) return
        this.#isRequested = true
        onSelected()
      } catch (error) {
        this.#isRequested = true
        log.error({ err: error }, 'queued campaigns wait for the database')
        await pause(RETRY_MS, signal)
      }
    }
  }
}

/**
 * Gathers the oldest queued campaign that nobody else is at. A process that dies meanwhile leaves it queued.
 *
 * @returns false when there is none.
 */
async function selectNextAudience(db: Database, log: Log): Promise<boolean> {
  let campaign: QueuedCampaign | undefined
  try {
    await db.begin(async (transaction) => {
      ;[campaign] = await transaction<QueuedCampaign[]>`
        select id, app_id as "appId", uuid, audience
        from miniapps.campaigns
        where state = 'queued'
        order by seq
        limit 1
        for update skip locked`
      if (campaign !== undefined) await selectAudience(transaction, campaign)
    })
  } catch (error) {
    if (campaign === undefined || isUnavailable(error)) throw error
    log.error({ err: error, campaign: campaign.id }, 'the audience of a campaign could not be selected')
    await countFailure(db, campaign.id)
  }
  return campaign !== undefined
}

async function countFailure(db: Database, campaignId: string): Promise<void> {
  await db`
    update miniapps.campaigns
    set
      failures = failures + 1,
      state = case when failures + 1 >= ${MAX_FAILURES} then 'failed' else state end,
      completed_at = case when failures + 1 >= ${MAX_FAILURES} then now() end
    where id = ${campaignId} and state = 'queued'`
}
