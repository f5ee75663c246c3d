import { type Outbox, type OutboxOptions, startOutbox } from '../../../../outbox/outbox.js'
import { WakeLoop } from '../../../../outbox/wake-loop.js'
import type { Database } from '../../../../platform/db/connection.js'
import { isLockTimeout, isRetryable, isTemporary } from '../../../../platform/db/connection-errors.js'
import type { Log } from '../../../../platform/log/log.js'
import { type QueuedCampaign, selectAudience } from '../audience/audience.js'
import { type BatchQueueOptions, createBatchQueue } from './batch-queue.js'
import { batchSenders } from './batch-senders.js'
import { removeCanceledBatches } from './campaign-end.js'

/** Dependencies of a sender of campaigns. */
export type CampaignSenderOptions = BatchQueueOptions &
  Pick<OutboxOptions<never, never, never>, 'lockDb' | 'listen' | 'clock'>

/** Starts a sender of campaigns: it selects the audiences of queued campaigns, and sends the batches that wait. */
export async function startCampaignSender(options: CampaignSenderOptions): Promise<Pick<Outbox, 'stop'>> {
  const { db, log, settings } = options
  const selector = createAudienceSelector(db, log, () => outbox.sweep())
  const outbox = await startOutbox({
    ...options,
    queue: createBatchQueue(options),
    workers: batchSenders,
    concurrency: settings.concurrency,
    onSweep: selector.wake,
  })
  return {
    async stop() {
      await Promise.all([selector.stop(), outbox.stop()])
    },
  }
}

/** A campaign whose audience could not be selected so often, for reasons that do not pass, has failed. */
const MAX_PERMANENT_FAILURES = 3
/**
 * A selection that the database has no time, memory, disk or lock for is tried for longer, from its first failure and behind the
 * others: what it lacks may come back, or this audience may need more than there will ever be.
 */
const MAX_FAILING_HOURS = 1
/** Tries that a campaign gets in any case: others may have taken the whole time since its first failure. */
const MIN_TRIES = 3
/** The greatest `smallint`. At two failures a second no campaign comes near it in its hour. */
const MAX_COUNTED_FAILURES = 32_767

/** Apps whose turns are remembered. */
const MAX_TURNS = 100

/**
 * Makes a loop that ends the batches of canceled campaigns and selects audiences, one at a time: in turns of the apps, of each
 * the oldest first, and those that have failed behind all others.
 *
 * @param db Statements that select an audience run for as long as it is large.
 * @param onSelected Called when a campaign has begun to run.
 */
export function createAudienceSelector(db: Database, log: Log, onSelected: () => void) {
  const stopping = new AbortController()
  const turns: string[] = []
  const loop = new WakeLoop({
    async step() {
      if (stopping.signal.aborted) return false
      await removeCanceledBatches(db)
      const hasSelected = await selectNextAudience(db, log, turns)
      if (hasSelected) onSelected()
      return hasSelected
    },
    signal: stopping.signal,
    log,
    failureMessage: 'queued campaigns wait for the database',
  })
  return {
    /** Looks for queued campaigns now. */
    wake: () => loop.wake(),
    /** Finishes the audience that is being selected. */
    async stop() {
      stopping.abort()
      await loop.idle()
    },
  }
}

/**
 * Selects the audience of the next queued campaign that no other sender is at. A process that dies meanwhile leaves
 * the campaign queued.
 *
 * @param turns Apps in the order of their last turns. One with many campaigns would keep the others waiting for an hour.
 * @returns false when there is none.
 */
async function selectNextAudience(db: Database, log: Log, turns: string[]): Promise<boolean> {
  let campaign: QueuedCampaign | undefined
  try {
    await db.begin(async (transaction) => {
      ;[campaign] = await transaction<QueuedCampaign[]>`
        select id, app_id as "appId", uuid, audience
        from miniapps.campaigns
        where state = 'queued'
        order by failures, coalesce(array_position(${db.types.texts(turns)}::text[]::uuid[], app_id), 0), seq
        limit 1
        for update skip locked`
      if (campaign !== undefined) takeTurn(turns, campaign.appId)
      if (campaign !== undefined) await selectAudience(transaction, campaign)
    })
  } catch (error) {
    if (campaign === undefined) throw error
    const isTransient = isTemporary(error) || isRetryable(error) || isLockTimeout(error)
    const hasFailed = await countFailure(db, campaign.id, isTransient)
    // The loop waits a moment, and tells of it once.
    if (isTransient && !hasFailed) throw error
    log.error({ err: error, campaign: campaign.id }, 'the audience of a campaign could not be selected')
  }
  return campaign !== undefined
}

function takeTurn(turns: string[], appId: string): void {
  const before = turns.indexOf(appId)
  if (before >= 0) turns.splice(before, 1)
  turns.push(appId)
  if (turns.length > MAX_TURNS) turns.shift()
}

/** Returns whether it was the last try: the campaign has failed. */
async function countFailure(db: Database, campaignId: string, isTransient: boolean): Promise<boolean> {
  const isLast = isTransient
    ? db`failures + 1 >= ${MIN_TRIES} and first_failed_at < now() - ${MAX_FAILING_HOURS} * interval '1 hour'`
    : db`permanent_failures + 1 >= ${MAX_PERMANENT_FAILURES}`
  const [row] = await db<{ hasFailed: boolean }[]>`
    update miniapps.campaigns
    set
      failures = least(failures + 1, ${MAX_COUNTED_FAILURES}),
      permanent_failures = permanent_failures + ${isTransient ? 0 : 1},
      first_failed_at = coalesce(first_failed_at, now()),
      state = case when ${isLast} then 'failed' else state end,
      audience = case when ${isLast} then '{}' else audience end,
      completed_at = case when ${isLast} then now() end
    where id = ${campaignId} and state = 'queued'
    returning state = 'failed' as "hasFailed"`
  return row?.hasFailed ?? false
}
