import { type Outbox, type OutboxOptions, startOutbox } from '../../../../outbox/outbox.js'
import { createAudienceSelector } from './audience-selector.js'
import { type BatchQueueOptions, batchSenders, createBatchQueue } from './batch-queue.js'

/** What a sender of campaigns is started with. */
export type CampaignSenderOptions = BatchQueueOptions &
  Pick<OutboxOptions<never, never, never>, 'lockDb' | 'listen' | 'clock'>

/** Starts a sender of campaigns: it selects the audiences of queued campaigns, and sends the batches that wait. */
export async function startCampaignSender(options: CampaignSenderOptions): Promise<Pick<Outbox, 'stop'>> {
  const { db, log, settings } = options
  const selector = createAudienceSelector({ db, log, onSelected: () => outbox.sweep() })
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
