import { expect, it } from 'vitest'
import { setWebhookLimits } from '../../src/features/webhooks/limits.js'
import { createTestDatabase } from '../database.js'
import { TestUser } from '../network.js'
import { startTestServer } from '../running-server.js'
import { startReceiver } from './receiver.js'
import { callApi, retryNow, subscribe, webhookEnv } from './subscriber.js'

const { db, url: databaseUrl } = await createTestDatabase()
const alice = new TestUser(1)
const now = () => Math.floor(Date.now() / 1000) - 1_609_459_200
const casts = (word: string, count: number) =>
  Array.from({ length: count }, (_, n) => alice.cast(`${word} ${n}`, now() - 30))
const filter = (word: string) => ({ 'cast.created': { text: `^${word}` } })

async function start(env: Record<string, string> = {}) {
  const server = await startTestServer(databaseUrl, { ...webhookEnv, ...env })
  await server.hub.submitOnChainEvents(alice.onChain({ units: 10 }))
  return server
}

it('webhook targets: receive at most their rate limit, the rest waits', async () => {
  const server = await start()
  const receiver = await startReceiver()
  const { webhook_id } = await subscribe(server, receiver.url, filter('limited'))
  await setWebhookLimits(db, webhook_id, { rateLimit: 5, rateLimitMs: 2_000 })
  const countedAtMs = Date.now()
  await db`update webhooks.lanes set allowance = 5, counted_at = now() where webhook_id = ${webhook_id}`
  await server.hub.submit(casts('limited', 12))
  const received = await receiver.waitForCount(12)
  // Five at once, then seven more, one per 400 ms.
  expect(received.at(-1)!.atMs - countedAtMs).toBeGreaterThan(2_700)
  expect(new Set(received.map(({ body }) => body.event_id)).size).toBe(12)
})

it('webhook targets: Retry-After pauses all their deliveries', async () => {
  const server = await start()
  let isBusy = true
  const receiver = await startReceiver((response) => {
    if (isBusy) response.writeHead(429, { 'retry-after': '7' }).end()
    else response.end()
    isBusy = false
  })
  const { webhook_id } = await subscribe(server, receiver.url, filter('busy'))
  await server.hub.submit(casts('busy', 1))
  await receiver.waitForCount(1)
  await expect
    .poll(() => db`select 1 from webhooks.lanes where webhook_id = ${webhook_id} and held_until is not null`)
    .toHaveLength(1)
  await server.hub.submit(casts('busy later', 3))
  const [first, ...others] = await receiver.waitForCount(5)
  for (const { atMs } of others) expect(atMs - first!.atMs).toBeGreaterThan(6_000)
})

it('webhook targets: 200 is a success, whatever the body says of its encoding', async () => {
  const server = await start()
  const encodings = ['utf-8', 'zstd', 'gzip']
  const receiver = await startReceiver((response) =>
    response.writeHead(200, { 'content-encoding': encodings.pop() ?? '' }).end('ok'),
  )
  await subscribe(server, receiver.url, filter('encoded'))
  await server.hub.submit(casts('encoded', 3))
  await receiver.waitForCount(3)
  const states = () => db`select state::text, count(*)::integer from webhooks.deliveries d
    join webhooks.webhooks w on w.id = d.webhook_id where w.target_url = ${receiver.url} group by 1`
  await expect.poll(states).toEqual([{ state: 'delivered', count: 3 }])
})

it.each([
  ['', (id: string) => id],
  [', set by an id in upper case,', (id: string) => id.toUpperCase()],
])('webhook targets: a new url%s ends the pause and the delays of the one before', async (_case, spell) => {
  const server = await start()
  const busy = await startReceiver((response) => response.writeHead(503, { 'retry-after': '86400' }).end())
  const healthy = await startReceiver()
  const { webhook_id } = await subscribe(server, busy.url, filter('moved'))
  const held = () =>
    db`select 1 from webhooks.lanes where webhook_id = ${webhook_id} and held_until is not null`
  await server.hub.submit(casts('moved', 1))
  await expect.poll(held).toHaveLength(1)
  const [first] = busy.received
  await callApi(server, 'PUT', 'webhook', { webhook_id, name: 'renamed', url: busy.url })
  expect(await held()).toHaveLength(1)
  await callApi(server, 'PUT', 'webhook', { webhook_id: spell(webhook_id), name: 'moved', url: healthy.url })
  const { event_id } = await callApi(server, 'POST', 'webhook/test', { webhook_id, type: 'user.created' })
  const received = await healthy.waitForCount(2)
  const eventIds = received.map(({ body }) => body.event_id).toSorted()
  expect(eventIds).toEqual([first!.body.event_id, event_id].toSorted())
  expect(
    await db`select held_until, failing_since, failures from webhooks.lanes where webhook_id = ${webhook_id}`,
  ).toEqual([{ held_until: null, failing_since: null, failures: 0 }])
})

it('webhook targets: a redirect, a timeout or an invalid response -> retried', async () => {
  // Longer than any pause of this process, which also runs the receiver.
  const server = await start({ WEBHOOK_TIMEOUT_MS: '3000' })
  let attempt = 0
  const receiver = await startReceiver((response) => {
    attempt += 1
    if (attempt === 1) response.writeHead(302, { location: receiver.url }).end()
    else if (attempt === 2) response.socket?.end('this is not HTTP\r\n\r\n')
    else response.end()
  })
  const silent = await startReceiver(() => {})
  const { webhook_id } = await subscribe(server, receiver.url, filter('liar'))
  const { webhook_id: silentId } = await subscribe(server, silent.url, filter('liar'))
  await server.hub.submit(casts('liar', 1))
  await receiver.waitForCount(1)
  await retryNow(db, webhook_id, 1)
  await receiver.waitForCount(2)
  const failureOf = async (id: string) =>
    (await server.get(`webhook/deliveries?webhook_id=${id}`)).deliveries[0]
  await expect
    .poll(() => failureOf(silentId))
    .toMatchObject({
      status: 'waiting',
      response_code: null,
      failure: expect.stringContaining('no answer within 3000 ms'),
      next_attempt_at: expect.any(String),
    })
  await retryNow(db, webhook_id, 2)
  await receiver.waitForCount(3)
  await expect
    .poll(() => failureOf(webhook_id))
    .toMatchObject({ status: 'delivered', attempts: 3, failure: null })
})

it('webhook targets: a day of failures disables the webhook, and its deliveries can be redelivered', async () => {
  const server = await start()
  let isDown = true
  const receiver = await startReceiver((response) => response.writeHead(isDown ? 500 : 200).end())
  const { webhook_id } = await subscribe(server, receiver.url, filter('down'))
  await db`
    update webhooks.lanes
    set failing_since = now() - interval '25 hours', failed_at = now() - interval '4 hours', failures = 20
    where webhook_id = ${webhook_id}`
  await server.hub.submit(casts('down', 1))
  const record = async () => (await server.get(`webhook?webhook_id=${webhook_id}`)).webhook
  await expect.poll(record).toMatchObject({
    active: false,
    description: expect.stringMatching(/^disabled: no delivery has succeeded since .*, in 21 attempts$/),
  })
  isDown = false
  expect((await callApi(server, 'PATCH', 'webhook', { webhook_id, active: 'true' })).webhook).toMatchObject({
    active: true,
    description: '',
  })
  const since = new Date(Date.now() - 3_600_000).toISOString()
  const again = await callApi(server, 'POST', 'webhook/deliveries/redeliver', { webhook_id, since })
  expect(again.redelivered).toBe(1)
  const [first, second] = await receiver.waitForCount(2)
  expect(second!.body).toEqual(first!.body)
})

it.each([
  ['a pause of the server', null, 10],
  ['a pause after the time that the target asked for', '30 hours', 20],
])('webhook targets: %s is no time of failures', async (_case, heldAgo, hours) => {
  const server = await start()
  const receiver = await startReceiver((response) => response.writeHead(500).end())
  const { webhook_id } = await subscribe(server, receiver.url, filter('paused'))
  await db`
    update webhooks.lanes
    set failing_since = now() - interval '50 hours', failed_at = now() - interval '40 hours', failures = 20,
      held_until = now() - ${heldAgo}::text::interval
    where webhook_id = ${webhook_id}`
  await server.hub.submit(casts('paused', 1))
  const lane = async () => {
    const [row] = await db`
      select failures, round(extract(epoch from failed_at - failing_since) / 3600)::integer as hours
      from webhooks.lanes where webhook_id = ${webhook_id}`
    return row
  }
  await expect.poll(lane).toEqual({ failures: 21, hours })
  expect((await server.get(`webhook?webhook_id=${webhook_id}`)).webhook).toMatchObject({ active: true })
})

it('webhook targets: two servers on one database deliver each event once', async () => {
  const one = await start()
  const two = await startTestServer(databaseUrl, webhookEnv)
  const receiver = await startReceiver((response) => setTimeout(() => response.end(), 5))
  await subscribe(two, receiver.url, filter('shared'))
  for (let n = 0; n < 5; n += 1) await one.hub.submit(casts(`shared ${n}`, 40))
  await receiver.waitForCount(200)
  await expect
    .poll(() => db`select 1 from webhooks.deliveries where state in ('waiting', 'sending') and attempts = 0`)
    .toHaveLength(0)
  expect(new Set(receiver.received.map(({ body }) => body.delivery_id)).size).toBe(200)
  expect(receiver.received).toHaveLength(200)
})

it('webhook targets: a webhook with an undecryptable secret does not delay others', async () => {
  const server = await start()
  const receiver = await startReceiver()
  const broken = await subscribe(server, `${receiver.url}/broken`, filter('sealed'))
  await subscribe(server, receiver.url, filter('sealed'))
  await db`update webhooks.secrets set sealed = ${Buffer.of(0)} where webhook_id = ${broken.webhook_id}`
  await server.hub.submit(casts('sealed', 3))
  await receiver.waitForCount(3)
  await expect
    .poll(() => db`select distinct failure from webhooks.deliveries where webhook_id = ${broken.webhook_id}`)
    .toEqual([{ failure: expect.stringContaining('PLAZA_SECRET_KEY lacks the key') }])
  expect(receiver.received).toHaveLength(3)
})
