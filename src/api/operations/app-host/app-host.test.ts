import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  createJsonFarcasterSignature,
  createVerifyAppKeyWithHub,
  type ParseWebhookEventResult,
  parseWebhookEvent,
} from '@farcaster/miniapp-node'
import { afterAll, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestHub } from '../../../../test/hub.js'
import { openHubApi } from '../../../../test/hub-api.js'
import { TestUser, testNowUnix } from '../../../../test/network.js'
import { createApp } from '../../../apps/apps.js'
import { dropOldOfHosts } from '../../../miniapps/hosts/retention.js'
import { addClientKey, type ClientKey } from '../../../miniapps/testing/client-key.js'
import { createNetClient } from '../../../net/net-client.js'
import { serveHttp } from '../../../net/testing/loopback-server.js'
import { createSigner } from '../../../signers/create-signer.js'
import { testVault } from '../../../signers/testing/approved-signer.js'
import { createTestApi } from '../../testing/test-api.js'

const { db } = await createTestDatabase()
let secondsAfter = 0
const clock = () => (testNowUnix + secondsAfter) * 1000
const hub = await createTestHub(db)
const hubApi = await openHubApi(db, { hub })
const hubUrl = await hubApi.app.listen({ host: '127.0.0.1', port: 0 })
const net = createNetClient({ policy: { allowHttp: true, allowLoopback: true }, userAgent: 'plaza test' })
afterAll(async () => {
  await hubApi.app.close()
  await net.close()
})
const publicUrl = () => 'https://plaza.example.org'
const api = await createTestApi({ db, hub, clock, net, publicUrl })
const CLIENT_FID = 7_001
let fids = 100

/** Somebody new, with a signer of the app that opens mini apps, whose fid is `CLIENT_FID`. */
async function newUser(): Promise<{ fid: number; key: ClientKey; signerUuid: string }> {
  fids += 1
  const user = new TestUser(fids)
  await hub.submitOnChainEvents(user.onChain())
  const key = await addClientKey(hub, user, CLIENT_FID)
  const { id } = await createSigner({ db, vault: testVault }, api.appId)
  await db`
    update signers.signers
    set public_key = ${key.publicKey}, sealed_key = ${testVault.seal(key.privateKey, `signer ${id}`)}
    where id = ${id}`
  return { fid: user.fid, key, signerUuid: id }
}

interface MiniApp {
  readonly domain: string
  /** What came, read by the published library, which asks our hub about keys. */
  readonly events: ParseWebhookEventResult[]
}

/** A mini app elsewhere, until the test ends. */
async function serveMiniApp(answer = (response: ServerResponse) => response.end('{}')): Promise<MiniApp> {
  const events: ParseWebhookEventResult[] = []
  const server = await serveHttp(async (request, response) => {
    const origin = `http://${request.headers.host}`
    if (request.url === '/.well-known/farcaster.json') {
      return response.end(JSON.stringify({ miniapp: { webhookUrl: `${origin}/webhook` } }))
    }
    expect([request.method, request.url]).toEqual(['POST', '/webhook'])
    const envelope = JSON.parse(await bodyOf(request))
    events.push(await parseWebhookEvent(envelope, createVerifyAppKeyWithHub(hubUrl)))
    return answer(response)
  })
  return { domain: `127.0.0.1:${server.port}`, events }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request) body += chunk
  return body
}

type User = Awaited<ReturnType<typeof newUser>>

const bySigner = ({ fid, signerUuid }: User, app_domain: string, event: string) =>
  api.send('POST', 'app_host/user/event', { app_domain, signer_uuid: signerUuid, fid, event })

async function eventToSign({ fid }: User, app_domain: string, event: string) {
  const reply = await api.get('app_host/user/event', { app_domain, fid, event })
  expect([reply.statusCode, reply.json()]).toEqual([200, expect.objectContaining({ event })])
  return reply.json() as { event: string; notificationDetails?: { url: string; token: string } }
}

const signedBy = ({ fid, key }: User, payload: object) =>
  createJsonFarcasterSignature({
    fid,
    type: 'app_key',
    privateKey: key.privateKey,
    payload: Buffer.from(JSON.stringify(payload)),
  })

const sendSigned = (app_domain: string, signed_message: object | string, to = api) =>
  to.send('POST', 'app_host/user/event', { app_domain, signed_message })

async function stateOf({ fid }: User, to = api) {
  return (await to.get('app_host/user/state', { fid })).json().notifications_enabled
}

const ok = (domain: string) => [
  200,
  { success: true, message: `the mini app at ${domain} has taken the event` },
]

describe('an event that is signed here', () => {
  it('reaches the webhook of the manifest, and is good to whoever checks it on a hub', async () => {
    const [user, app] = [await newUser(), await serveMiniApp()]
    const url = 'https://plaza.example.org/f/host/notifications'
    for (const event of ['frame_added', 'notifications_enabled', 'notifications_disabled', 'frame_removed']) {
      const reply = await bySigner(user, app.domain, event)
      expect([reply.statusCode, reply.json()]).toEqual(ok(app.domain))
    }
    const from = { fid: user.fid, appFid: CLIENT_FID }
    expect(app.events).toEqual([
      { ...from, event: { event: 'miniapp_added' } },
      {
        ...from,
        event: {
          event: 'notifications_enabled',
          notificationDetails: { url, token: expect.stringMatching(/^[\w-]{43}$/) },
        },
      },
      { ...from, event: { event: 'notifications_disabled' } },
      { ...from, event: { event: 'miniapp_removed' } },
    ])
  })

  it('asks for the user of the signer, and for what has happened', async () => {
    const [user, other] = [await newUser(), await newUser()]
    const body = {
      app_domain: 'tulips.example.org',
      signer_uuid: user.signerUuid,
      fid: user.fid,
      event: 'frame_added',
    }
    for (const [more, property] of [
      [{ fid: other.fid }, 'fid'],
      [{ fid: undefined }, 'fid'],
      [{ event: undefined }, 'event'],
      [{ event: 'miniapp_stolen' }, 'event'],
      [{ signer_uuid: undefined }, 'signer_uuid'],
      [{ signed_message: 'x' }, 'signer_uuid'],
      [{ app_domain: 'https://tulips.example.org' }, 'app_domain'],
      [{ app_domain: 'tulips.example.org/path' }, 'app_domain'],
      [{ app_domain: 'tulips.example.org:8443' }, 'app_domain'],
    ] as const) {
      const reply = await api.send('POST', 'app_host/user/event', { ...body, ...more })
      expect([reply.statusCode, reply.json().property]).toEqual([400, property])
    }
  })
})

describe('an event that the app has the user sign', () => {
  it.each([
    ['an object', (signed: object) => signed],
    ['JSON', (signed: object) => JSON.stringify(signed)],
    ['texts with dots in between', (signed: object) => Object.values(signed).join('.')],
  ])('is brought to the mini app as it is, given as %s', async (_, spell) => {
    const [user, app] = [await newUser(), await serveMiniApp()]
    const event = await eventToSign(user, app.domain, 'notifications_enabled')
    const reply = await sendSigned(app.domain, spell(signedBy(user, event)))
    expect([reply.statusCode, reply.json()]).toEqual(ok(app.domain))
    expect(app.events).toEqual([{ fid: user.fid, appFid: CLIENT_FID, event }])
    expect(await stateOf(user)).toMatchObject([{ domain: app.domain, status: 'valid' }])
  })

  it('is refused when it is not proven, or is of a token that was not made for it', async () => {
    const [user, other, app] = [await newUser(), await newUser(), await serveMiniApp()]
    const another = await createTestApi({ db, hub, clock, net, publicUrl, appName: 'another host' })
    const event = await eventToSign(user, app.domain, 'notifications_enabled')
    const elsewhere = {
      ...event,
      notificationDetails: { ...event.notificationDetails, url: 'https://a.example.org' },
    }
    const right = signedBy(user, event)
    for (const [message, to] of [
      ['nothing'],
      [{ ...right, signature: signedBy(other, event).signature }],
      [signedBy({ ...user, key: other.key }, event)],
      [signedBy(user, { event: 'miniapp_stolen' })],
      [signedBy(user, elsewhere)],
      [signedBy(user, await eventToSign(user, 'tulips.example.org', 'notifications_enabled'))],
      [signedBy(user, await eventToSign(other, app.domain, 'notifications_enabled'))],
      [right, another],
    ] as const) {
      const reply = await sendSigned(app.domain, message, to)
      expect([message, reply.statusCode, reply.json()]).toEqual([
        message,
        400,
        expect.objectContaining({ code: 'InvalidField', property: 'signed_message' }),
      ])
    }
    expect(app.events).toEqual([])
    expect(await stateOf(user)).toEqual([])
  })

  it('is for a user whom the hub knows', async () => {
    const reply = await api.get('app_host/user/event', {
      app_domain: 'tulips.example.org',
      fid: 999_999,
      event: 'frame_added',
    })
    expect([reply.statusCode, reply.json().property]).toEqual([404, 'fid'])
  })

  it('has no token while mini apps could not reach this server', async () => {
    const user = await newUser()
    const local = await createTestApi({
      db,
      hub,
      clock,
      miniapps: { targetPolicy: { allowHttp: false, allowLoopback: false } },
    })
    const asked = { app_domain: 'tulips.example.org', fid: user.fid, event: 'notifications_enabled' }
    const reply = await local.get('app_host/user/event', asked)
    expect([reply.statusCode, reply.json()]).toEqual([
      501,
      expect.objectContaining({ message: expect.stringContaining('PUBLIC_URL') }),
    ])
  })
})

describe('the mini apps that may notify a user', () => {
  it('are those that have taken the event, until the user says otherwise', async () => {
    const [user, one, two] = [await newUser(), await serveMiniApp(), await serveMiniApp()]
    await eventToSign(user, one.domain, 'notifications_enabled')
    expect(await stateOf(user)).toEqual([])
    for (const { domain } of [one, two, one]) await bySigner(user, domain, 'notifications_enabled')
    const domains = [one.domain, two.domain].sort()
    expect(await stateOf(user)).toEqual(
      domains.map((domain) => ({ domain, status: 'valid', updated_at: expect.any(String) })),
    )
    await bySigner(user, one.domain, 'notifications_disabled')
    expect(await stateOf(user)).toMatchObject([{ domain: two.domain }])
    await bySigner(user, two.domain, 'frame_removed')
    expect(await stateOf(user)).toEqual([])
    const another = await createTestApi({ db, hub, clock, net, publicUrl, appName: 'another host' })
    await bySigner(user, one.domain, 'notifications_enabled')
    expect(await stateOf(user, another)).toEqual([])
  })

  it('do not get on it by an event that they did not take, and are off it by one all the same', async () => {
    const user = await newUser()
    let status = 500
    const app = await serveMiniApp((response) => response.writeHead(status).end('not now'))
    const failed = await bySigner(user, app.domain, 'notifications_enabled')
    expect([failed.statusCode, failed.json()]).toEqual([
      502,
      expect.objectContaining({
        code: 'OtherSideFailed',
        property: 'app_domain',
        message: expect.stringContaining('answered 500: not now'),
      }),
    ])
    expect(await stateOf(user)).toEqual([])
    status = 200
    await bySigner(user, app.domain, 'notifications_enabled')
    expect(await stateOf(user)).toHaveLength(1)
    status = 503
    expect((await bySigner(user, app.domain, 'notifications_disabled')).statusCode).toBe(502)
    expect(await stateOf(user)).toEqual([])
  })
})

it.each([
  ['has no manifest', 404, (response: ServerResponse) => response.writeHead(404).end()],
  ['names no webhook', 404, (response: ServerResponse) => response.end('{"miniapp":{"name":"tulips"}}')],
  ['fails', 502, (response: ServerResponse) => response.writeHead(500).end()],
  ['has a manifest that is not JSON', 502, (response: ServerResponse) => response.end('<html>')],
  [
    'has an endless manifest',
    502,
    (response: ServerResponse) => response.end(`{"a":"${'a'.repeat(300_000)}"}`),
  ],
  ['hangs up', 502, (response: ServerResponse) => response.destroy()],
  [
    'has its webhook where nobody may be sent',
    400,
    (response: ServerResponse) => response.end('{"frame":{"webhookUrl":"http://10.0.0.1/"}}'),
  ],
])('tells of a mini app that %s: %i', async (_, status, answer) => {
  const [user, server] = [await newUser(), await serveHttp((_request, response) => answer(response))]
  const reply = await bySigner(user, `127.0.0.1:${server.port}`, 'frame_added')
  expect([reply.statusCode, reply.json()]).toEqual([
    status,
    expect.objectContaining({ property: 'app_domain', message: expect.stringMatching(/./) }),
  ])
})

/** Tells something by tokens, as mini apps do. */
async function tell(tokens: readonly string[], more: object = {}) {
  const reply = await api.app.inject({
    method: 'POST',
    url: '/f/host/notifications',
    payload: {
      notificationId: 'spring',
      title: 'Spring is here',
      body: 'Come and see the tulips',
      targetUrl: 'https://garden.example.org/tulips',
      tokens,
      ...more,
    },
  })
  return [reply.statusCode, reply.json().result ?? reply.json().code]
}

const outcome = (part: object) => [
  200,
  { successfulTokens: [], invalidTokens: [], rateLimitedTokens: [], failedTokens: [], ...part },
]

describe('a mini app of this server', () => {
  const domain = 'garden.example.org'
  const made = createApp(db, { name: 'garden', miniAppDomain: domain })

  async function tokenFor(user: User): Promise<string> {
    expect((await bySigner(user, domain, 'notifications_enabled')).statusCode).toBe(200)
    const [row] = await db<{ token: string }[]>`
      select token from miniapps.tokens
      where app_id = ${(await made).id} and fid = ${user.fid} and client_fid = ${CLIENT_FID} and state = 'enabled'`
    return row!.token
  }

  const listOf = async (user: User, query = {}) =>
    (await api.get('app_host/user/notifications', { fid: user.fid, ...query })).json()

  it('has the token at once, and by it what it says reaches the app for its user', async () => {
    const [user, other] = [await newUser(), await newUser()]
    const [token, othersToken] = [await tokenFor(user), await tokenFor(other)]
    expect(await tell([token, othersToken, 'unknown'])).toEqual(
      outcome({ successfulTokens: expect.arrayContaining([token, othersToken]), invalidTokens: ['unknown'] }),
    )
    secondsAfter += 31
    await tell([token], { notificationId: 'summer', title: 'Summer' })
    const first = await listOf(user, { limit: 1 })
    expect(first.notifications).toEqual([
      {
        object: 'mini_app_notification',
        domain,
        notification_id: 'summer',
        title: 'Summer',
        body: 'Come and see the tulips',
        target_url: 'https://garden.example.org/tulips',
        created_at: new Date(clock()).toISOString(),
      },
    ])
    const second = await listOf(user, { limit: 1, cursor: first.next.cursor })
    expect(second).toMatchObject({ notifications: [{ notification_id: 'spring' }], next: { cursor: null } })
    expect((await listOf(other)).notifications).toHaveLength(1)
  })

  it('tells a user the same thing once, not too often, and nothing that leads elsewhere', async () => {
    const user = await newUser()
    const token = await tokenFor(user)
    const successful = outcome({ successfulTokens: [token] })
    expect(await tell([token])).toEqual(successful)
    expect(await tell([token])).toEqual(successful)
    const limited = outcome({ rateLimitedTokens: [token] })
    expect(await tell([token], { notificationId: 'again' })).toEqual(limited)
    secondsAfter += 31
    expect(await tell([token], { notificationId: 'again' })).toEqual(successful)
    for (const targetUrl of [
      'https://weeds.example.org/',
      'http://garden.example.org/',
      'javascript:1',
      'x',
    ]) {
      expect(await tell([token], { notificationId: 'bait', targetUrl })).toEqual(
        outcome({ failedTokens: [{ token, reason: 'target_url_mismatch' }] }),
      )
    }
    expect((await listOf(user)).notifications).toHaveLength(2)
    await db`
      insert into miniapps.host_notifications (
        app_id, fid, domain, token, notification_id, title, body, target_url, created_at
      )
      select app_id, fid, domain, token, n, '', '', '', to_timestamp(${clock() / 1000}) - interval '1 hour'
      from miniapps.host_tokens, generate_series(1, 98) as n
      where token = ${token}`
    secondsAfter += 31
    expect(await tell([token], { notificationId: 'too many' })).toEqual(limited)
  })

  it('cannot use a token that has ended, or that it was never told', async () => {
    const user = await newUser()
    const token = await tokenFor(user)
    const next = await tokenFor(user)
    const offered = (await eventToSign(user, domain, 'notifications_enabled')).notificationDetails!.token
    expect(await tell([token, offered])).toEqual(outcome({ invalidTokens: [token, offered] }))
    await bySigner(user, domain, 'notifications_disabled')
    expect(await tell([next])).toEqual(outcome({ invalidTokens: [next] }))
    expect(await listOf(user)).toEqual({ notifications: [], next: { cursor: null } })
  })

  it('is forgotten bit by bit: what it said after 30 days, tokens a day after they were no more', async () => {
    const user = await newUser()
    const [ended, standing] = [await tokenFor(user), await tokenFor(user)]
    await eventToSign(user, domain, 'notifications_enabled')
    await tell([standing])
    const left = async () => [
      (await db`select from miniapps.host_tokens where fid = ${user.fid}`).length,
      (await listOf(user)).notifications.length,
    ]
    const age = async (days: number) => {
      const timestamp = new Date(Date.now() - days * 86_400_000)
      await db`update miniapps.host_notifications set created_at = ${timestamp} where fid = ${user.fid}`
      await db`update miniapps.host_tokens set updated_at = ${timestamp} where fid = ${user.fid}`
      await dropOldOfHosts(db)
    }
    expect([await left(), await tell([ended])]).toEqual([[3, 1], outcome({ invalidTokens: [ended] })])
    await age(0.9)
    expect(await left()).toEqual([3, 1])
    await age(1.1)
    expect(await left()).toEqual([2, 1])
    await age(30.5)
    expect(await left()).toEqual([2, 0])
    await age(31.5)
    expect([await left(), await tell([standing], { notificationId: 'again' })]).toEqual([
      [1, 0],
      outcome({ successfulTokens: [standing] }),
    ])
  })

  it('keeps to the bounds of the protocol', async () => {
    for (const more of [
      { title: 'x'.repeat(33) },
      { body: 'x'.repeat(129) },
      { notificationId: 'x'.repeat(129) },
      { targetUrl: 'x'.repeat(1_025) },
      { tokens: [] },
      { tokens: Array.from({ length: 101 }, (_, number) => `${number}`) },
      { title: undefined },
    ]) {
      expect([more, ...(await tell(['x'], more))]).toEqual([more, 400, 'InvalidField'])
    }
  })
})
