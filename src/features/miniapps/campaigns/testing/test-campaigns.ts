import { randomUUID } from 'node:crypto'
import { Dispatcher } from '../../../../outbox/dispatcher.js'
import type { Database } from '../../../../platform/db/connection.js'
import { silentLog } from '../../../../platform/log/log.js'
import type { NetClient } from '../../../../platform/outbound/net-client.js'
import { type CampaignSettings, type Campaigns, createCampaigns } from '../campaign-client.js'
import { createBatchQueue } from '../sending/batch-queue.js'
import { createAudienceSelector } from '../sending/campaign-sender.js'

/** Sends within the request, with the protocol's limits. */
const defaultSettings: CampaignSettings = {
  isAsync: false,
  intervalSeconds: 30,
  perDay: 100,
  concurrency: 8,
  // A busy test machine must not look like a client that does not respond.
  timeoutMs: 60_000,
}

/** Makes campaigns with a sender of their own, which works only when they wake it, and hears of no others. */
export function createTestCampaigns(
  db: Database,
  net: Pick<NetClient, 'request'>,
  overrides: Partial<CampaignSettings> = {},
): Campaigns {
  const settings = { ...defaultSettings, ...overrides }
  const worker = randomUUID()
  let registration: Promise<unknown> | undefined
  const dispatcher = new Dispatcher({
    queue: createBatchQueue({ db, net, settings, log: silentLog }),
    worker,
    concurrency: settings.concurrency,
    clock: Date.now,
    log: silentLog,
  })
  const selector = createAudienceSelector(db, silentLog, () => dispatcher.sweep())
  return {
    ...createCampaigns({ settings, listen: db.listen, db }),
    async wake(_db, hosts = []) {
      registration ??=
        db`insert into miniapps.senders (id, alive_until) values (${worker}, 'infinity')`.execute()
      await registration
      if (hosts.length > 0) return dispatcher.wake(hosts)
      selector.wake()
      dispatcher.sweep()
    },
  }
}
