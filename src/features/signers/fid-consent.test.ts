import { beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { createTestHub } from '../../../test/hub.js'
import { TestUser, testNowUnix } from '../../../test/network.js'
import { operations } from '../../app/operations.js'
import { createTestApi, type TestApi } from '../../app/testing/test-api.js'
import { hexOf } from '../../protocol/bytes.js'
import { ensureApp } from '../apps/apps.js'
import { createBearerVerifier } from '../bearer/bearer-token.js'
import { appKeyAuthorization } from '../bearer/testing/app-key-token.js'
import { createFidConsent } from './fid-consent.js'
import { createSigner } from './signer-record.js'
import { approvedSigner, revokeSigner, testVault } from './testing/approved-signer.js'
import { registerKeyHolder, signKeyRequestBody } from './testing/key-holder.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
const clock = () => testNowUnix * 1000
const open = await createTestApi({ db, hub, clock, appName: 'open' })
const fidConsent = createFidConsent({ db, bearer: createBearerVerifier({ db, clock }) })
const strict = await createTestApi({ db, hub, clock, appName: 'strict', fidConsent })
const [alice, bob, carol] = [new TestUser(1), new TestUser(2), new TestUser(3)]

beforeAll(async () => {
  await hub.submitOnChainEvents([alice, bob, carol].flatMap((user) => user.onChain({ units: 1 })))
})

type Headers = Readonly<Record<string, string>>
type Ask = (api: TestApi, fid: number, headers?: Headers) => ReturnType<TestApi['get']>

/** Operations without a signer that read what only the user should see, or act for the user. */
const reads: Readonly<Record<string, Ask>> = {
  'GET notifications': (api, fid, headers) => api.get('notifications', { fid }, headers),
  'GET notifications/channel': (api, fid, headers) =>
    api.get('notifications/channel', { fid, channel_ids: 'gardens' }, headers),
  'GET notifications/parent_url': (api, fid, headers) =>
    api.get('notifications/parent_url', { fid, parent_urls: 'https://gardens.example' }, headers),
  'GET mute/list': (api, fid, headers) => api.get('mute/list', { fid }, headers),
  'GET /v1/farcaster/mentions-and-replies': (api, fid, headers) =>
    versionOne(api, 'mentions-and-replies', fid, headers),
  'GET /v1/farcaster/reactions-and-recasts': (api, fid, headers) =>
    versionOne(api, 'reactions-and-recasts', fid, headers),
}
const writes: Readonly<Record<string, Ask>> = {
  'POST mute': (api, fid, headers) => api.send('POST', 'mute', { fid, muted_fid: 3 - fid }, headers),
  'DELETE mute': (api, fid, headers) => api.send('DELETE', 'mute', { fid, muted_fid: 3 - fid }, headers),
}

/** Operations that take a fid and are open to every app: what they read is public, or belongs to the app itself. */
const openOperations = [
  // Public: the network has it, or an invite that its channel lists.
  'GET channel/member/list',
  'GET channel/user',
  'GET feed',
  'GET feed/following',
  'GET feed/for_you',
  'GET feed/user/:fid/popular',
  'GET feed/user/:fid/replies_and_recasts',
  'GET feed/user/casts',
  'GET feed/user/popular',
  'GET feed/user/replies_and_recasts',
  'GET followers',
  'GET followers/reciprocal',
  'GET following',
  'GET following/suggested',
  'GET reactions/user',
  'GET storage/allocations',
  'GET storage/usage',
  'GET user/balance',
  'GET user/best_friends',
  'GET user/channels',
  'GET user/memberships/list',
  'GET user/subscribed_to',
  'GET user/subscribers',
  'GET user/subscriptions_created',
  'GET user/verifications',
  // The user has signed what they carry, or pays nothing.
  'POST user',
  'POST storage/buy',
  // Of the app alone.
  'GET app_host/user/event',
  'GET app_host/user/notifications',
  'GET app_host/user/state',
  'POST frame/notifications/open',
]

const versionOne = (api: TestApi, path: string, fid: number, headers: Headers = {}) =>
  api.app.inject({
    url: `/v1/farcaster/${path}`,
    query: { fid: String(fid) },
    headers: { 'x-api-key': api.key, ...headers },
  })

const answerOf = async (ask: Ask, api: TestApi, fid: number, headers: Headers = {}) => {
  const reply = await ask(api, fid, headers)
  return reply.statusCode === 200 ? 'OK' : [reply.statusCode, reply.json().code, reply.json().property]
}
const refused = [403, 'FidNotApproved', 'fid']

it('every operation that takes a fid is either open to every app, or checked', () => {
  const named = operations
    .filter(({ query, body }) => {
      const members = { ...query?.properties, ...body?.properties }
      return 'fid' in members && !('signer_uuid' in members)
    })
    .map(({ method, path }) => `${method} ${path}`)
  const checked = Object.keys({ ...reads, ...writes }).filter((name) => !name.includes('/v1/'))
  expect(named.sort()).toEqual([...checked, ...openOperations].sort())
})

it.each(Object.entries({ ...reads, ...writes }))('%s: by default any app may', async (_, ask) => {
  expect(await answerOf(ask, open, alice.fid)).toBe('OK')
})

it("STRICT_FIDS: a user's public key that the app requests as its own -> 403", async () => {
  const publicKey = hexOf(carol.key.publicKey)
  const app = await registerKeyHolder({ db, hub, clock })
  const request = await signKeyRequestBody(app, publicKey, testNowUnix + 3_600)
  const body = { public_key: publicKey, ...request }
  const requested = await strict.send('POST', 'signer/developer_managed/signed_key', body)
  expect(requested.json()).toMatchObject({ status: 'approved', fid: carol.fid })
  for (const ask of Object.values({ ...reads, ...writes })) {
    expect(await answerOf(ask, strict, carol.fid)).toEqual(refused)
  }
})

describe.each([
  ...Object.entries(reads).map(([name, ask]) => [name, 'reads', ask] as const),
  ...Object.entries(writes).map(([name, ask]) => [name, 'writes', ask] as const),
])('%s with STRICT_FIDS', (_, use, ask) => {
  const { appId } = strict

  it('no signer, an open one, or one of another app -> 403', async () => {
    expect(await answerOf(ask, strict, alice.fid)).toEqual(refused)
    await createSigner({ db, vault: testVault }, appId, alice.fid)
    await approvedSigner({ db, hub }, alice, { appId: await ensureApp(db, 'another') })
    expect(await answerOf(ask, strict, alice.fid)).toEqual(refused)
  })

  it('an approved signer -> for its user alone, as long as it is not revoked', async () => {
    const signer = await approvedSigner({ db, hub }, alice, { appId })
    expect(await answerOf(ask, strict, alice.fid)).toBe('OK')
    expect(await answerOf(ask, strict, bob.fid)).toEqual(refused)
    await revokeSigner(hub, alice, signer)
    expect(await answerOf(ask, strict, alice.fid)).toEqual(refused)
  })

  it('a bearer token of the user instead -> for that user alone', async () => {
    const token = { authorization: appKeyAuthorization(alice) }
    expect(await answerOf(ask, strict, alice.fid, token)).toBe('OK')
    expect(await answerOf(ask, strict, bob.fid, token)).toEqual(refused)
    const expired = appKeyAuthorization(alice, { payload: { exp: testNowUnix - 60 } })
    const unauthenticated = [401, 'Unauthorized', 'authorization']
    for (const authorization of [expired, 'Bearer garbage', `Basic ${'a'.repeat(8_000)}`]) {
      expect(await answerOf(ask, strict, alice.fid, { authorization })).toEqual(unauthenticated)
      expect(await answerOf(ask, open, alice.fid, { authorization })).toBe('OK')
    }
  })

  it('a signer that may not write all -> reads only', async () => {
    for (const permission of ['READ_ONLY', 'PUBLISH_CAST'] as const) {
      const signer = await approvedSigner({ db, hub }, alice, { appId, permissions: [permission] })
      expect(await answerOf(ask, strict, alice.fid)).toEqual(use === 'reads' ? 'OK' : refused)
      await revokeSigner(hub, alice, signer)
    }
  })
})
