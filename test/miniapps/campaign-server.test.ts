import { expect, it } from 'vitest'
import { createApiKey } from '../../src/features/apps/api-keys.js'
import { createApp } from '../../src/features/apps/apps.js'
import {
  acceptAll,
  answerWith,
  startClient,
} from '../../src/features/miniapps/campaigns/testing/client-simulator.js'
import { fidOf, fidsFrom, grantTokens } from '../../src/features/miniapps/campaigns/testing/token-rows.js'
import { createTestDatabase } from '../database.js'
import { startTestServer } from '../running-server.js'

const { db, url: databaseUrl } = await createTestDatabase()
const env = { ALLOW_PRIVATE_TARGETS: 'loopback', CRAWL_EMBEDS: 'false', NOTIFICATION_CONCURRENCY: '2' }
const clientFid = 9152
let createdApp = 0

async function createMiniApp() {
  createdApp += 1
  const domain = `server${createdApp}.example.com`
  const { id: appId } = await createApp(db, { name: `of the server ${createdApp}`, miniAppDomain: domain })
  const { key } = await createApiKey(db, { appId })
  const notification = { title: 'hello', body: 'it is your turn', target_url: `https://${domain}/` }
  async function callApi(
    server: { urls: { main: string } },
    query = '',
    body: object | undefined = undefined,
  ) {
    const reply = await fetch(`${server.urls.main}/v2/social/frame/notifications/${query}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { httpStatus: reply.status, ...((await reply.json()) as ReturnType<typeof JSON.parse>) }
  }
  return { appId, notification, callApi }
}

it('campaigns: sends within the request by default, respects rate limits, reports metrics', async () => {
  const server = await startTestServer(databaseUrl, env)
  const client = await startClient(({ tokens }, response) => {
    answerWith(response, {
      successfulTokens: tokens.filter((token) => fidOf(token) > 1),
      invalidTokens: tokens.filter((token) => fidOf(token) === 1),
    })
  })
  const { appId, notification, callApi } = await createMiniApp()
  await grantTokens(db, { appId, clientFid, url: client.url(), fids: fidsFrom(1, 250) })
  const sent = { httpStatus: 200, success_count: 249, failure_count: 1, not_attempted_count: 0 }
  expect(await callApi(server, '', { notification })).toMatchObject(sent)
  expect(await callApi(server, '', { notification })).toMatchObject({ success_count: 0, failure_count: 249 })
  const metrics = async () => await (await fetch(`${server.urls.main}/metrics`)).text()
  const counted = await metrics()
  expect(counted).toContain('plaza_notification_attempts_total{outcome="success"} 249')
  expect(counted).toContain('plaza_notification_attempts_total{outcome="invalid_token"} 1')
  // What the database answers late is left out of a reply.
  await expect.poll(metrics).toContain('plaza_notification_campaigns_queued 0')
})

it('campaigns: resumes after a restart and notifies nobody twice', async () => {
  const asyncEnv = { ...env, ASYNC_NOTIFICATIONS_ENABLED: 'true' }
  const first = await startTestServer(databaseUrl, asyncEnv)
  const held: (() => void)[] = []
  const client = await startClient((request, response) => void held.push(() => acceptAll(request, response)))
  const { appId, notification, callApi } = await createMiniApp()
  const everyone = fidsFrom(1, 10_000)
  await grantTokens(db, { appId, clientFid, url: client.url(), fids: everyone })
  const { httpStatus, campaign_id: id } = await callApi(first, '', { notification })
  expect(httpStatus).toBe(202)
  await expect.poll(() => held.length).toBeGreaterThan(0)
  const stopping = first.stop()
  // Running requests are awaited; the rest would take forty seconds.
  client.setResponse((request, response) => void setTimeout(() => acceptAll(request, response), 800))
  for (const answer of held) answer()
  await stopping
  const remaining = await db`select from miniapps.batches where campaign_id = ${id} and state = 'waiting'`
  expect(remaining.length).toBeGreaterThan(0)
  expect(await db`select from miniapps.batches where state = 'sending'`).toEqual([])

  client.setResponse(acceptAll)
  const second = await startTestServer(databaseUrl, asyncEnv)
  const campaign = async () => (await callApi(second, `?campaign_id=${id}`)).notificationCampaigns[0]
  await expect.poll(async () => (await campaign()).status).toBe('completed')
  expect((await campaign()).stats).toMatchObject({ successful_sends: everyone.length, pending_count: 0 })
  expect(client.notificationCounts().size).toBe(everyone.length)
  expect(new Set(client.notificationCounts().values())).toEqual(new Set([1]))
})

it('campaigns: a server finishes the synchronous campaign of a killed one', async () => {
  const { appId, notification } = await createMiniApp()
  const client = await startClient()
  await grantTokens(db, { appId, clientFid, url: client.url(), fids: [1, 2] })
  // As a killed server leaves it: the audience is selected, and a batch belongs to a dead sender.
  const [campaign] = await db<{ id: string; seq: number }[]>`
    insert into miniapps.campaigns (app_id, title, body, target_url, audience, state, audience_size, open_batches)
    values (${appId}, ${notification.title}, ${notification.body}, ${notification.target_url}, '{}', 'running', 2, 1)
    returning id, seq`
  const expiredSender = '00000000-0000-4000-8000-00000000dead'
  await db`insert into miniapps.senders (id, alive_until) values (${expiredSender}, now() + interval '1 minute')`
  await db`
    insert into miniapps.batches
      (campaign_id, campaign_seq, app_id, client_fid, host, turn, state, sender, fids, claimed_at)
    values (
      ${campaign!.id}, ${campaign!.seq}, ${appId}, ${clientFid}, ${new URL(client.url()).host}, 0, 'sending', ${expiredSender},
      '{1,2}', now()
    )`
  await startTestServer(databaseUrl, env)
  await expect
    .poll(() => db`select from miniapps.campaigns where id = ${campaign!.id} and state = 'completed'`)
    .toHaveLength(1)
  expect(client.notificationCounts().size).toBe(2)
})
