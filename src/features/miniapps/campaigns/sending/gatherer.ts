import type { Database } from '../../../../platform/db/connection.js'
import { isUnavailable } from '../../../../platform/db/connection-errors.js'
import type { Log } from '../../../../platform/log/log.js'
import { pause } from '../../../../platform/process/pause.js'
import { type GatheredCampaign, gatherAudience } from '../audience/gather.js'

/** What audiences are selected with. */
export interface GathererOptions {
  readonly db: Database
  readonly log: Log
  /** Told when a campaign has begun to run. */
  readonly onGathered: () => void
}

const RETRY_MS = 500
/** A campaign whose audience could not be selected so often has failed. */
const MAX_FAILURES = 3

/** Selects the audiences of campaigns that are queued, one after the other, the oldest first. */
export class Gatherer {
  readonly #options: GathererOptions
  readonly #stopping = new AbortController()
  #wanted = false
  #working: Promise<void> | null = null

  constructor(options: GathererOptions) {
    this.#options = options
  }

  /** Looks for campaigns now. */
  wake(): void {
    if (this.#stopping.signal.aborted) return
    this.#wanted = true
    this.#working ??= this.#loop().finally(() => {
      this.#working = null
      if (this.#wanted) this.wake()
    })
  }

  /** Finishes the one at hand. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#working
  }

  async #loop(): Promise<void> {
    const { db, log, onGathered } = this.#options
    const { signal } = this.#stopping
    while (this.#wanted && !signal.aborted) {
      try {
        this.#wanted = false
        if (!(await gatherNext(db, log))) return
        this.#wanted = true
        onGathered()
      } catch (error) {
        this.#wanted = true
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
async function gatherNext(db: Database, log: Log): Promise<boolean> {
  let taken: GatheredCampaign | undefined
  try {
    await db.begin(async (transaction) => {
      ;[taken] = await transaction<GatheredCampaign[]>`
        select id, app_id as "appId", uuid, audience
        from miniapps.campaigns
        where state = 'queued'
        order by seq
        limit 1
        for update skip locked`
      if (taken !== undefined) await gatherAudience(transaction, taken)
    })
  } catch (error) {
    if (taken === undefined || isUnavailable(error)) throw error
    log.error({ err: error, campaign: taken.id }, 'the audience of a campaign could not be selected')
    await countFailure(db, taken.id)
  }
  return taken !== undefined
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
