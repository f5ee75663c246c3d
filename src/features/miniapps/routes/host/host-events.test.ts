import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { serveHttp } from '../../../../platform/outbound/testing/loopback-server.js'
import { createHostScene, HOST_FID, type HostTestUser, signedEvent } from './testing/host-scene.js'

const { api, openApi, newUser, serveMiniApp, bySigner, eventToSign } = await createHostScene()

const sendSigned = (app_domain: string, signed_message: object | string, to = api) =>
  to.send('POST', 'app_host/user/event', { app_domain, signed_message })

async function stateOf({ fid }: HostTestUser, to = api) {
  return (await to.get('app_host/user/state', { fid })).json().notifications_enabled
}

const ok = (domain: string) => [
  200,
  { success: true, message: `the mini app at ${domain} has accepted the event` },
]

describe('an event that the server signs', () => {
  it('reaches the webhook of the manifest, and verifies on a hub', async () => {
    const [user, app] = [await newUser(), await serveMiniApp()]
    const url = 'https://plaza.example.org/f/host/notifications'
    for (const event of ['frame_added', 'notifications_enabled', 'notifications_disabled', 'frame_removed']) {
      const reply = await bySigner(user, app.domain, event)
      expect([reply.statusCode, reply.json()]).toEqual(ok(app.domain))
    }
    const from = { fid: user.fid, appFid: HOST_FID }
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

  it('requires the user of the signer and the event', async () => {
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
      [{ signer_uuid: '' }, 'signer_uuid'],
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

describe('an event that the user signs', () => {
  it.each([
    ['an object', (signed: object) => signed],
    ['JSON', (signed: object) => JSON.stringify(signed)],
    ['texts with dots in between', (signed: object) => Object.values(signed).join('.')],
  ])('is brought to the mini app as it is, given as %s', async (_, spell) => {
    const [user, app] = [await newUser(), await serveMiniApp()]
    const event = await eventToSign(user, app.domain, 'notifications_enabled')
    const reply = await sendSigned(app.domain, spell(signedEvent(user, event)))
    expect([reply.statusCode, reply.json()]).toEqual(ok(app.domain))
    expect(app.events).toEqual([{ fid: user.fid, appFid: HOST_FID, event }])
    expect(await stateOf(user)).toMatchObject([{ domain: app.domain, status: 'valid' }])
  })

  it('other members must agree with the signed event', async () => {
    const [user, app] = [await newUser(), await serveMiniApp()]
    const signed_message = signedEvent(user, { event: 'miniapp_added' })
    const same = { app_domain: app.domain, fid: user.fid, event: 'frame_added', signer_uuid: '' }
    for (const [more, status, property] of [
      [{}, 200],
      [{ fid: user.fid + 1 }, 400, 'fid'],
      [{ event: 'frame_removed' }, 400, 'event'],
      [{ signer_uuid: user.signerUuid }, 400, 'signer_uuid'],
    ] as const) {
      const reply = await api.send('POST', 'app_host/user/event', { ...same, signed_message, ...more })
      expect([more, reply.statusCode, reply.json().property]).toEqual([more, status, property])
    }
    expect(app.events).toHaveLength(1)
  })

  it('invalid signature or foreign token -> refused', async () => {
    const [user, other, app] = [await newUser(), await newUser(), await serveMiniApp()]
    const another = await openApi({ appName: 'another host' })
    const event = await eventToSign(user, app.domain, 'notifications_enabled')
    const elsewhere = {
      ...event,
      notificationDetails: { ...event.notificationDetails, url: 'https://a.example.org' },
    }
    const right = signedEvent(user, event)
    for (const [message, to] of [
      ['nothing'],
      [{ ...right, signature: signedEvent(other, event).signature }],
      [signedEvent({ ...user, key: other.key }, event)],
      [signedEvent(user, { event: 'miniapp_stolen' })],
      [signedEvent(user, elsewhere)],
      [signedEvent(user, await eventToSign(user, 'tulips.example.org', 'notifications_enabled'))],
      [signedEvent(user, await eventToSign(other, app.domain, 'notifications_enabled'))],
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

  it('an unknown user -> refused', async () => {
    const fid = 999_999
    const replies = [
      await api.get('app_host/user/event', { app_domain: 'tulips.example.org', fid, event: 'frame_added' }),
      await api.get('app_host/user/state', { fid }),
    ]
    for (const reply of replies) expect([reply.statusCode, reply.json().property]).toEqual([404, 'fid'])
  })

  it('no public URL -> no token', async () => {
    const user = await newUser()
    const local = await openApi({
      publicUrl: () => 'http://127.0.0.1:8080',
      miniapps: { targetPolicy: { allowHttp: false, allowLoopback: false } },
    })
    const eventRequest = { app_domain: 'tulips.example.org', fid: user.fid, event: 'notifications_enabled' }
    const reply = await local.get('app_host/user/event', eventRequest)
    expect([reply.statusCode, reply.json()]).toEqual([
      501,
      expect.objectContaining({ message: expect.stringContaining('PUBLIC_URL') }),
    ])
  })
})

describe('the mini apps that may notify a user', () => {
  it('are those that accepted the event, until the user disables them', async () => {
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
    const another = await openApi({ appName: 'another host' })
    await bySigner(user, one.domain, 'notifications_enabled')
    expect(await stateOf(user, another)).toEqual([])
  })

  it('a refused event enables nothing, but disables', async () => {
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

it('events of a user reach a mini app one after the other, and the token of the last one is valid', async () => {
  const [user, other] = [await newUser(), await newUser()]
  const unanswered: ServerResponse[] = []
  const app = await serveMiniApp((response) => {
    if (unanswered.length > 0) return response.end('{}')
    unanswered.push(response)
    return response
  })
  const eventsOfUser = () => app.events.filter(({ fid }) => fid === user.fid)
  const first = bySigner(user, app.domain, 'notifications_enabled')
  await expect.poll(() => unanswered).toHaveLength(1)
  const second = bySigner(user, app.domain, 'notifications_enabled')
  // That of another user waits for neither.
  expect((await bySigner(other, app.domain, 'notifications_enabled')).statusCode).toBe(200)
  expect(eventsOfUser()).toHaveLength(1)
  unanswered[0]!.end('{}')
  expect((await Promise.all([first, second])).map(({ statusCode }) => statusCode)).toEqual([200, 200])
  const { token } = (eventsOfUser().at(-1)!.event as { notificationDetails: { url: string; token: string } })
    .notificationDetails
  const notification = { notificationId: 'a', title: 'b', body: 'c', targetUrl: `https://${app.domain}/` }
  const reply = await api.app.inject({
    method: 'POST',
    url: '/f/host/notifications',
    payload: { ...notification, tokens: [token] },
  })
  expect(reply.json()).toMatchObject({ result: { successfulTokens: [token] } })
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
