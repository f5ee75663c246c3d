import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { createApp } from '../../../apps/apps.js'
import { createApiKey } from '../../../apps/api-keys.js'
import { accepts, answerWith, startClient } from '../../../miniapps/campaigns/testing/client-simulator.js'
import { testCampaigns } from '../../../miniapps/campaigns/testing/test-campaigns.js'
import { fidOf, fidsFrom, grantTokens, tokenOf } from '../../../miniapps/campaigns/testing/token-rows.js'
import type { CampaignSettings } from '../../../miniapps/campaigns/settings.js'
import { createNetClient } from '../../../net/net-client.js'
import { createTestApi, type TestApi } from '../../testing/test-api.js'

const { db } = await createTestDatabase()
const net = createNetClient({ policy: { allowHttp: true, allowLoopback: true }, userAgent: 'plaza test' })
afterAll(() => net.close())

const CLIENT = 9152
let apps = 0

/** A mini app of its own, and the API as it asks. */
async function createMiniApp(settings: Partial<CampaignSettings> = {}) {
  apps += 1
  const domain = `app${apps}.example.com`
  const { id: appId } = await createApp(db, { name: `mini app ${apps}`, miniAppDomain: domain })
  const { key } = await createApiKey(db, { appId })
  const api = await createTestApi({ db, net, key, campaigns: testCampaigns(db, net, settings) })
  const notification = { title: 'hello', body: 'it is your turn', target_url: `https://${domain}/play` }
  return { appId, api, notification, send: (body: object = {}) => sendTo(api, { notification, ...body }) }
}

async function sendTo(api: TestApi, body: object) {
  const reply = await api.send('POST', 'frame/notifications', body)
  return { status: reply.statusCode, ...reply.json() }
}

it('notifies everyone who has notifications enabled, in requests of up to 100 tokens', async () => {
  const client = await startClient()
  const { appId, notification, send } = await createMiniApp()
  await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(), fids: fidsFrom(1, 250) })
  await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(), fids: [1000], state: 'disabled' })

  const result = await send()

  expect(result).toEqual({
    status: 200,
    campaign_id: expect.any(String),
    success_count: 250,
    failure_count: 0,
    not_attempted_count: 0,
    retryable_fids: [],
  })
  expect(client.requests.map(({ tokens }) => tokens.length).sort()).toEqual([100, 100, 50])
  expect(client.told()).toEqual(new Map(fidsFrom(1, 250).map((fid) => [tokenOf(CLIENT, fid), 1])))
  for (const { tokens: _, ...said } of client.requests) {
    expect(said).toEqual({
      notificationId: result.campaign_id,
      title: notification.title,
      body: notification.body,
      targetUrl: notification.target_url,
    })
  }
})
