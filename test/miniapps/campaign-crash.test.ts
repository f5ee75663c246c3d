import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createApiKey } from '../../src/features/apps/api-keys.js'
import { createApp } from '../../src/features/apps/apps.js'
import {
  acceptAll,
  type ClientResponse,
  startClient,
} from '../../src/features/miniapps/campaigns/testing/client-simulator.js'
import { fidsFrom, grantTokens, tokenOf } from '../../src/features/miniapps/campaigns/testing/token-rows.js'
import { createTestDatabase } from '../database.js'
import { createDataDir, type ServerProcess, startServerProcess } from '../server-process.js'

/** `CAMPAIGN_CRASH_TOKENS=50000` is the target size, which takes a minute. */
const TOKENS = Number(process.env.CAMPAIGN_CRASH_TOKENS ?? 6_000)
const BATCHES = TOKENS / 100
const KILLS = 6
const CONCURRENCY = 3
const RESPONSE_MS = 15
const clients = [9152, 309857]

const { db, url: databaseUrl } = await createTestDatabase()

it('campaigns: repeated kills reach everyone, and repeat only requests in progress', async () => {
  const { env, dataDir, key, simulators, responseGate } = await setUpCampaign()
  const requests = () => simulators.reduce((sum, { requests: { length } }) => sum + length, 0)
  let server = await startServerProcess({ dataDir, env })
  const notification = { title: 'hello', body: 'it is your turn', target_url: 'https://app.example.com/' }
  const { status, campaign_id: id } = await callApi(server, key, 'frame/notifications', { notification })
  expect(status).toBe('queued')

  for (let kill = 0; kill < KILLS; kill += 1) {
    // The first kill comes during audience selection, the others while sending.
    const before = requests()
    const killTime = kill === 0 ? before : before + BATCHES / (KILLS + 2)
    responseGate.release(killTime - before)
    await expect.poll(requests, { interval: 5 }).toBeGreaterThanOrEqual(killTime)
    await sleep((kill * 7) % (2 * RESPONSE_MS))
    server.child.kill('SIGKILL')
    await server.ended
    responseGate.close()
    const open = await db`select from miniapps.campaigns where state in ('queued', 'running')`
    expect(open, `the campaign was over before kill ${kill}`).toHaveLength(1)
    server = await startServerProcess({ dataDir, env })
  }
  responseGate.release(Number.POSITIVE_INFINITY)
  const campaign = async () =>
    (await callApi(server, key, `frame/notifications?campaign_id=${id}`)).notificationCampaigns[0]
  await expect.poll(async () => (await campaign()).status, { interval: 100 }).toBe('completed')

  expect((await campaign()).stats).toMatchObject({
    intended_recipient_notification_token_count: TOKENS,
    successful_sends: TOKENS,
    successful_sends_by_app_fid: Object.fromEntries(clients.map((fid) => [fid, TOKENS / 2])),
    failure_count: 0,
    not_attempted_count: 0,
    pending_count: 0,
  })
  for (const [index, clientFid] of clients.entries()) {
    const { requests: acceptedCount, notificationCounts } = simulators[index]!
    const everyone = new Set(fidsFrom(1, TOKENS / 2).map((fid) => tokenOf(clientFid, fid)))
    expect(new Set(notificationCounts().keys())).toEqual(everyone)
    // Clients deduplicate by this id.
    expect(new Set(acceptedCount.map(({ notificationId }) => notificationId))).toEqual(new Set([id]))
    expect(acceptedCount.length - BATCHES / 2).toBeLessThanOrEqual(KILLS * 2 * CONCURRENCY)
  }
})

/** Creates a mini app with users at two slow clients. */
async function setUpCampaign() {
  const env = {
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: 'silent',
    ALLOW_PRIVATE_TARGETS: 'loopback',
    ASYNC_NOTIFICATIONS_ENABLED: 'true',
    NOTIFICATION_CONCURRENCY: String(CONCURRENCY),
    CRAWL_EMBEDS: 'false',
    SCORE_INTERVAL_HOURS: '0',
  }
  const { id: appId } = await createApp(db, { name: 'crash', miniAppDomain: 'app.example.com' })
  const { key } = await createApiKey(db, { appId })
  const responseGate = createResponseGate()
  const simulators = await Promise.all(clients.map(() => startClient(responseGate.answer)))
  for (const [index, clientFid] of clients.entries()) {
    await grantTokens(db, { appId, clientFid, url: simulators[index]!.url(), fids: fidsFrom(1, TOKENS / 2) })
  }
  return { env, dataDir: await createDataDir(), key, simulators, responseGate }
}

/** Delays responses and limits them, so that a campaign cannot end while this process sleeps. */
function createResponseGate() {
  let remaining = 0
  const waiting: (() => void)[] = []
  function waitForTurn(): void {
    for (; remaining > 0 && waiting.length > 0; remaining -= 1) setTimeout(waiting.shift()!, RESPONSE_MS)
  }
  const answer: ClientResponse = (request, response) => {
    waiting.push(() => acceptAll(request, response))
    waitForTurn()
  }
  return {
    answer,
    release(count: number) {
      remaining = count
      waitForTurn()
    },
    /** Drops waiting responses. */
    close() {
      remaining = 0
      waiting.length = 0
    },
  }
}

async function callApi({ url }: ServerProcess, key: string, path: string, body?: object) {
  const reply = await fetch(`${url}/v2/farcaster/${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return (await reply.json()) as ReturnType<typeof JSON.parse>
}
