import { createHmac } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { expect, it } from 'vitest'
import { verifyWebhook } from '../../packages/verify-webhook/index.js'
import { ReactionType, UserDataType } from '../../src/protocol/definitions.js'
import { createTestDatabase } from '../database.js'
import { nameTransfer, TestUser } from '../network.js'
import { startTestServer } from '../running-server.js'
import { type ReceivedDelivery, startReceiver } from './receiver.js'
import { attemptTimes, callApi, subscribe, webhookEnv } from './subscriber.js'

const { db, url: databaseUrl } = await createTestDatabase()
const alice = new TestUser(1)
const nowUnix = () => Math.floor(Date.now() / 1000)
const now = () => nowUnix() - 1_609_459_200

const every = {
  'cast.created': {},
  'cast.deleted': {},
  'follow.created': {},
  'follow.deleted': {},
  'reaction.created': {},
  'reaction.deleted': {},
  'user.created': {},
  'user.updated': {},
}

/** Starts a server whose database knows alice, whichever test runs first. */
async function start(env: Record<string, string> = {}) {
  const server = await startTestServer(databaseUrl, { ...webhookEnv, ...env })
  await server.hub.submitOnChainEvents(alice.onChain({ units: 5 }))
  return server
}

/** Finds the connection of a claim that waits for a lock; 0 without one. */
async function claimingPid(): Promise<number> {
  const [row] = await db<{ pid: number }[]>`
    select pid from pg_stat_activity
    where datname = current_database() and application_name = 'plaza work' and wait_event_type = 'Lock'`
  return row?.pid ?? 0
}

/** Sorts deliveries in queue order: they may overtake each other on the way. */
async function inQueueOrder(
  webhookId: string,
  received: readonly ReceivedDelivery[],
): Promise<ReceivedDelivery[]> {
  const rows = await db<{ id: string }[]>`
    select id from webhooks.deliveries where webhook_id = ${webhookId} order by seq`
  return rows.flatMap(({ id }) => received.filter(({ body }) => body.delivery_id === id))
}

it('webhook deliveries: all kinds arrive in order, signed, in the shapes of the hosted service', async () => {
  // Users of its own: the webhook receives their registrations.
  const [author, follower] = [new TestUser(2), new TestUser(3)]
  const server = await startTestServer(databaseUrl, webhookEnv)
  const receiver = await startReceiver()
  const webhook = await subscribe(server, receiver.url, every)
  const { hub } = server

  await hub.submitOnChainEvents([...author.onChain({ units: 5 }), ...follower.onChain()])
  await hub.submitNameTransfers([nameTransfer('alice', author.fid, nowUnix() - 500)])
  const t = now() - 1000
  const cast = author.cast('hello world', t + 1)
  const steps = [
    author.userData(UserDataType.USERNAME, 'alice', t),
    cast,
    follower.link(author.fid, t + 2),
    follower.react(cast, t + 3, { type: ReactionType.RECAST }),
    follower.link(author.fid, t + 4),
    follower.react(cast, t + 5, { type: ReactionType.RECAST, remove: true }),
    follower.link(author.fid, t + 6, { remove: true }),
    author.removeCast(cast.hash, t + 7),
  ]
  for (const step of steps) expect(await hub.submit([step])).toEqual([null])

  await receiver.waitForCount(9)
  const received = await inQueueOrder(webhook.webhook_id, receiver.received)
  const kinds = received.map(({ body }) => body.type)
  expect(kinds.slice(0, 2)).toEqual(['user.created', 'user.created'])
  expect(kinds.slice(2)).toEqual([
    'user.updated',
    'cast.created',
    'follow.created',
    'reaction.created',
    'reaction.deleted',
    'follow.deleted',
    'cast.deleted',
  ])
  const bodyOf = (kind: string) => received.find(({ body }) => body.type === kind)!.body
  const hash = `0x${cast.hash.toString('hex')}`
  expect(bodyOf('cast.created').data).toMatchObject({
    object: 'cast',
    hash,
    text: 'hello world',
    author: { object: 'user', fid: author.fid, username: 'alice' },
  })
  expect(bodyOf('cast.deleted').data).toMatchObject({
    object: 'cast',
    hash,
    text: 'hello world',
    author: { fid: author.fid },
  })
  expect(Object.keys(bodyOf('cast.deleted').data).sort()).toEqual(
    Object.keys(bodyOf('cast.created').data).sort(),
  )
  expect(bodyOf('follow.created').data).toMatchObject({
    object: 'follow',
    event_timestamp: expect.stringMatching(/Z$/),
    timestamp: new Date((t + 2 + 1_609_459_200) * 1000).toISOString(),
    user: { object: 'user_dehydrated', fid: follower.fid },
    target_user: { object: 'user_dehydrated', fid: author.fid, username: 'alice' },
  })
  expect(bodyOf('follow.deleted').data.object).toBe('unfollow')
  expect(bodyOf('reaction.created').data).toMatchObject({
    object: 'reaction',
    reaction_type: 2,
    user: { fid: follower.fid },
    cast: { object: 'cast_dehydrated', hash, author: { fid: author.fid } },
  })
  expect(bodyOf('user.updated').data).toMatchObject({ object: 'user', fid: author.fid, username: 'alice' })

  const ids = received.map(({ body }) => body.delivery_id)
  expect(new Set(ids).size).toBe(9)
  const [{ value }] = webhook.secrets
  for (const { headers, raw, body } of received) {
    expect(headers['x-plaza-delivery-id']).toBe(body.delivery_id)
    expect(headers['webhook-id']).toBe(body.delivery_id)
    expect(headers['x-plaza-event-id']).toBe(body.event_id)
    expect(Math.abs(body.created_at - nowUnix())).toBeLessThan(60)
    expect(headers['x-neynar-signature']).toBe(createHmac('sha512', value).update(raw).digest('hex'))
    expect(verifyWebhook(raw, headers, value)).toBe(true)
    expect(verifyWebhook(`${raw} `, headers, value)).toBe(false)
    expect(new StandardWebhook(value).verify(raw, headers as Record<string, string>)).toEqual(body)
  }
  await expect
    .poll(
      () => db`
        select distinct state, attempts, status from webhooks.deliveries
        where webhook_id = ${webhook.webhook_id}`,
    )
    .toEqual([{ state: 'delivered', attempts: 1, status: 200 }])
  const times = await attemptTimes(db, webhook.webhook_id)
  expect(times).toEqual(times.toSorted((a, b) => a - b))
})

it('webhook deliveries: both secrets sign during the grace time of a rotation', async () => {
  const server = await start()
  const receiver = await startReceiver()
  const { webhook_id, secrets } = await subscribe(server, receiver.url, {
    'cast.created': { author_fids: [1] },
  })
  const rotated = (await callApi(server, 'POST', 'webhook/secret/rotate', { webhook_id })).webhook.secrets
  await server.hub.submit([alice.cast('rotated', now() - 50)])
  const [{ headers, raw }] = (await receiver.waitForCount(1)) as [
    Awaited<ReturnType<typeof receiver.waitForCount>>[0],
  ]
  for (const { value } of [...secrets, rotated[0]]) {
    expect(verifyWebhook(raw, headers, value)).toBe(true)
    expect(() => new StandardWebhook(value).verify(raw, headers as Record<string, string>)).not.toThrow()
  }
  expect(headers['x-neynar-signature']).toBe(createHmac('sha512', secrets[0].value).update(raw).digest('hex'))
})

it('webhook deliveries: a retry has the same ids and body, and 410 disables the webhook', async () => {
  const server = await start()
  let failures = 1
  const flaky = await startReceiver((response) => {
    failures -= 1
    response.writeHead(failures >= 0 ? 500 : 204).end()
  })
  const goneReceiver = await startReceiver((response) => response.writeHead(410).end())
  const filter = { 'cast.created': { text: 'again' } }
  await subscribe(server, flaky.url, filter)
  const { webhook_id } = await subscribe(server, goneReceiver.url, filter)
  await server.hub.submit([alice.cast('again', now() - 40)])
  const [first, second] = await flaky.waitForCount(2)
  expect(second!.raw).toBe(first!.raw)
  expect(second!.headers['x-plaza-attempt']).toBe('2')
  expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id'])
  await goneReceiver.waitForCount(1)
  await expect
    .poll(async () => (await server.get(`webhook?webhook_id=${webhook_id}`)).webhook)
    .toMatchObject({ active: false, description: expect.stringContaining('410') })
})

it('webhook deliveries: a slow target does not delay another', async () => {
  const server = await start({ WEBHOOK_CONCURRENCY: '2', WEBHOOK_TIMEOUT_MS: '60000' })
  const slow = await startReceiver(() => {})
  const quick = await startReceiver()
  const filter = { 'cast.created': { text: 'many' } }
  await subscribe(server, slow.url, filter)
  const { webhook_id } = await subscribe(server, quick.url, filter)
  const casts = Array.from({ length: 60 }, (_, n) => alice.cast(`many ${n}`, now() - 30))
  await server.hub.submit(casts)
  await quick.waitForCount(60)
  expect(slow.received.length).toBeLessThanOrEqual(2)
  await expect
    .poll(
      () => db`select 1 from webhooks.deliveries where webhook_id = ${webhook_id} and state = 'delivered'`,
    )
    .toHaveLength(60)
  const times = await attemptTimes(db, webhook_id)
  expect(times).toEqual(times.toSorted((a, b) => a - b))
})

it('webhook deliveries: a server that stops during a claim leaves the delivery to the next one', async () => {
  const server = await start()
  const openResponses: ServerResponse[] = []
  const target = await startReceiver((response) => openResponses.push(response))
  const { webhook_id } = await subscribe(server, target.url, { 'cast.created': { text: 'ending' } })
  await server.hub.submit([alice.cast('ending', now() - 20)])
  await target.waitForCount(1)

  let stopped: Promise<void> | undefined
  await db.begin(async (transaction) => {
    await transaction`select from webhooks.lanes where webhook_id = ${webhook_id} for update`
    await server.hub.submit([alice.cast('ending, again', now() - 20)])
    await expect.poll(claimingPid).toBeGreaterThan(0)
    stopped = server.stop()
    // An outbox that stops claims no more, and then listens no more.
    const unlistened = () =>
      db`
        select from pg_stat_activity
        where datname = current_database() and application_name = 'plaza listener'
          and query like 'unlisten "webhook\\_lanes%'`
    await expect.poll(unlistened).toHaveLength(1)
  })
  await expect.poll(claimingPid).toBe(0)
  for (const response of openResponses) response.end()
  await stopped
  expect(target.received.length).toBe(1)

  await start()
  const [, second] = await target.waitForCount(2)
  expect(second?.body.data.text).toBe('ending, again')
  for (const response of openResponses) response.end()
})

it('webhook deliveries: what a claim has taken whose reply was lost is delivered', async () => {
  const server = await start()
  const target = await startReceiver()
  const { webhook_id } = await subscribe(server, target.url, { 'cast.created': { text: 'lost' } })

  await db.begin(async (transaction) => {
    await transaction`select from webhooks.lanes where webhook_id = ${webhook_id} for update`
    await server.hub.submit([alice.cast('lost', now() - 10)])
    await expect.poll(claimingPid).toBeGreaterThan(0)
    // As if the claim had been carried out before its connection was lost.
    await transaction`
      update webhooks.deliveries set state = 'sending', worker = (select id from webhooks.workers)
      where webhook_id = ${webhook_id}`
    await transaction`select pg_terminate_backend(${await claimingPid()}, 10000)`
  })

  const [delivery] = await target.waitForCount(1)
  expect(delivery?.body.data.text).toBe('lost')
})
