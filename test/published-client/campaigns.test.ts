import { isApiErrorResponse } from '@neynar/nodejs-sdk'
import { afterAll, expect, it } from 'vitest'
import { createTestApi } from '../../src/app/testing/test-api.js'
import { createApiKey } from '../../src/features/apps/api-keys.js'
import { createApp } from '../../src/features/apps/apps.js'
import { answerWith, startClient } from '../../src/features/miniapps/campaigns/testing/client-simulator.js'
import { createTestCampaigns } from '../../src/features/miniapps/campaigns/testing/test-campaigns.js'
import { fidOf, fidsFrom, grantTokens } from '../../src/features/miniapps/campaigns/testing/token-rows.js'
import { createNetClient } from '../../src/platform/outbound/net-client.js'
import { createTestDatabase } from '../database.js'
import { connectClient } from './served-api.js'

const { db } = await createTestDatabase()
const net = createNetClient({ policy: { allowHttp: true, allowLoopback: true }, userAgent: 'plaza test' })
const { id: appId } = await createApp(db, { name: 'garden', miniAppDomain: 'garden.example.com' })
const { key } = await createApiKey(db, { appId })
const campaigns = createTestCampaigns(db, net, { isAsync: true, intervalSeconds: 0 })
const { app } = await createTestApi({ db, net, key, campaigns })
const client = connectClient(await app.listen({ host: '127.0.0.1', port: 0 }), key)
afterAll(async () => {
  await app.close()
  await net.close()
})
const clientFid = 9152
const notification = { title: 'hello', body: 'it is your turn', target_url: 'https://garden.example.com/' }

it('sends to a few and to many, and reads what came of it', async () => {
  const simulator = await startClient(({ tokens }, response) => {
    answerWith(response, {
      successfulTokens: tokens.filter((token) => fidOf(token) !== 7),
      rateLimitedTokens: tokens.filter((token) => fidOf(token) === 7),
    })
  })
  await grantTokens(db, { appId, clientFid, url: simulator.url(), fids: fidsFrom(1, 150) })

  const few = await client.publishFrameNotifications({ notification, targetFids: [1, 7] })
  expect(few).toEqual({
    campaign_id: expect.any(String),
    success_count: 1,
    failure_count: 1,
    not_attempted_count: 0,
    retryable_fids: [7],
    notification_deliveries: [
      { object: 'notification_delivery', fid: 1, status: 'success', app_fid: clientFid },
      { object: 'notification_delivery', fid: 7, status: 'failed', app_fid: clientFid },
    ],
  })

  const filters = { exclude_fids: [7], minimum_user_score: 0 }
  const many = await client.publishFrameNotifications({ notification, targetFids: [], filters })
  expect(many).toEqual({ campaign_id: expect.any(String), status: 'queued' })
  const stats = () => client.getNotificationCampaignStats({ campaignId: many.campaign_id })
  await expect.poll(async () => (await stats()).notificationCampaigns[0]?.status).toBe('completed')
  expect((await stats()).notificationCampaigns).toMatchObject([
    {
      id: many.campaign_id,
      title: notification.title,
      stats: {
        intended_recipient_app_fids: [clientFid],
        successful_sends: 149,
        successful_sends_by_app_fid: { [clientFid]: 149 },
        error_breakdown: { delivery_errors: {}, http_errors: {} },
      },
    },
  ])
  const { notificationCampaigns, next } = await client.getNotificationCampaignStats({ limit: 1 })
  expect(notificationCampaigns.map(({ id }) => id)).toEqual([many.campaign_id])
  const rest = await client.getNotificationCampaignStats({ cursor: next.cursor! })
  expect(rest.notificationCampaigns.map(({ id }) => id)).toEqual([few.campaign_id])
})

it('fails with the list of faults that the client knows', async () => {
  const wrong = { ...notification, title: 'x'.repeat(33) }
  const refused = await client
    .publishFrameNotifications({ notification: wrong })
    .catch((error: unknown) => error)
  expect(isApiErrorResponse(refused) && refused.response).toMatchObject({
    status: 400,
    data: {
      code: 'InvalidField',
      message: expect.any(String),
      errors: [
        {
          code: 'too_big',
          expected: 'a text of 1 to 32 characters',
          message: 'notification.title must be a text of 1 to 32 characters',
          path: ['notification', 'title'],
          received: 'a text of 33 characters',
        },
      ],
    },
  })
})
