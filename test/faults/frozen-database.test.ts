import { getInsecureHubRpcClient } from '@farcaster/hub-nodejs'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { ensureApp } from '../../src/features/apps/apps.js'
import { createSigner } from '../../src/features/signers/signer-record.js'
import { createVault } from '../../src/platform/vault/vault.js'
import { encodeMessage } from '../../src/protocol/codec.js'
import { SignerEventType } from '../../src/protocol/definitions.js'
import { TestUser, testNow } from '../network.js'
import { startReplicatedCluster } from '../replicated-cluster.js'
import { startTestServer } from '../running-server.js'

const KEY = 'a-key-for-the-test'
const SECRET_KEY = 'the-secret-key-of-a-server-whose-database-freezes'
const ADMIN_TOKEN = 'the-token-of-the-operator-of-the-frozen-server'
const env = {
  REQUEST_TIMEOUT_MS: '1500',
  PLAZA_SECRET_KEY: SECRET_KEY,
  ADMIN_TOKEN,
  CRAWL_EMBEDS: 'false',
  HUB_GRPC_PORT: '0',
}
/** Beside the one that publishes. */
const READ_USERS = 60

const { primary, replica } = await startReplicatedCluster()
afterEach(() => {
  primary.unfreeze()
  replica.unfreeze()
})
const server = await startTestServer(primary.url, env, afterAll)
// A frozen replica is noticed after a second and a quarter, and then the primary has to answer.
const replicated = await startTestServer(
  primary.url,
  { ...env, REQUEST_TIMEOUT_MS: '8000', DATABASE_REPLICA_URL: replica.url },
  afterAll,
)
const grpc = getInsecureHubRpcClient(server.urls.grpc!)
afterAll(() => grpc.$.close())

const publisher = new TestUser(1)
const readers = Array.from({ length: READ_USERS }, (_, index) => new TestUser(1_000 + index))
let signerUuid = ''
let castHash = ''

beforeAll(async () => {
  const appId = await ensureApp(primary.db, 'development')
  const signer = await createSigner({ db: primary.db, vault: createVault([SECRET_KEY]) }, appId)
  signerUuid = signer.id
  await server.hub.submitOnChainEvents([
    ...publisher.onChain({ units: 1_000 }),
    publisher.signerEvent(SignerEventType.ADD, 1_000, signer.publicKey),
    ...readers.flatMap((user) => user.onChain({ units: 1 })),
  ])
  const casts = readers.map((user) => user.cast(`cast of ${user.fid}`, testNow))
  expect(await server.hub.submit(casts)).toEqual(casts.map(() => null))
  castHash = `0x${casts[0]!.hash.toString('hex')}`
})

interface Answer {
  readonly status: number
  readonly retryAfter: string | null
  readonly body: ReturnType<typeof JSON.parse>
}

async function send(
  path: string,
  { at = server, ...init }: RequestInit & { at?: typeof server } = {},
): Promise<Answer> {
  const headers = { 'x-api-key': KEY, ...(init.headers as Record<string, string> | undefined) }
  const response = await fetch(`${at.urls.main}${path}`, { ...init, headers })
  const text = await response.text()
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    body: response.headers.get('content-type')?.startsWith('application/json') ? JSON.parse(text) : text,
  }
}

const publish = (text: string, at = server) =>
  send('/v2/farcaster/cast', {
    at,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ signer_uuid: signerUuid, text, idem: text }),
  })

const submit = (user: TestUser, text: string) =>
  send('/v1/submitMessage', {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: encodeMessage(user.cast(text, testNow)),
  })

/** A request of each kind that needs the database; `n` makes each another one. */
const kinds: Readonly<Record<string, (n: number) => Promise<Answer>>> = {
  read: (n) =>
    send(`/v2/farcaster/feed/user/casts?fid=${readers[n % READ_USERS]!.fid}&limit=${1 + (n % 50)}`),
  search: (n) => send(`/v2/farcaster/user/search?q=nobody${n}`),
  write: (n) => publish(`frozen ${n}`),
  'unknown key': (n) => send('/v2/farcaster/user/bulk?fids=1', { headers: { 'x-api-key': `unknown ${n}` } }),
  admin: () => send('/admin/apps', { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } }),
  'hub read': (n) => send(`/v1/castsByFid?fid=${readers[n % READ_USERS]!.fid}`),
  'hub write': (n) => submit(readers[n % READ_USERS]!, `submitted ${n}`),
}

/** The error of each API. */
const shapes: Readonly<Record<string, object>> = {
  main: { code: 'Unavailable', status: 503, message: expect.any(String) },
  hub: { errCode: 'unavailable', name: 'HubError', code: 14 },
}
const shapeOf = (kind: string) => shapes[kind.startsWith('hub') ? 'hub' : 'main']

function expectUnavailable(kind: string, answers: readonly Answer[]): void {
  for (const { status, retryAfter, body } of answers) {
    expect([kind, status, Number(retryAfter) > 0]).toEqual([kind, 503, true])
    expect(body).toMatchObject(shapeOf(kind)!)
  }
}

/** Answers of many requests of each kind at the same time. */
async function sendAll(count: number): Promise<ReadonlyMap<string, readonly Answer[]>> {
  const entries = Object.entries(kinds).map(async ([kind, request]) => {
    const answers = await Promise.all(Array.from({ length: count }, (_, n) => request(n)))
    return [kind, answers] as const
  })
  return new Map(await Promise.all(entries))
}

test('a frozen database: every request is answered, cached reads go on, and all work again after it', async () => {
  const cached = () => send(`/v2/farcaster/user/bulk?fids=${readers[0]!.fid}`)
  await expect.poll(async () => (await cached()).status).toBe(200)
  const beforehand = await cached()
  for (let n = 0; n < 5; n += 1) {
    await expect.poll(async () => (await publish(`before ${n}`)).status).toBe(200)
  }

  primary.freeze()
  const call = grpc.getCastsByFid({ fid: readers[1]!.fid })
  const [answers, called] = await Promise.all([sendAll(60), call])
  for (const [kind, some] of answers) expectUnavailable(kind, some)
  expect(called._unsafeUnwrapErr().errCode).toBe('unavailable')
  // The key of the first one was checked more than a second ago.
  expect(await cached()).toEqual(beforehand)
  expect((await send('/healthz')).status).toBe(200)
  expect(await send('/readyz')).toMatchObject({
    status: 503,
    body: { status: 'not ready', database: 'away' },
  })
  expect((await send('/metrics')).body).toContain('plaza_http_request_duration_seconds_count')
  primary.unfreeze()

  for (const [kind, request] of Object.entries(kinds)) {
    const expected = kind === 'unknown key' ? 401 : 200
    await expect.poll(async () => (await request(0)).status, { message: kind }).toBe(expected)
  }
  await expect.poll(async () => (await grpc.getCastsByFid({ fid: readers[1]!.fid })).isOk()).toBe(true)
  await expect.poll(async () => (await send('/readyz')).status).toBe(200)
  const stored = await primary.db<{ text: string }[]>`
    select text from social.casts where fid = ${publisher.fid} and text like 'before %' order by text`
  expect(stored.map(({ text }) => text)).toEqual([0, 1, 2, 3, 4].map((n) => `before ${n}`))
})

test('a write that was given up: with the same idem there is one cast, whether it happened or not', async () => {
  primary.freeze()
  const texts = Array.from({ length: 20 }, (_, n) => `given up ${n}`)
  expectUnavailable('write', await Promise.all(texts.map((text) => publish(text))))
  primary.unfreeze()
  const hashes = await Promise.all(
    texts.map(async (text) => {
      let hash: string | undefined
      await expect
        .poll(async () => {
          const { status, body } = await publish(text)
          hash = body.cast?.hash
          return status
        })
        .toBe(200)
      return hash
    }),
  )
  const stored = await primary.db<{ text: string; hash: string }[]>`
    select text, '0x' || encode(hash, 'hex') as hash from social.casts where text like 'given up %'`
  expect(new Map(stored.map(({ text, hash }) => [text, hash]))).toEqual(
    new Map(texts.map((text, index) => [text, hashes[index]])),
  )
  expect(stored).toHaveLength(texts.length)
})

test('statements that were given up: no later request gets their answers', async () => {
  const hashesOf = async (user: TestUser) => {
    const { status, body } = await send(`/v1/castsByFid?fid=${user.fid}`)
    if (status !== 200) return status
    return (body.messages as { data: { fid: number } }[]).map(({ data }) => data.fid)
  }
  for (let round = 0; round < 2; round += 1) {
    primary.freeze()
    // The first freeze ends while statements wait for their answers, the second one when they have been given up.
    const given = Promise.all(readers.map(hashesOf))
    if (round === 1) await given
    primary.unfreeze()
    const later = readers.toReversed().map(async (user) => {
      let fids: number | number[] = 503
      // Meanwhile too many wait for their turn: 429, or 503.
      const ask = async () => {
        fids = await hashesOf(user)
        return Array.isArray(fids)
      }
      await expect.poll(ask).toBe(true)
      return [user.fid, fids] as const
    })
    for (const [fid, fids] of await Promise.all(later)) {
      expect(
        Array.isArray(fids) && fids.length > 0 && fids.every((each) => each === fid),
        `${fid} ${fids}`,
      ).toBe(true)
    }
    await given
  }
})

test('a frozen replica: the primary answers; both frozen: 503, and cached reads go on', async () => {
  const read = (n: number) =>
    send(`/v2/farcaster/cast?identifier=${castHash}&type=hash&viewer_fid=${readers[n]!.fid}`, {
      at: replicated,
    })
  const inUse = async () =>
    (await send('/metrics', { at: replicated })).body.includes(
      `plaza_replica_in_use{replica="${replica.name}"} 1`,
    )
  await expect.poll(inUse).toBe(true)
  replica.freeze()
  const answers = await Promise.all(readers.map((_, n) => read(n)))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))

  primary.freeze()
  const hubRead = (n: number) => send(`/v1/castsByFid?fid=${readers[n]!.fid}`, { at: replicated })
  expectUnavailable('hub read', await Promise.all(readers.map((_, n) => hubRead(n))))
  expect((await send('/healthz', { at: replicated })).status).toBe(200)
  primary.unfreeze()
  await expect.poll(async () => (await hubRead(0)).status).toBe(200)
  replica.unfreeze()
  await expect.poll(inUse).toBe(true)
})
