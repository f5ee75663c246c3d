import { randomUUID } from 'node:crypto'
import type { Database } from '../../../../platform/db/connection.js'
import { silentLog } from '../../../../platform/log/log.js'
import type { NetClient } from '../../../../platform/outbound/net-client.js'
import { type Campaigns, createSender } from '../sending/sender.js'
import type { CampaignSettings } from '../settings.js'

/** Sends within the request, with the protocol's limits. */
const defaultSettings: CampaignSettings = {
  isAsync: false,
  intervalSeconds: 30,
  perDay: 100,
  concurrency: 8,
  // A busy test machine must not look like a client that does not respond.
  timeoutMs: 60_000,
}

/** Sends campaigns when a test requests it, without background workers. */
export function createTestCampaigns(
  db: Database,
  net: Pick<NetClient, 'request'>,
  overrides: Partial<CampaignSettings> = {},
): Campaigns {
  const settings = { ...defaultSettings, ...overrides }
  return { settings, sender: createSender({ db, net, settings, sender: randomUUID(), log: silentLog }) }
}
