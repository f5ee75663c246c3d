import { expect, it } from 'vitest'
import { createTestDatabase } from '../../test/database.js'
import { TestUser } from '../../test/network.js'
import { startTestServer, type TestServer } from '../../test/running-server.js'
import { subscribe } from '../../test/webhooks/subscriber.js'
import { createApiKey } from '../features/apps/api-keys.js'
import { createApp } from '../features/apps/apps.js'
import { acceptAll, startClient } from '../features/miniapps/campaigns/testing/client-simulator.js'
import { fidsFrom, grantTokens } from '../features/miniapps/campaigns/testing/token-rows.js'
import { serveHttp } from '../platform/outbound/testing/loopback-server.js'
import { farcasterSecondsFromUnixMs } from '../protocol/time.js'

const { db, url } = await createTestDatabase()
const user = new TestUser(1)

const loopback = { ALLOW_PRIVATE_TARGETS: 'loopback', PLAZA_SECRET_KEY: 'k'.repeat(40) }
const quiet = { ...loopback, CRAWL_EMBEDS: 'false' }
/** Longer than a test may take: a stop ends by itself. */
const patient = { SHUTDOWN_TIMEOUT_MS: '600000' }
/** A stop waits for nobody. */
const hasty = { SHUTDOWN_TIMEOUT_MS: '30' }

/** A server on loopback that answers when it is told to. */
async function startSlowTarget() {
  const held: (() => void)[] = []
  const { origin } = await serveHttp((_request, response) => {
    held.push(() => response.writeHead(200, { 'content-type': 'text/html' }).end('<title>late</title>'))
  })
  return {
    origin,
    held,
    answer: () => {
      for (const release of held.splice(0)) release()
    },
  }
}

/** Merges a cast of the user. */
async function cast(server: TestServer, text: string, embeds: { url: string }[] = []): Promise<void> {
  await server.hub.submitOnChainEvents(user.onChain())
  const now = farcasterSecondsFromUnixMs(Date.now())
  expect(await server.hub.submit([user.cast(text, now, { embeds })])).toEqual([null])
}

async function untilRefused({ urls }: TestServer): Promise<void> {
  await expect.poll(() => fetch(`${urls.main}/healthz`).catch(() => 'refused')).toBe('refused')
}

it('a request that has begun is answered, and others find no server', async () => {
  const server = await startTestServer(url, { ...quiet, ...patient, HUB_PORT: '0' })
  const addresses = [server.urls.main, server.urls.hub!]
  const { answers, stopped } = await db.begin(async (transaction) => {
    await transaction`lock table hub.username_proofs`
    const pending = addresses.map((address) => fetch(`${address}/v1/userNameProofsByFid?fid=1`))
    const waiting = () => db`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%username_proofs%'`
    await expect.poll(waiting).toHaveLength(2)
    const stopping = server.stop()
    for (const address of addresses) {
      await expect.poll(() => fetch(`${address}/v1/info`).catch(() => 'refused')).toBe('refused')
    }
    return { answers: Promise.all(pending), stopped: stopping }
  })
  for (const answer of await answers) {
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close'])
  }
  await stopped
  expect(await db`select from app.processes`).toEqual([])
})

it('a server that is told to stop goes on answering for a while, and says that it is not ready', async () => {
  const server = await startTestServer(url, { ...quiet, SHUTDOWN_DELAY_MS: '8000', HUB_PORT: '0' })
  const ready = async () => {
    const { status, headers } = await fetch(`${server.urls.main}/readyz`)
    return [status, headers.get('connection')]
  }
  await expect.poll(ready).toEqual([200, 'keep-alive'])
  const stopping = server.stop()
  const asked = ['main/readyz', 'main/healthz', 'hub/v1/info'].map(async (place) => {
    const [name, path] = [place.slice(0, place.indexOf('/')), place.slice(place.indexOf('/'))]
    const { status, headers } = await fetch(`${server.urls[name as 'main' | 'hub']}${path}`)
    return [place, status, headers.get('connection')]
  })
  expect(await Promise.all(asked)).toEqual([
    ['main/readyz', 503, 'close'],
    ['main/healthz', 200, 'close'],
    ['hub/v1/info', 200, 'close'],
  ])
  await stopping
  await untilRefused(server)
})

it('a request that does not end is cut off', async () => {
  const server = await startTestServer(url, { ...quiet, ...hasty, HUB_PORT: '0' })
  const body = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from([1])) })
  const headers = { 'content-type': 'application/octet-stream' }
  const init = { method: 'POST', body, headers, duplex: 'half' } as RequestInit
  const requests = [server.urls.main, server.urls.hub!].map((address) =>
    fetch(`${address}/v1/submitMessage`, init).catch(() => 'cut'),
  )
  // Connections are accepted in order.
  for (const address of [server.urls.main, server.urls.hub!]) await fetch(`${address}/v1/info`)
  await server.stop()
  expect(await Promise.all(requests)).toEqual(['cut', 'cut'])
})

it('a delivery that has begun ends before the server', async () => {
  const target = await startSlowTarget()
  const server = await startTestServer(url, { ...quiet, ...patient })
  const { webhook_id: id } = await subscribe(server, target.origin, { 'cast.created': {} })
  await cast(server, 'delivered')
  await expect.poll(() => target.held).toHaveLength(1)
  const stopping = server.stop()
  await untilRefused(server)
  target.answer()
  await stopping
  expect(await db`select state, attempts from webhooks.deliveries where webhook_id = ${id}`).toEqual([
    { state: 'delivered', attempts: 1 },
  ])
})

it('a delivery that does not end in time is broken off, and is due again', async () => {
  const target = await startSlowTarget()
  const server = await startTestServer(url, { ...quiet, ...hasty, WEBHOOK_TIMEOUT_MS: '60000' })
  const { webhook_id: id } = await subscribe(server, target.origin, { 'cast.created': {} })
  await cast(server, 'broken off')
  await expect.poll(() => target.held).toHaveLength(1)
  await server.stop()
  expect(await db`select state from webhooks.deliveries where webhook_id = ${id}`).toEqual([
    { state: 'waiting' },
  ])
})

/** Starts a campaign on a server that a client has not answered yet. */
async function startCampaign(name: string, server: TestServer) {
  const held: (() => void)[] = []
  const client = await startClient((request, response) => void held.push(() => acceptAll(request, response)))
  const { id: appId } = await createApp(db, { name, miniAppDomain: `${name}.example.com` })
  const { key } = await createApiKey(db, { appId })
  await grantTokens(db, { appId, clientFid: 9152, url: client.url(), fids: fidsFrom(1, 150) })
  const target_url = `https://${name}.example.com/`
  const reply = await fetch(`${server.urls.main}/v2/farcaster/frame/notifications`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ notification: { title: 'hello', body: 'your turn', target_url } }),
  })
  const { campaign_id: id } = (await reply.json()) as { campaign_id: string }
  await expect.poll(() => held).toHaveLength(2)
  const states = async () =>
    (await db<{ state: string }[]>`select state from miniapps.batches where campaign_id = ${id}`).map(
      ({ state }) => state,
    )
  return { held, states }
}

it('notifications that are being sent end before the server, or are due again', async () => {
  const env = { ...quiet, ASYNC_NOTIFICATIONS_ENABLED: 'true', NOTIFICATION_TIMEOUT_MS: '60000' }
  const server = await startTestServer(url, { ...env, ...patient })
  const { held, states } = await startCampaign('patient', server)
  const stopping = server.stop()
  await untilRefused(server)
  for (const answer of held) answer()
  await stopping
  expect(await states()).toEqual(['ended', 'ended'])
  const other = await startTestServer(url, { ...env, ...hasty })
  const brokenOff = await startCampaign('hasty', other)
  await other.stop()
  expect(await brokenOff.states()).toEqual(['waiting', 'waiting'])
})

it('a call that waits for its notifications answers with its campaign before the server ends', async () => {
  const server = await startTestServer(url, {
    ...quiet,
    SHUTDOWN_TIMEOUT_MS: '9000',
    NOTIFICATION_TIMEOUT_MS: '60000',
  })
  const held: string[] = []
  const client = await startClient((_request, response) => void held.push(String(response.writableEnded)))
  const { id: appId } = await createApp(db, { name: 'waiting', miniAppDomain: 'waiting.example.com' })
  const { key } = await createApiKey(db, { appId })
  await grantTokens(db, { appId, clientFid: 9152, url: client.url(), fids: [1] })
  const notification = { title: 'hello', body: 'your turn', target_url: 'https://waiting.example.com/' }
  const call = fetch(`${server.urls.main}/v2/farcaster/frame/notifications`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ notification, target_fids: [1] }),
  })
  await expect.poll(() => held).toHaveLength(1)
  const stopping = server.stop()
  const reply = await call
  const [campaign] = await db<{ id: string }[]>`select id from miniapps.campaigns where app_id = ${appId}`
  expect(reply.status).toBe(503)
  expect(await reply.json()).toMatchObject({ message: expect.stringContaining(campaign!.id) })
  await stopping
})

it('a page that is being crawled goes back to the queue, and the next server crawls it', async () => {
  const target = await startSlowTarget()
  const embedded = `${target.origin}/page`
  const state = async () =>
    (await db`select state, attempts, lease from embeds.urls where url = ${embedded}`)[0]
  const server = await startTestServer(url, { ...loopback, ...patient })
  await cast(server, 'look', [{ url: embedded }])
  await expect.poll(() => target.held.length).toBe(1)
  await server.stop()
  expect(await state()).toEqual({ state: 'pending', attempts: 0, lease: null })
  const next = await startTestServer(url, loopback)
  await expect.poll(() => target.held.length).toBe(2)
  target.answer()
  await expect.poll(state).toMatchObject({ state: 'done' })
  await next.stop()
})

it('an import that waits for its source does not delay the end of the server', async () => {
  let requests = 0
  const { origin } = await serveHttp((_request, response) => {
    requests += 1
    response.writeHead(429, { 'retry-after': '600' }).end()
  })
  const server = await startTestServer(url, { ...quiet, ...patient, FNAME_REGISTRY_URL: origin })
  await expect.poll(() => requests).toBe(1)
  await server.stop()
  expect(requests).toBe(1)
})

it('the last requests of a key are counted before the server ends', async () => {
  const server = await startTestServer(url, {
    ...quiet,
    ROLES: 'api',
    PLAZA_DEV_API_KEY: 'counted-at-the-end',
  })
  const { id: appId } = await createApp(db, { name: 'counted' })
  const { key } = await createApiKey(db, { appId })
  const headers = { 'x-api-key': key }
  await (await fetch(`${server.urls.main}/v2/farcaster/user/bulk?fids=1`, { headers })).text()
  await server.stop()
  expect(
    await db`
      select operation, requests from apps.usage u join apps.api_keys k on k.id = u.key_id where k.app_id = ${appId}`,
  ).toEqual([{ operation: 'GET user/bulk', requests: 1 }])
})

it('a part that cannot be stopped fails the stop, and the others stop still', async () => {
  const server = await startTestServer(url, quiet, () => {})
  await server.get('user/bulk?fids=1')
  await db`alter table apps.usage rename to usage_away`
  await expect(server.stop()).rejects.toThrow('relation "apps.usage" does not exist')
  await db`alter table apps.usage_away rename to usage`
  expect(await db`select from app.processes`).toEqual([])
  const sessions = () => db`
    select from pg_stat_activity
    where datname = current_database() and application_name like 'plaza %' and application_name <> 'plaza test'`
  await expect.poll(sessions).toEqual([])
})
