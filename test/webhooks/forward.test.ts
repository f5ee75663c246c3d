import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { expect, it, onTestFinished, vi } from 'vitest'
import { verifyWebhook } from '../../packages/verify-webhook/index.js'
import { createProgram } from '../../src/cli/program.js'
import { deliveryWorkers } from '../../src/features/webhooks/delivery/delivery-store.js'
import { createWebhook } from '../../src/features/webhooks/webhooks.js'
import { createVault } from '../../src/platform/vault/vault.js'
import { farcasterSecondsFromUnixMs } from '../../src/protocol/time.js'
import { createTestDatabase } from '../database.js'
import { TestUser } from '../network.js'
import { startTestServer } from '../running-server.js'
import { startReceiver } from './receiver.js'
import { webhookEnv } from './subscriber.js'

const { db, url } = await createTestDatabase()
const PLAZA_SECRET_KEY = webhookEnv.PLAZA_SECRET_KEY
const [alice, bob] = [new TestUser(1), new TestUser(2)]

/** Starts a command in this process. */
function start(...args: string[]) {
  const lines: string[] = []
  let stop = () => {}
  const program = createProgram({
    env: { DATABASE_URL: url, PLAZA_SECRET_KEY },
    print: (line) => lines.push(line),
    progress: process.stderr,
    stdin: Readable.from([]),
    stdout: process.stdout,
    onStopSignal: (handle) => {
      stop = () => handle(false)
    },
    onDatabaseStop: () => () => {},
  })
  const ended = program
    .then((made) => made.parseAsync(['node', 'plaza', 'webhook', ...args]))
    .then(() => lines)
  return { lines, ended, stop: () => stop() }
}

const liveWebhooks = () => db<{ title: string }[]>`
  select title from webhooks.webhooks where deleted_at is null`

it('listen --forward-to: forwards signed deliveries and samples, and deletes its webhook at the end', async () => {
  // The server itself may not deliver to loopback.
  const server = await startTestServer(url, { PLAZA_SECRET_KEY, CRAWL_EMBEDS: 'false' })
  await server.hub.submitOnChainEvents([...alice.onChain({ units: 5 }), ...bob.onChain({ units: 5 })])
  const receiver = await startReceiver((response, { body }) => {
    response.statusCode = body.type === 'cast.created' ? 200 : 404
    response.end()
  })
  const filter = ['--filter', JSON.stringify({ author_fids: [alice.fid] })]
  const listening = start('listen', '--forward-to', receiver.url, '--events', 'cast.created', ...filter)
  await expect.poll(() => listening.lines).toContain(`forwarding to ${receiver.url}`)
  const secret = listening.lines[0]!.replace('secret to check signatures with: ', '')

  const now = farcasterSecondsFromUnixMs(Date.now())
  await server.hub.submit([bob.cast('not asked for', now), alice.cast('hello', now)])
  const [delivery] = await receiver.waitForCount(1)
  expect(delivery!.body).toMatchObject({ type: 'cast.created', data: { text: 'hello' } })
  expect(verifyWebhook(delivery!.raw, delivery!.headers, [secret])).toBe(true)

  expect((await start('trigger', 'cast.created').ended)[0]).toMatch(
    /^cast\.created to http\S+: 200 in \d+ ms$/,
  )
  const json = start('trigger', 'follow.created', '--json')
  await expect(json.ended).rejects.toThrow('the sample was not delivered: the target answered 404')
  expect(JSON.parse(json.lines[0]!)).toMatchObject({ response_code: 404, attempts: expect.any(Number) })
  // On a busy machine there is time for a retry of what was refused.
  expect(receiver.received.slice(0, 3).map(({ body }) => body.type)).toEqual([
    'cast.created',
    'cast.created',
    'follow.created',
  ])

  listening.stop()
  const printed = await listening.ended
  const isOfFollow = (line: string) => line.includes('  follow.created  ')
  const firstOfFollow = printed.findIndex(isOfFollow)
  const withoutRetries = printed.filter((line, index) => !isOfFollow(line) || index === firstOfFollow)
  expect(withoutRetries.slice(3)).toEqual([
    expect.stringMatching(/^\d\d:\d\d:\d\d {2}cast\.created {2}\S+ {2}200 in \d+ ms$/),
    expect.stringMatching(/^\d\d:\d\d:\d\d {2}cast\.created {2}test-\S+ {2}200 in \d+ ms$/),
    expect.stringMatching(/ {2}follow\.created {2}test-\S+ {2}404 in \d+ ms, again at \d\d:\d\d:\d\d$/),
    'the webhook is deleted',
  ])
  expect(await liveWebhooks()).toEqual([])
  const states = await db`select state from webhooks.deliveries order by seq`
  expect(states.map(({ state }) => state)).toEqual(['delivered', 'delivered', 'canceled'])
  await expect(start('trigger', 'cast.created').ended).rejects.toThrow('the app has no active webhook')
})

/** The session that holds the lock of a listener, and whether the command has opened another one over a second later. */
const lockSession = async () => {
  const [session] = await db<{ pid: number; isOutlived: boolean }[]>`
    select activity.pid, exists (
      select from pg_stat_activity later
      where later.datname = activity.datname and later.application_name = activity.application_name
        and later.backend_start > activity.backend_start + interval '1 second'
    ) as "isOutlived"
    from pg_locks lock join pg_stat_activity activity using (pid)
    where lock.locktype = 'advisory' and lock.granted and activity.application_name = 'plaza webhook'
      and activity.datname = current_database()`
  return session
}

it('listen --forward-to: keeps its lock when the driver replaces its other connections', async () => {
  await db`insert into apps.apps (name) values ('long')`
  // Seconds after which the driver closes a connection; by default half an hour or more.
  vi.stubEnv('PGMAX_LIFETIME', '0.1')
  onTestFinished(() => void vi.unstubAllEnvs())
  const listening = start('listen', '--forward-to', 'http://localhost:9999/in', '--app', 'long')
  await expect.poll(() => listening.lines).toContain('forwarding to http://localhost:9999/in')
  const first = await lockSession()
  expect(first).toBeDefined()
  await expect.poll(lockSession).toEqual({ pid: first!.pid, isOutlived: true })
  listening.stop()
  await listening.ended
})

it('listen --forward-to: ends when its webhook is deleted, as after a sleep of the machine', async () => {
  await db`insert into apps.apps (name) values ('asleep')`
  const listening = start('listen', '--forward-to', 'http://localhost:9999/in', '--app', 'asleep')
  const failure = expect(listening.ended).rejects.toThrow('the webhook of this command is deleted')
  await expect.poll(() => listening.lines).toContain('forwarding to http://localhost:9999/in')
  // The listener, which lives, may renew its lease in between, or find itself expired before this test does.
  const reap = async () => {
    await db`update webhooks.workers set alive_until = now() - interval '1 second'`
    await deliveryWorkers.reapExpired(db)
    return await liveWebhooks()
  }
  await expect.poll(reap).toEqual([])
  await failure
})

const settings = {
  targetPolicy: { allowHttp: true, allowLoopback: true },
  httpTimeoutMs: 1_000,
  rateLimit: 10,
  rateLimitMs: 1_000,
  maxPerApp: 10,
}
const store = { db, vault: createVault([PLAZA_SECRET_KEY]), settings }

it('another worker deletes the webhook of a listener that died', async () => {
  const [app] = await db<{ id: string }[]>`insert into apps.apps (name) values ('killed') returning id`
  const listener = randomUUID()
  const details = {
    title: 'left',
    targetUrl: 'http://localhost:9999/in',
    filters: { 'user.created': {} },
    listener,
  }
  await createWebhook(store, app!.id, details)
  await db`insert into webhooks.workers (id, alive_until) values (${listener}, now() - interval '1 second')`
  expect(await liveWebhooks()).toHaveLength(1)
  // A process whose heartbeats have failed reaps nobody for a while.
  await expect.poll(() => deliveryWorkers.reapExpired(db)).toBe(1)
  expect(await liveWebhooks()).toEqual([])
})

it('trigger: finds its sample behind any number of newer deliveries', async () => {
  const [app] = await db<{ id: string }[]>`insert into apps.apps (name) values ('busy') returning id`
  const targetUrl = 'http://localhost:9999/in'
  await createWebhook(store, app!.id, { title: 'busy', targetUrl, filters: { 'user.created': {} } })
  const trigger = start('trigger', 'user.created', '--app', 'busy')
  const findSample = async () =>
    (
      await db<{ id: string; webhookId: string }[]>`
      select id, webhook_id as "webhookId" from webhooks.deliveries where state = 'waiting'`
    )[0]
  await expect.poll(findSample).toBeDefined()
  const sample = (await findSample())!
  await db`
    insert into webhooks.events (id, kind, happened_at, detected_at, subject)
    select 'newer-' || n, 'user.created', now(), now(), '{}' from generate_series(1, 150) n`
  await db.begin(async (transaction) => {
    await transaction`
      insert into webhooks.deliveries (id, webhook_id, event_id)
      select gen_random_uuid(), ${sample.webhookId}, 'newer-' || n from generate_series(1, 150) n`
    await transaction`
      update webhooks.deliveries set state = 'delivered', attempts = 1, status = 200, latency_ms = 7
      where id = ${sample.id}`
  })
  expect(await trigger.ended).toEqual(['user.created to http://localhost:9999/in: 200 in 7 ms'])
})

it.each([
  [
    ['listen', '--forward-to', 'http://10.0.0.1/in', '--app', 'killed'],
    'the target is not on the public internet',
  ],
  [['listen', '--forward-to', 'http://localhost:9999/in', '--app', 'nobody'], 'there is no app nobody'],
  [['listen', '--forward-to', 'http://localhost:9999/in', '--events', 'cast.made'], 'cast.made'],
  [['trigger', 'cast.made'], 'the event must be one of cast.created'],
  [['trigger', 'cast.created', '--webhook', randomUUID()], 'there is no webhook'],
  [['listen', '--app', 'killed'], '--app is for --forward-to'],
])('plaza webhook %j is refused', async (args, message) => {
  await expect(start(...args).ended).rejects.toThrow(message)
})
