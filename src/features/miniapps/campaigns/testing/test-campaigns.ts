import { randomUUID } from 'node:crypto'
import type { Database } from '../../../../platform/db/connection.js'
import { silentLog } from '../../../../platform/log/log.js'
import type { NetClient } from '../../../../platform/outbound/net-client.js'
import { type Campaigns, createSender } from '../sending/sender.js'
import type { CampaignSettings } from '../settings.js'

/** Everything within the request, by the rules of the protocol. */
const defaultSettings: CampaignSettings = {
  isAsync: false,
  intervalSeconds: 30,
  perDay: 100,
  concurrency: 8,
  // A machine that is busy with other things is no client that does not answer.
  timeoutMs: 60_000,
}

/** Sends campaigns whenever a test asks for it, and holds nothing in between. */
export function createTestCampaigns(
  db: Database,
  net: Pick<NetClient, 'request'>,
  overrides: Partial<CampaignSettings> = {},
): Campaigns {
  const settings = { ...defaultSettings, ...overrides }
  return { settings, sender: createSender({ db, net, settings, sender: randomUUID(), log: silentLog }) }
}
