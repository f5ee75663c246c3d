import {
  createJsonFarcasterSignature,
  createVerifyAppKeyWithHub,
  parseWebhookEvent,
} from '@farcaster/miniapp-node'
import { afterAll, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestHub } from '../../../../test/hub.js'
import { openHubApi } from '../../../../test/hub-api.js'
import { TestUser, testNowUnix } from '../../../../test/network.js'
import { createTestApi } from '../../../app/testing/test-api.js'
import { ethAccount, newPrivateKey } from '../../../hub/registry/eth-account.js'
import { type JsonSignature, signJson } from '../../../protocol/json-signature.js'
import { addClientKey, type ClientKey, clientKey, removeClientKey } from '../testing/client-key.js'
import { registerAddressHolders, signWithWallet } from '../testing/wallets.js'

const { db } = await createTestDatabase()
const clock = () => testNowUnix * 1000
const hub = await createTestHub(db)
const api = await createTestApi({ db, hub, clock })
const miniapps = { targetPolicy: { allowHttp: false, allowLoopback: false } }
const strict = await createTestApi({ db, hub, clock, miniapps })
const hubApi = await openHubApi(db, { hub })
const hubUrl = await hubApi.app.listen({ host: '127.0.0.1', port: 0 })
afterAll(() => hubApi.app.close())

const clients = { farcaster: 9152, base: 309857 }
/** Assigned downwards, since registration assigns fids upwards. */
let fids = 1_000

/** A new user with a key of each client. */
async function newUser(): Promise<TestUser> {
  fids -= 1
  const user = new TestUser(fids)
  await hub.submitOnChainEvents(user.onChain())
  for (const fid of Object.values(clients)) await addClientKey(hub, user, fid)
  return user
}

const notificationDetails = (token: string) => ({ url: 'https://client.example.org/notify', token })
const enabled = (token: string) => ({
  event: 'notifications_enabled',
  notificationDetails: notificationDetails(token),
})

/** Signs an event with the published library, as clients do. */
function signed(user: TestUser, payload: object, clientFid = clients.farcaster): JsonSignature {
  const { privateKey } = clientKey(user, clientFid)
  return signEvent({ fid: user.fid, privateKey }, payload)
}

const signEvent = ({ fid, privateKey }: { fid: number } & Pick<ClientKey, 'privateKey'>, payload: object) =>
  createJsonFarcasterSignature({
    fid,
    type: 'app_key',
    privateKey,
    payload: Buffer.from(JSON.stringify(payload)),
  })

async function post(body: object | string, to = api, appId = to.appId) {
  const reply = await to.app.inject({
    method: 'POST',
    url: `/f/app/${appId}/event`,
    headers: { 'content-type': 'application/json' },
    payload: body,
  })
  return [reply.statusCode, reply.json().message as string, reply.json().code as string | undefined] as const
}

const applied = [200, 'the event is applied', undefined] as const
const unchanged = [200, 'the event changes nothing', undefined] as const

async function tokensOf(user: { readonly fid: number }, to = api) {
  const reply = await to.get('frame/notification_tokens', { fids: user.fid })
  return (reply.json().notification_tokens as { client_fid: number; token: string; status: string }[]).map(
    ({ client_fid, token, status }) => [client_fid, token, status],
  )
}

describe("an event signed by a user's key", () => {
  it.each(['miniapp_added', 'frame_added', 'notifications_enabled'])('grants a token: %s', async (event) => {
    const user = await newUser()
    expect(await post(signed(user, { event, notificationDetails: notificationDetails('t1') }))).toEqual(
      applied,
    )
    const reply = await api.get('frame/notification_tokens', { fids: user.fid })
    expect(reply.json()).toEqual({
      notification_tokens: [
        {
          object: 'notification_token',
          fid: user.fid,
          client_fid: clients.farcaster,
          ...notificationDetails('t1'),
          status: 'enabled',
          created_at: expect.any(String),
          updated_at: expect.any(String),
        },
      ],
      next: { cursor: null },
    })
  })

  it.each([
    ['notifications_disabled', 'disabled'],
    ['miniapp_removed', 'invalid'],
    ['frame_removed', 'invalid'],
  ])('ends the token: %s', async (event, status) => {
    const user = await newUser()
    await post(signed(user, enabled('t1')))
    expect(await post(signed(user, { event }))).toEqual(applied)
    expect(await post(signed(user, { event }))).toEqual(unchanged)
    expect(await tokensOf(user)).toEqual([[clients.farcaster, 't1', status]])
    expect(await post(signed(user, enabled('t2')))).toEqual(applied)
    expect(await tokensOf(user)).toEqual([[clients.farcaster, 't2', 'enabled']])
  })

  it('adds a mini app without notifications and leaves tokens alone', async () => {
    const user = await newUser()
    expect(await post(signed(user, { event: 'miniapp_added' }))).toEqual(unchanged)
    expect(await tokensOf(user)).toEqual([])
    await post(signed(user, enabled('t1')))
    expect(await post(signed(user, { event: 'frame_added' }))).toEqual(unchanged)
    expect(await tokensOf(user)).toEqual([[clients.farcaster, 't1', 'enabled']])
  })

  it('affects only its own client and app', async () => {
    const user = await newUser()
    const other = await createTestApi({ db, hub, clock, appName: 'another' })
    await post(signed(user, enabled('t1')))
    expect(await post(signed(user, enabled('t2'), clients.base))).toEqual(applied)
    await post(signed(user, enabled('t3')), other)
    expect(await post(signed(user, { event: 'miniapp_removed' }, clients.base))).toEqual(applied)
    expect(await tokensOf(user)).toEqual([
      [clients.farcaster, 't1', 'enabled'],
      [clients.base, 't2', 'invalid'],
    ])
    expect(await tokensOf(user, other)).toEqual([[clients.farcaster, 't3', 'enabled']])
  })

  it('has no client when the key request cannot be decoded', async () => {
    const user = await newUser()
    expect(await post(signJson(user.fid, user.key, enabled('t1')))).toEqual(applied)
    expect(await tokensOf(user)).toEqual([[0, 't1', 'enabled']])
  })

  it('is accepted by the published library against our hub', async () => {
    const user = await newUser()
    const envelope = signed(user, { event: 'frame_added', notificationDetails: notificationDetails('t1') })
    const otherToken = await parseWebhookEvent(envelope, createVerifyAppKeyWithHub(hubUrl))
    expect(otherToken).toEqual({
      fid: user.fid,
      appFid: clients.farcaster,
      event: { event: 'miniapp_added', notificationDetails: notificationDetails('t1') },
    })
    expect(await post(envelope)).toEqual(applied)
    expect(await tokensOf(user)).toEqual([[otherToken.appFid, 't1', 'enabled']])
  })
})

describe('a repeated event', () => {
  it('changes nothing and succeeds', async () => {
    const user = await newUser()
    const envelope = signed(user, enabled('t1'))
    expect(await post(envelope)).toEqual(applied)
    expect(await post(envelope)).toEqual(unchanged)
    expect(await tokensOf(user)).toEqual([[clients.farcaster, 't1', 'enabled']])
  })

  it.each(['notifications_disabled', 'miniapp_removed'])(
    'does not restore a token that ended by %s, also by another event name',
    async (event) => {
      const user = await newUser()
      const old = signed(user, enabled('t1'))
      await post(old)
      await post(signed(user, { event }))
      const before = await tokensOf(user)
      const renamed = signed(user, { event: 'miniapp_added', notificationDetails: notificationDetails('t1') })
      for (const envelope of [old, renamed, old]) expect(await post(envelope)).toEqual(unchanged)
      expect(await tokensOf(user)).toEqual(before)
    },
  )

  it('does not replace a newer token', async () => {
    const user = await newUser()
    const old = signed(user, enabled('t1'))
    for (const token of ['t1', 't2', 't3']) await post(signed(user, enabled(token)))
    expect(await post(old)).toEqual(unchanged)
    expect(await tokensOf(user)).toEqual([[clients.farcaster, 't3', 'enabled']])
  })
})

describe("an event signed by a user's address", () => {
  it.each([
    ['custody', false],
    ['custody', true],
    ['auth', false],
    ['auth', true],
  ] as const)('is stored without a client: %s, signature as text: %s', async (type, isText) => {
    const holders = await registerAddressHolders({ db, hub, clock })
    const address = { type, holder: holders[type], isText }
    expect(await post(await signWithWallet(address, enabled('t1')))).toEqual(applied)
    expect(await tokensOf(holders.custody)).toEqual([[0, 't1', 'enabled']])
    expect(await post(await signWithWallet(address, { event: 'miniapp_removed' }))).toEqual(applied)
    expect(await tokensOf(holders.custody)).toEqual([[0, 't1', 'invalid']])
  })

  it('a foreign address -> refused', async () => {
    const [ownToken, otherToken] = [
      await registerAddressHolders({ db, hub, clock }),
      await registerAddressHolders({ db, hub, clock }),
    ]
    const { fid } = ownToken.custody
    const stranger = { fid, account: ethAccount(newPrivateKey()) }
    for (const address of [
      { type: 'custody', holder: stranger },
      { type: 'auth', holder: stranger },
      { type: 'auth', holder: ownToken.custody },
      { type: 'custody', holder: ownToken.auth },
      { type: 'custody', holder: { ...otherToken.custody, fid } },
    ] as const) {
      const envelope = await signWithWallet({ isText: false, ...address }, enabled('t1'))
      expect(await post(envelope)).toEqual([401, expect.stringMatching('is not the'), 'Unauthorized'])
    }
    const right = await signWithWallet(
      { type: 'custody', holder: ownToken.custody, isText: false },
      enabled('t1'),
    )
    const other = await signWithWallet(
      { type: 'custody', holder: ownToken.custody, isText: false },
      enabled('t2'),
    )
    expect(await post({ ...right, signature: other.signature })).toEqual([
      401,
      expect.stringMatching('is not of the address'),
      'Unauthorized',
    ])
    expect(await tokensOf(ownToken.custody)).toEqual([])
  })
})

describe('event refusals', () => {
  it('an invalid signature -> unauthenticated', async () => {
    const [user, other] = [await newUser(), await newUser()]
    const right = signed(user, enabled('t1'))
    const removed = 77_001
    await addClientKey(hub, user, removed)
    await removeClientKey(hub, user, removed)
    const wrong = {
      'of a key that nobody has': signEvent({ fid: user.fid, ...clientKey(user, 77_002) }, enabled('t1')),
      'of a key that was removed': signed(user, enabled('t1'), removed),
      'of another user’s key': signEvent(
        { fid: user.fid, ...clientKey(other, clients.farcaster) },
        enabled('t1'),
      ),
      'of a user that nobody knows': signEvent(
        { fid: 999_999, ...clientKey(user, clients.farcaster) },
        enabled('t1'),
      ),
      'with the payload of another': { ...right, payload: signed(user, enabled('t2')).payload },
      'with the signature of another': { ...right, signature: signed(user, enabled('t2')).signature },
      'with the header of another': { ...right, header: signed(other, enabled('t1')).header },
    }
    for (const [name, envelope] of Object.entries(wrong)) {
      expect([name, ...(await post(envelope))]).toEqual([
        name,
        401,
        expect.stringMatching(/^event refused: its /),
        'Unauthorized',
      ])
    }
    expect([...(await tokensOf(user)), ...(await tokensOf(other))]).toEqual([])
  })

  it('an invalid payload -> bad_request.invalid_param', async () => {
    const user = await newUser()
    const right = signed(user, enabled('t1'))
    const header = (said: object) => Buffer.from(JSON.stringify(said)).toString('base64url')
    const key = `0x${'01'.repeat(32)}`
    for (const body of [
      'no JSON',
      '[]',
      {},
      { ...right, signature: undefined },
      { ...right, header: 'not base64url!' },
      { ...right, header: header([]) },
      { ...right, header: header({ fid: '1', type: 'app_key', key }) },
      { ...right, header: header({ fid: 1, type: 'password', key }) },
      { ...right, header: header({ fid: 1, type: 'custody', key }) },
      { ...right, header: header({ fid: 1, type: 'app_key', key: 'x' }) },
      { ...right, signature: 'AA' },
      signed(user, {}),
      signed(user, { event: 'miniapp_stolen' }),
      signed(user, { event: 'toString' }),
      signed(user, { event: 'notifications_enabled' }),
      signed(user, {
        event: 'notifications_enabled',
        notificationDetails: { url: 'https://client.example.org' },
      }),
      signed(user, enabled('')),
      signed(user, enabled('a b')),
      signed(user, enabled('x'.repeat(513))),
    ]) {
      expect([body, ...(await post(body))]).toEqual([body, 400, expect.any(String), 'InvalidField'])
    }
    expect(await post({ ...right, more: 'x'.repeat(17_000) })).toEqual([413, expect.any(String), 'TooLarge'])
    expect(await tokensOf(user)).toEqual([])
  })

  it.each([
    'http://client.example.org/notify',
    'https://127.0.0.1/notify',
    'https://localhost/notify',
    'https://10.0.0.1/notify',
    'https://[fd00::1]/notify',
    'https://client.internal/notify',
    'https://user:secret@client.example.org/notify',
    'https://client.example.org:22/notify',
    'ftp://client.example.org/notify',
    'nothing',
    `https://client.example.org/${'x'.repeat(1_024)}`,
  ])('a forbidden notification URL %s -> refused', async (url) => {
    const user = await newUser()
    const event = { event: 'notifications_enabled', notificationDetails: { url, token: 't1' } }
    expect(await post(signed(user, event), strict)).toEqual([
      400,
      expect.stringMatching(/^notificationDetails\.url /),
      'InvalidField',
    ])
    expect(await post(signed(user, enabled('t1')), strict)).toEqual(applied)
  })

  it('an unknown app -> not_found', async () => {
    const user = await newUser()
    for (const appId of ['00000000-0000-4000-8000-000000000000', 'mine', api.appId.slice(1)]) {
      expect(await post(signed(user, enabled('t1')), api, appId)).toEqual([
        404,
        expect.any(String),
        'NotFound',
      ])
    }
  })

  it('counts against the rate limit of its address', async () => {
    const reply = await api.app.inject({ method: 'POST', url: `/f/app/${api.appId}/event`, payload: {} })
    expect([reply.statusCode, reply.headers['x-ratelimit-limit']]).toEqual([400, '6000'])
  })

  it('does not log the token', async () => {
    const user = await newUser()
    await post(signed(user, enabled('a-token-to-keep-secret')))
    await post({ ...signed(user, enabled('a-token-to-keep-secret')), signature: 'AA' })
    expect(api.lines.join('\n')).not.toContain('a-token-to-keep-secret')
  })
})
