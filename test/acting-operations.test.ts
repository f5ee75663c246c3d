import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, describe, expect, it } from 'vitest'
import { operations } from '../src/app/operations.js'
import { createTestApi } from '../src/app/testing/test-api.js'
import { createApiKey, revokeApiKey } from '../src/features/apps/api-keys.js'
import { createApp } from '../src/features/apps/apps.js'
import { appKeyAuthorization } from '../src/features/bearer/testing/app-key-token.js'
import { saveChannel } from '../src/features/channels/channels.js'
import { inviteMember } from '../src/features/channels/membership.js'
import { framePage } from '../src/features/frames/testing/served-frame.js'
import type { Operation } from '../src/features/operation.js'
import { addressClaim } from '../src/features/publishing/routes/testing/address-claim.js'
import { type SignerPermission, signerPermissions } from '../src/features/signers/schema/signer.js'
import { createSigner } from '../src/features/signers/signer-record.js'
import { approvedSigner, revokeSigner, testVault } from '../src/features/signers/testing/approved-signer.js'
import { registerKeyHolder } from '../src/features/signers/testing/key-holder.js'
import { uncachedWriter } from '../src/graph/cache/invalidation.js'
import { createNetClient } from '../src/platform/outbound/net-client.js'
import { serveHttp } from '../src/platform/outbound/testing/loopback-server.js'
import { SignerEventType } from '../src/protocol/definitions.js'
import {
  type ActingScene,
  type Answer,
  actingAnswers,
  actingExamples,
  type NamedSigner,
} from './acting-operations.js'
import { ownProtocolChannel } from './channel-events.js'
import { createTestDatabase } from './database.js'
import { createTestHub } from './hub.js'
import { TestUser, testKey, testNow, testNowUnix } from './network.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
const clock = () => testNowUnix * 1000
const net = createNetClient({ policy: { allowHttp: true, allowLoopback: true }, userAgent: 'plaza test' })
afterAll(() => net.close())
const api = await createTestApi({ db, hub, clock, net })
const other = await createTestApi({ db, hub, clock, net, appName: 'other' })
const [alice, bob] = [new TestUser(1), new TestUser(2)]
const scene = await setScene()

async function makeMiniApp(): Promise<string> {
  const miniAppDomain = 'tulips.example.com'
  await createApp(db, { name: 'tulips', miniAppDomain })
  return miniAppDomain
}

async function setScene(): Promise<ActingScene> {
  await hub.submitOnChainEvents([alice, bob].flatMap((user) => user.onChain({ units: 5 })))
  const casts = ['mine', 'not wanted any more'].map((text) => alice.cast(text, testNow - 100))
  expect(await hub.submit(casts)).toEqual([null, null])
  const [own, unwanted] = casts.map(({ hash }) => `0x${hash.toString('hex')}`) as [string, string]
  const [ownChannelId, invitingChannelId] = ['gardens', 'flowers']
  for (const [id, lead, follower] of [
    [ownChannelId, alice.fid, bob.fid],
    [invitingChannelId, bob.fid, alice.fid],
  ] as const) {
    const channel = { id, lead_fid: lead, followers: [{ fid: follower, followed_at: 1 }] }
    await saveChannel(uncachedWriter(db), channel, testNowUnix)
  }
  await ownProtocolChannel(hub, alice, 'lilies')
  const invite = { channelId: invitingChannelId, callerFid: bob.fid, fid: alice.fid, role: 'member' } as const
  expect(await inviteMember(uncachedWriter(db), invite, testNowUnix)).toHaveProperty('message')
  return {
    ownCastHash: own,
    unwantedCastHash: unwanted,
    ownChannelId,
    invitingChannelId,
    protocolChannelId: 'lilies',
    otherFid: bob.fid,
    claim: await addressClaim(alice.fid),
    otherAppUrl: async () => (await serveHttp(answerAction)).origin,
    askingAccount: await registerKeyHolder({ db, hub, clock }),
    miniAppDomain: await makeMiniApp(),
  }
}

/** Another app: a frame, and a receiver of actions. */
function answerAction(request: IncomingMessage, response: ServerResponse): void {
  if (request.url?.endsWith('/action')) response.end('{}')
  else response.setHeader('content-type', 'text/html').end(framePage)
}

const actingExampleOf = ({ method, path }: Operation) =>
  actingExamples[`${method} ${path}`] ?? expect.fail(`${method} ${path} has no line in acting-operations.ts`)

/** Sends an operation with this signer. */
async function answer(
  operation: Operation,
  signer: NamedSigner,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const body = { signer_uuid: signer.id, ...(await actingExampleOf(operation).body(scene, signer)) }
  return await answerTo(operation, body, headers)
}

async function answerTo(
  { method, path }: Operation,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  if (method === 'GET') return expect.fail(`${path} has a body and is a GET`)
  const reply = await api.send(method, path, body, headers)
  if (reply.statusCode === 200) return [200, 'OK']
  const { message, status, code, property, errors = [], ...more } = reply.json()
  expect({ message, status, errors, more }).toEqual({
    message: expect.stringMatching(/./),
    status: reply.statusCode,
    errors: expect.any(Array),
    more: {},
  })
  return property === undefined ? [status, code] : [status, code, property]
}

const signerWith = async (permissions: SignerPermission[] | null, appId = api.appId) =>
  await approvedSigner({ db, hub }, alice, { appId, permissions })

/** A signer with these permissions, the same one for all tests. */
async function narrowSigner(permissions: SignerPermission[]): Promise<NamedSigner> {
  const name = permissions.join()
  const signer = narrowSigners.get(name) ?? (await signerWith(permissions))
  narrowSigners.set(name, signer)
  return signer
}
const narrowSigners = new Map<string, NamedSigner>()

const keyOfBytes = { publicKey: Buffer.alloc(32, 1) }

const named = operations.map((operation) => [`${operation.method} ${operation.path}`, operation] as const)
const namingSigners = named.filter(([, { body }]) => body && 'signer_uuid' in body.properties)
const actingSigners = namingSigners.filter(([name]) => actingExamples[name]?.permission !== null)
const takingTokens = namingSigners.filter(
  ([, { headers }]) => headers && 'authorization' in headers.properties,
)

it('every operation with a signer has an example, and no other', () => {
  expect(Object.keys(actingExamples).sort()).toEqual(namingSigners.map(([name]) => name).sort())
})

it('docs/signers.md lists the permission of every operation', () => {
  const page = readFileSync(new URL('../docs/signers.md', import.meta.url), 'utf8')
  const [, section = ''] = /\n## Permissions\n(.*?)\n## /s.exec(page) ?? []
  const documented = section.split('\n').flatMap((line) => {
    const [, names, permission] = /^\| (`.*`) \| `?([A-Z_]+|any write permission)`? \|/.exec(line) ?? []
    return (names ?? '').split(', ').flatMap((name) => (name ? [[name.slice(1, -1), permission]] : []))
  })
  const required = Object.entries(actingExamples).flatMap(([name, { permission }]) =>
    permission === null ? [] : [[name, permission === 'any write' ? 'any write permission' : permission]],
  )
  expect(documented.sort()).toEqual(required.sort())
})

it('a refusal names the missing permission', async () => {
  const { id } = await signerWith(['PUBLISH_CAST'])
  const reply = await api.send('POST', 'block', { signer_uuid: id, blocked_fid: bob.fid })
  expect(reply.json()).toMatchObject({
    code: 'PermissionMissing',
    message: 'this signer lacks the permission for this: WRITE_ALL',
  })
})

describe.each(namingSigners)('%s', (name, operation) => {
  const answers = { ...actingAnswers, ...actingExamples[name]?.answers }

  it('requires a valid API key', async () => {
    const signer = await signerWith(null)
    const expiredKey = await createApiKey(db, { appId: api.appId })
    await revokeApiKey(db, expiredKey.id)
    for (const key of ['', 'plaza_wrong', `${api.key}x`, expiredKey.key]) {
      expect(await answer(operation, signer, { 'x-api-key': key })).toEqual([401, 'Unauthorized'])
    }
  })

  it('refuses an unknown signer', async () => {
    const id = '00000000-0000-4000-8000-000000000000'
    expect(await answer(operation, { id, ...keyOfBytes })).toEqual([404, 'NotFound', 'signer_uuid'])
  })

  it('refuses what is no id of a signer', async () => {
    for (const id of ['mine', "' or true --"]) {
      expect(await answer(operation, { id, ...keyOfBytes })).toEqual([400, 'InvalidField', 'signer_uuid'])
    }
  })

  it('refuses signers of other apps', async () => {
    const waiting = await createSigner({ db, vault: testVault }, other.appId)
    for (const signer of [waiting, await signerWith(null, other.appId)]) {
      expect(await answer(operation, signer)).toEqual([403, 'SignerOfAnotherApp', 'signer_uuid'])
    }
  })

  it('refuses a signer without approval', async () => {
    const waiting = await createSigner({ db, vault: testVault }, api.appId)
    expect(await answer(operation, waiting)).toEqual(answers.generated)
  })

  it('refuses a removed key', async () => {
    const signer = await signerWith(null)
    await revokeSigner(hub, alice, signer)
    expect(await answer(operation, signer)).toEqual(answers.revoked)
  })

  it('requires the permission of the user: no other one, alone or with all others, is enough', async () => {
    const { permission } = actingExampleOf(operation)
    const others = signerPermissions.filter((each) => each !== permission && each !== 'WRITE_ALL')
    const lacking: SignerPermission[][] = [[], ['READ_ONLY'], ['NONE'], ['READ_ONLY', 'NONE']]
    if (permission !== 'any write') lacking.push(...others.map((each) => [each]), others)
    for (const permissions of lacking) {
      const signer = await narrowSigner(permissions)
      expect([permissions, await answer(operation, signer)]).toEqual([permissions, answers.notPermitted])
    }
  })
})

/** Signers with removed keys, by operation. The cache for all expires while the others are tested. */
const expiredKey = new Map<Operation, NamedSigner>()

describe.each(actingSigners)('%s', (_, operation) => {
  it('requires no other permission', async () => {
    const { permission } = actingExampleOf(operation)
    const own: SignerPermission = permission === null || permission === 'any write' ? 'WRITE_ALL' : permission
    const signer = await signerWith([own])
    expect(await answer(operation, signer)).toEqual(actingAnswers.approved)
    await revokeSigner(hub, alice, signer)
    expiredKey.set(operation, signer)
  })
})

describe.each(actingSigners)('%s', (_, operation) => {
  it('refuses the signer after its key is removed', async () => {
    const signer = expiredKey.get(operation) ?? expect.fail('the signer was never approved')
    // The permission is cached for a second; meanwhile the hub refuses the key. A request that changes
    // nothing does not reach the hub.
    await expect.poll(() => answer(operation, signer)).toEqual(actingAnswers.revoked)
  })
})

const goodToken = appKeyAuthorization(alice)
const expiredToken = appKeyAuthorization(alice, { payload: { exp: testNowUnix - 60 } })
/** An unregistered fid and a registered one. */
const [unknownKey, removedKey] = [testKey('unknown'), testKey('removed')]
const tokenOfKey = (key: typeof unknownKey) =>
  appKeyAuthorization(alice, { key, header: { key: `0x${key.publicKey.toString('hex')}` } })

const badTokens = {
  'one that has expired': expiredToken,
  'one that is good for too long': appKeyAuthorization(alice, { payload: { exp: testNowUnix + 3_600 } }),
  'one without an end': appKeyAuthorization(alice, { payload: { exp: null } }),
  'one that another key has signed': appKeyAuthorization(alice, { key: unknownKey }),
  'one of a key that nobody has': tokenOfKey(unknownKey),
  'one of a key that was removed': tokenOfKey(removedKey),
  'one of another user’s key': appKeyAuthorization(alice, {
    key: bob.key,
    header: { key: `0x${bob.key.publicKey.toString('hex')}` },
  }),
  'one whose payload was changed': goodToken.replace(/\.[^.]+\./, `.${expiredToken.split('.')[1]}.`),
  'one of an issuer that is not believed': `Bearer ${['{"alg":"none"}', '{"sub":1}', 'x'].map((part) => Buffer.from(part).toString('base64url')).join('.')}`,
  garbage: 'Bearer garbage',
  'an API key': `Bearer ${api.key}`,
  'another scheme': goodToken.replace('Bearer', 'Basic'),
  nothing: 'Bearer ',
}

describe.each(takingTokens)('%s', (name, operation) => {
  const refused: Answer = [401, 'Unauthorized', 'authorization']
  const body = () => actingExamples[name]!.body(scene, { id: '', ...keyOfBytes })
  const asked = async (headers: Readonly<Record<string, string>>, more = {}) =>
    await answerTo(operation, { ...(await body()), ...more }, headers)

  it('accepts a bearer token instead of a signer, but not instead of an API key', async () => {
    expect(await asked({ authorization: goodToken })).toEqual([200, 'OK'])
    expect(await asked({ authorization: goodToken, 'x-api-key': '' })).toEqual([401, 'Unauthorized'])
  })

  it.each(Object.entries(badTokens))('refuses %s, alone or with a signer', async (_, authorization) => {
    await hub.submitOnChainEvents([
      alice.signerEvent(SignerEventType.ADD, 900_001, removedKey.publicKey),
      alice.signerEvent(SignerEventType.REMOVE, 900_002, removedKey.publicKey),
    ])
    expect(await asked({ authorization })).toEqual(refused)
    const { id } = await signerWith(null)
    expect(await asked({ authorization }, { signer_uuid: id })).toEqual(refused)
  })

  it('refuses an invalid signer with a valid token', async () => {
    const otherUsersSigner = await signerWith(null, other.appId)
    expect(await asked({ authorization: goodToken }, { signer_uuid: otherUsersSigner.id })).toEqual([
      403,
      'SignerOfAnotherApp',
      'signer_uuid',
    ])
    const bobs = await approvedSigner({ db, hub }, bob, api)
    expect(await asked({ authorization: goodToken }, { signer_uuid: bobs.id })).toEqual([
      400,
      'InvalidField',
      'signer_uuid',
    ])
  })
})

it.each(namingSigners.filter((each) => !takingTokens.includes(each)))(
  '%s refuses a token instead of a signer',
  async (name, operation) => {
    const body = await actingExamples[name]!.body(scene, { id: '', ...keyOfBytes })
    expect(await answerTo(operation, body, { authorization: goodToken })).toEqual([
      400,
      'InvalidField',
      'signer_uuid',
    ])
  },
)
