import { getInsecureHubRpcClient } from '@farcaster/hub-nodejs'
import { status } from '@grpc/grpc-js'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { ensureApp } from '../../src/features/apps/apps.js'
import { createSigner } from '../../src/features/signers/signer-record.js'
import { messageJson } from '../../src/hub/methods/json/message.js'
import { UpstreamFailure } from '../../src/hub/sync/client/upstream-failure.js'
import { deleteRefused, measureOutgoing } from '../../src/hub/sync/publish/outgoing-queue.js'
import type { Database } from '../../src/platform/db/connection.js'
import { createVault } from '../../src/platform/vault/vault.js'
import { encodeMessage, toProtobuf } from '../../src/protocol/codec.js'
import { type Message, SignerEventType } from '../../src/protocol/definitions.js'
import type { SignedMessage } from '../../src/protocol/message.js'
import { SubmitBulkMessagesRequest } from '../../src/protocol/proto/generated/request_response.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { openHubGrpc } from '../hub-grpc.js'
import { TestUser, testNow } from '../network.js'
import { startTestServer } from '../running-server.js'
import { createDataDir, startServerProcess } from '../server-process.js'
import { startTcpProxy } from '../tcp-proxy.js'
import { tryFetch } from '../try-fetch.js'
import { hubSnapshot, mergedHashes } from './hub-snapshot.js'
import { type CallFilter, startTestPublisher } from './test-publisher.js'

const SECRET_KEY = 'the-secret-key-of-a-server-that-publishes'
const octets = { 'content-type': 'application/octet-stream' }
const hashOf = ({ hash }: SignedMessage) => hash.toString('hex')
/** Farcaster seconds of servers, which have no clock of the test. */
const now = () => Math.floor(Date.now() / 1000) - 1_609_459_200

async function storedHashes(db: Database, fid: number): Promise<string[]> {
  const rows = await db<{ hash: string }[]>`
    select encode(hash, 'hex') as hash from hub.messages where fid = ${fid} order by ts, hash
  `
  return rows.map(({ hash }) => hash)
}

async function pending(db: Database): Promise<number> {
  return (await measureOutgoing(db)).pending
}

/** The follower reads the log of the upstream from its beginning. */
async function followFromStart(db: Database, address: string): Promise<void> {
  await db`insert into sync.cursors (upstream, shard, next_id, block_time) values (${address}, 1, 0, 0)`
}

async function metricsOf(url: string): Promise<Record<string, number>> {
  const reply = await tryFetch(`${url}/metrics`, {})
  const lines = ((await reply?.text()) ?? '').split('\n').filter((line) => line.startsWith('plaza_'))
  return Object.fromEntries(
    lines.map((line) => line.split(' ')).map(([name, value]) => [name, Number(value)]),
  )
}

it('what clients publish at a follower reaches the upstream, and comes back without being sent again', async () => {
  const [a, b] = [await createTestDatabase(), await createTestDatabase()]
  const quiet = { CRAWL_EMBEDS: 'false', HUB_GRPC_PORT: '0' }
  const upstream = await startTestServer(a.url, quiet, afterAll)
  await followFromStart(b.db, upstream.urls.grpc!)
  const env = { UPSTREAM_HUB: upstream.urls.grpc!, PUBLISH_UPSTREAM: 'true', PLAZA_SECRET_KEY: SECRET_KEY }
  const follower = await startTestServer(b.url, { ...quiet, ...env }, afterAll)
  const user = new TestUser(1)
  const app = await ensureApp(b.db, 'development')
  const signer = await createSigner({ db: b.db, vault: createVault([SECRET_KEY]) }, app)
  const key = user.signerEvent(SignerEventType.ADD, 1_000, signer.publicKey)
  await upstream.hub.submitOnChainEvents([...user.onChain({ units: 10 }), key])
  await expect.poll(async () => (await b.db`select from hub.signers`).length).toBe(2)

  // Each way in: /v2 with a managed signer and with a signed message; the hub over HTTP, one and many; gRPC.
  const { cast } = (await (
    await follower.send('POST', 'cast', { signer_uuid: signer.id, text: 'by the server' })
  ).json()) as { cast: { hash: string } }
  const [one, two, three, four, five] = [1, 2, 3, 4, 5].map((n) => user.cast(`${n}`, now() - n))
  const submitted = await fetch(`${follower.urls.main}/v1/submitMessage`, {
    method: 'POST',
    headers: octets,
    body: encodeMessage(one!),
  })
  expect(submitted.status).toBe(200)
  const bulk = { messages: [two!, three!].map(toProtobuf) }
  const inBulk = await fetch(`${follower.urls.main}/v1/submitBulkMessages`, {
    method: 'POST',
    headers: octets,
    body: SubmitBulkMessagesRequest.encode(bulk).finish(),
  })
  expect(inBulk.status).toBe(200)
  const asJson = await follower.send('POST', 'message', messageJson(toProtobuf(four!)))
  expect(asJson.status).toBe(200)
  const client = getInsecureHubRpcClient(follower.urls.grpc!)
  onTestFinished(() => client.$.close())
  const overGrpc = await client.submitMessage(toProtobuf(five!) as never)
  expect(overGrpc.isOk()).toBe(true)
  const published = [cast.hash.slice(2), ...[one!, two!, three!, four!, five!].map(hashOf)].toSorted()
  await expect.poll(async () => (await storedHashes(a.db, 1)).toSorted()).toEqual(published)

  // The follower has read all of it once this is there.
  const fromUpstream = user.cast('from the upstream', now())
  expect(await upstream.hub.submit([fromUpstream], { origin: 'client' })).toEqual([null])
  await expect.poll(() => storedHashes(b.db, 1)).toContain(hashOf(fromUpstream))
  await expect.poll(() => hubSnapshot(b.db)).toBe(await hubSnapshot(a.db))
  // A message may come back before the answer to it.
  await expect.poll(() => b.db`select from hub.outgoing_messages`).toEqual([])
  // The upstream has none, and would have nobody to send it to.
  expect(await a.db`select from hub.outgoing_messages`).toEqual([])
  expect(await mergedHashes(a.db)).toEqual(await mergedHashes(b.db))
  await expect
    .poll(() => metricsOf(follower.urls.main))
    .toMatchObject({
      'plaza_publish_messages_total{outcome="sent"}': 6,
      'plaza_publish_messages_total{outcome="duplicate"}': 0,
      'plaza_publish_messages_total{outcome="refused"}': 0,
      'plaza_publish_queue_messages{state="pending"}': 0,
      plaza_publish_oldest_pending_seconds: 0,
    })
})

/** An upstream and a follower that does not sync: each has its own registrations. */
async function openPair() {
  const [a, b] = [await createTestDatabase({ poolSize: 6 }), await createTestDatabase({ poolSize: 6 })]
  const upstream = await createTestHub(a.db)
  const { server } = await openHubGrpc(a.db, { hub: upstream })
  const follower = await createTestHub(b.db, { publishes: true })
  return { a, b, upstream, follower, address: server.address }
}

it('a refused message is told and kept, and does not hold up later ones of its user', async () => {
  const { a, b, upstream, follower, address } = await openPair()
  const [alice, otherKey] = [new TestUser(1), new TestUser(1, 'a key that only the follower knows')]
  const key = alice.signerEvent(SignerEventType.ADD, 1_000, otherKey.key.publicKey)
  await upstream.submitOnChainEvents(alice.onChain())
  await follower.submitOnChainEvents([...alice.onChain(), key])
  const messages = [
    alice.cast('first', testNow - 9),
    otherKey.cast('refused', testNow - 8),
    alice.cast('last', testNow - 7),
  ]
  for (const message of messages)
    expect(await follower.submit([message], { origin: 'client' })).toEqual([null])
  await b.db`update hub.outgoing_messages set merged_at = now() - interval '2 hours'`
  const { counts, log } = startTestPublisher(b.db, address)
  await expect.poll(() => counts).toEqual({ sent: 2, duplicate: 0, conflict: 0, refused: 1 })
  expect(await storedHashes(a.db, 1)).toEqual([messages[0]!, messages[2]!].map(hashOf))
  const rows =
    await b.db`select refusal_code, refusal, retry_at is not null as retried from hub.outgoing_messages`
  expect(rows).toEqual([
    { refusal_code: 'bad_request.validation_failure', refusal: 'invalid signer', retried: true },
  ])
  expect(log.lines).toEqual([
    {
      message: 'the upstream refused a message that was published here',
      fields: {
        fid: 1,
        hash: `0x${hashOf(messages[1]!)}`,
        code: 'bad_request.validation_failure',
        reason: 'invalid signer',
      },
    },
  ])

  // The wait counts from the refusal: a message may have waited for days for an upstream that was away.
  const waiting = await b.db`
    select retry_at - refused_at < interval '1 minute' as soon from hub.outgoing_messages`
  expect(waiting).toEqual([{ soon: true }])
  // The upstream had not seen the key yet: offered again, the message is accepted.
  await upstream.submitOnChainEvents([key])
  await b.db`update hub.outgoing_messages set retry_at = now()`
  await expect.poll(() => storedHashes(a.db, 1)).toEqual(messages.map(hashOf))
  await expect.poll(() => b.db`select from hub.outgoing_messages`).toEqual([])
  expect(counts.refused).toBe(1)
})

it('a refusal with any text is kept, and does not hold up later messages', async () => {
  const { a, b, upstream, follower, address } = await openPair()
  const alice = new TestUser(1)
  for (const hub of [upstream, follower]) await hub.submitOnChainEvents(alice.onChain())
  const [refused, accepted] = [alice.cast('refused', testNow - 2), alice.cast('accepted', testNow - 1)]
  const text = `bad_request.prunable/no\0${'x'.repeat(100_000)}`
  const refuse: CallFilter = (send, request) =>
    refused.hash.equals(request.hash)
      ? Promise.reject(new UpstreamFailure(status.INVALID_ARGUMENT, address, text, 'bad_request.prunable'))
      : send()
  for (const message of [refused, accepted])
    expect(await follower.submit([message], { origin: 'client' })).toEqual([null])
  startTestPublisher(b.db, address, refuse)
  await expect.poll(() => storedHashes(a.db, 1)).toEqual([hashOf(accepted)])
  const rows = () => b.db`
    select refusal_code, left(refusal, 4) as begins, length(refusal) as length
    from hub.outgoing_messages where refused_at is not null`
  await expect.poll(rows).toEqual([{ refusal_code: 'bad_request.prunable', begins: 'no x', length: 500 }])
  await expect.poll(() => pending(b.db)).toBe(0)
})

it('a refused message is deleted after seven days, one that waits never', async () => {
  const { b, follower } = await openPair()
  const alice = new TestUser(1)
  await follower.submitOnChainEvents(alice.onChain())
  await follower.submit(
    [1, 2, 3].map((n) => alice.cast(`${n}`, testNow - n)),
    { origin: 'client' },
  )
  await b.db`update hub.outgoing_messages set merged_at = now() - interval '30 days'`
  await b.db`
    update hub.outgoing_messages
    set refused_at = now() - make_interval(days => case id when 1 then 8 else 6 end)
    where id < 3
  `
  await deleteRefused(b.db)
  expect(await measureOutgoing(b.db)).toMatchObject({ pending: 1, refused: 1 })
})

it.each([
  ['whose rate is limited', status.RESOURCE_EXHAUSTED, 'bad_request.rate_limited', []],
  [
    'about whom it cannot decide',
    status.UNAVAILABLE,
    'unavailable',
    ['published messages wait', 'publishing resumed'],
  ],
] as const)(
  'a user %s holds up nobody, with more messages than a round reads',
  async (_, code, errorCode, told) => {
    const { a, b, upstream, follower, address } = await openPair()
    const [limited, bob] = [new TestUser(1), new TestUser(2)]
    for (const hub of [upstream, follower]) {
      await hub.submitOnChainEvents([...limited.onChain({ units: 10 }), ...bob.onChain()])
    }
    const casts = Array.from({ length: 160 }, (_, n) => limited.cast(`${n}`, testNow - 200 + n))
    await follower.submit(casts, { origin: 'client' })
    const cast = bob.cast('behind them', testNow)
    await follower.submit([cast], { origin: 'client' })
    // A node answers so for one user, and refuses calls in bulk with a message of such a user.
    let isLimited = true
    const limit: CallFilter = (send, request) => {
      if (!isLimited || !isOf(limited, request)) return send()
      return Promise.reject(new UpstreamFailure(code, address, `${errorCode}/not now`, errorCode))
    }
    const { log } = startTestPublisher(b.db, address, limit)
    await expect.poll(() => pending(b.db)).toBe(160)
    expect(await storedHashes(a.db, bob.fid)).toEqual([hashOf(cast)])
    // The first lines: what is tried again is told again.
    const said = () => log.lines.slice(0, 1 + told.length).map(({ message }) => message)
    await expect
      .poll(said)
      .toEqual(['messages of a user wait', ...told].map((text) => expect.stringContaining(text)))
    isLimited = false
    await expect.poll(() => pending(b.db)).toBe(0)
    expect(await hubSnapshot(a.db)).toBe(await hubSnapshot(b.db))
  },
)

/** Whether a request submits messages of a user. */
function isOf(user: TestUser, request: Message & { messages?: Message[] }): boolean {
  return (request.messages ?? [request]).some(({ signer }) => user.key.publicKey.equals(signer))
}

it('an upstream that was away gets everything when it is back, in order', async () => {
  const { a, b, upstream, follower, address } = await openPair()
  const alice = new TestUser(1)
  for (const hub of [upstream, follower]) await hub.submitOnChainEvents(alice.onChain())
  const proxy = await startTcpProxy('127.0.0.1:1')
  const { counts, log } = startTestPublisher(b.db, proxy.address)
  // Enough for calls in bulk.
  const casts = Array.from({ length: 50 }, (_, n) => alice.cast(`${n}`, testNow - 100 + n))
  await follower.submit(casts, { origin: 'client' })
  const follow = [alice.link(7, testNow - 5), alice.link(7, testNow - 4, { remove: true })]
  for (const message of follow) await follower.submit([message], { origin: 'client' })
  await expect.poll(() => log.lines.length).toBeGreaterThan(0)
  // A follow that was taken back before it was sent is not sent.
  await expect.poll(() => pending(b.db)).toBe(51)
  proxy.target = address
  await expect.poll(() => pending(b.db)).toBe(0)
  expect(await hubSnapshot(a.db)).toBe(await hubSnapshot(b.db))
  // Counted and told after the queue was emptied.
  await expect.poll(() => counts.sent + counts.duplicate).toBe(51)
  expect(counts).toMatchObject({ conflict: 0, refused: 0 })
  const resumed = () => log.lines.filter(({ message }) => message === 'publishing resumed')
  await expect.poll(resumed).toHaveLength(1)
})

it('a server that is killed while it sends loses nothing; without the variable it says that it sends nothing', async () => {
  const [a, b] = [await createTestDatabase(), await createTestDatabase()]
  const upstream = await startTestServer(a.url, { CRAWL_EMBEDS: 'false', HUB_GRPC_PORT: '0' }, afterAll)
  const proxy = await startTcpProxy(upstream.urls.grpc!)
  await followFromStart(b.db, proxy.address)
  const users = [1, 2, 3].map((fid) => new TestUser(fid))
  await upstream.hub.submitOnChainEvents(users.flatMap((user) => user.onChain({ units: 10 })))
  const dataDir = await createDataDir()
  const env = {
    DATABASE_URL: b.url,
    UPSTREAM_HUB: proxy.address,
    CRAWL_EMBEDS: 'false',
    SCORE_INTERVAL_HOURS: '0',
    LOG_FORMAT: 'json',
  }
  const kill = async ({ child, ended }: typeof server) => {
    child.kill('SIGKILL')
    await ended
  }
  let server = await startServerProcess({ dataDir, env })
  expect(server.output()).toContain('what is published here stays here: set PUBLISH_UPSTREAM=true')
  await expect.poll(async () => (await b.db`select from hub.signers`).length).toBe(3)
  const submit = async (message: SignedMessage) => {
    const request = { method: 'POST', headers: octets, body: encodeMessage(message) }
    const reply = await tryFetch(`${server.url}/v1/submitMessage`, request)
    expect(reply?.status).toBe(200)
  }
  const unpublished = users[0]!.cast('stays here', now() - 900)
  await submit(unpublished)
  await kill(server)

  const acknowledged: string[] = []
  for (let round = 0; round < 3; round += 1) {
    server = await startServerProcess({ dataDir, env: { ...env, PUBLISH_UPSTREAM: 'true' } })
    const before = (await mergedHashes(a.db)).length
    let release = () => {}
    for (let n = 0; n < 30; n += 1) {
      const cast = users[n % 3]!.cast(`${round} ${n}`, now() - 600 + round * 100 + n)
      await submit(cast)
      acknowledged.push(hashOf(cast))
      // Some have arrived, and the answers of others never will.
      if (n === 15) {
        await expect.poll(async () => (await mergedHashes(a.db)).length).toBeGreaterThan(before + 5)
        release = proxy.stall()
      }
    }
    await kill(server)
    proxy.cut()
    release()
  }
  await startServerProcess({ dataDir, env: { ...env, PUBLISH_UPSTREAM: 'true' } })
  await expect.poll(() => pending(b.db)).toBe(0)
  expect(await mergedHashes(a.db)).toEqual(acknowledged.toSorted())
  expect(await storedHashes(b.db, 1)).toContain(hashOf(unpublished))
})
