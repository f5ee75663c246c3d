import type { ServerResponse } from 'node:http'
import { afterAll, describe, expect, it } from 'vitest'
import { testNow, testNowUnix } from '../../../../test/network.js'
import { createTestApi } from '../../../app/testing/test-api.js'
import { createWorkLimits } from '../../../platform/limits/work-limits.js'
import { createNetClient } from '../../../platform/outbound/net-client.js'
import { createPublishingNetwork } from '../../publishing/routes/testing/publishing-network.js'
import { serveFrame } from '../testing/served-frame.js'

const net = createNetClient({ policy: { allowHttp: true, allowLoopback: true }, userAgent: 'plaza test' })
afterAll(() => net.close())
const { db, hub, api, users, signers } = await createPublishingNetwork({ net })
const [, bob] = users
const cast = bob.cast('press this', testNow - 300)
expect(await hub.submit([cast])).toEqual([null])
const cast_hash = cast.hash.toString('hex')

/** A pressed button of a frame at this origin. */
const pressed = (origin: string, button: object = {}, more: object = {}) => ({
  version: 'vNext',
  title: 'Tulips',
  image: `${origin}/first.png`,
  frames_url: `${origin}/tulips`,
  post_url: `${origin}/post`,
  button: { index: 1, action_type: 'post', title: 'Water', ...button },
  ...more,
})

const act = (action: object, more: object = {}) =>
  api.send('POST', 'frame/action', { signer_uuid: signers[0], cast_hash, action, ...more })

/** Frames that do not answer with a frame, and the replies about them. */
const failures: [string, number, string, (response: ServerResponse) => unknown][] = [
  [
    'refuses with a text',
    400,
    'too late',
    (response) => response.writeHead(400).end('{"message":"too late"}'),
  ],
  ['fails', 502, 'answered 500', (response) => response.writeHead(500).end()],
  ['answers with no frame', 502, 'no frame', (response) => response.end('<title>x</title>')],
  ['redirects a post', 502, 'answered 302', (response) => response.writeHead(302, { location: '/x' }).end()],
]

describe('POST frame/action', () => {
  it('a button without an action posts', async () => {
    const { origin, posted } = await serveFrame()
    const { button: _, ...frame } = pressed(origin)
    const reply = await act({ ...frame, button: { index: 1 } })
    expect([reply.statusCode, posted.length]).toEqual([200, 1])
  })

  it('takes the members of a shown frame, in strict requests too', async () => {
    const { origin } = await serveFrame()
    const body = { signer_uuid: signers[0], cast_hash, action: pressed(origin) }
    const reply = await api.send('POST', 'frame/action', body, { prefer: 'handling=strict' })
    expect(reply.statusCode, reply.body).toBe(200)
  })

  it('posts the signed action and returns the next frame', async () => {
    const { origin, posted } = await serveFrame()
    const reply = await act(
      pressed(
        origin,
        {},
        { input: { text: 'a lot' }, state: { serialized: 's1' }, address: `0x${'02'.repeat(20)}` },
      ),
    )
    expect([reply.statusCode, reply.json()]).toEqual([
      200,
      {
        version: 'vNext',
        frames_url: `${origin}/tulips`,
        image: `${origin}/next.png`,
        title: 'Tulips',
        buttons: [{ index: 1, action_type: 'post', title: 'Again' }],
        input: {},
        state: {},
        post_url: `${origin}/again`,
      },
    ])
    expect(posted).toEqual([
      {
        path: '/post',
        untrustedData: {
          fid: 1,
          url: `${origin}/tulips`,
          messageHash: expect.stringMatching(/^0x[\da-f]{40}$/),
          timestamp: testNowUnix * 1000,
          network: 3,
          buttonIndex: 1,
          inputText: 'a lot',
          state: 's1',
          transactionId: '',
          address: `0x${'02'.repeat(20)}`,
          castId: { fid: 2, hash: `0x${cast_hash}` },
        },
        trustedData: { messageBytes: expect.stringMatching(/^[\da-f]+$/) },
      },
    ])
    const { messageBytes } = posted[0]!.trustedData
    const validated = await api.send('POST', 'frame/validate', { message_bytes_in_hex: messageBytes })
    expect(validated.json()).toMatchObject({
      valid: true,
      action: {
        url: `${origin}/tulips`,
        interactor: { fid: 1 },
        input: { text: 'a lot' },
        state: { serialized: 's1' },
        cast: { hash: `0x${cast_hash}` },
      },
    })
  })

  it('a redirect of a post_redirect button is passed on', async () => {
    const { origin, posted } = await serveFrame((response) => {
      response.writeHead(302, { location: '/garden' }).end()
    })
    const reply = await act(pressed(origin, { action_type: 'post_redirect', target: `${origin}/go` }))
    expect([reply.statusCode, reply.headers.location, reply.json()]).toEqual([
      302,
      `${origin}/garden`,
      { location: `${origin}/garden` },
    ])
    expect(posted[0]!.path).toBe('/go')
  })

  it('a transaction is posted with its hash, to the URL of its button', async () => {
    const { origin, posted } = await serveFrame()
    const hash = `0x${'0a'.repeat(32)}`
    const button = { action_type: 'tx', target: `${origin}/data`, post_url: `${origin}/sent` }
    expect((await act(pressed(origin, button, { transaction: { hash } }))).statusCode).toBe(200)
    expect(posted).toMatchObject([{ path: '/sent', untrustedData: { transactionId: hash } }])
    expect((await act(pressed(origin, button))).json()).toMatchObject({
      status: 400,
      property: 'action.transaction',
    })
  })

  it.each(failures)('a frame that %s -> %i', async (_, status, text, respond) => {
    const { origin } = await serveFrame((response) => void respond(response))
    const reply = await act(pressed(origin))
    expect([reply.statusCode, reply.json().message]).toEqual([status, expect.stringContaining(text)])
  })

  it.each([
    ['link', {}, 'action.button.action_type'],
    ['mint', {}, 'action.button.action_type'],
    ['post', { cast_hash: '00'.repeat(20) }, 'cast_hash'],
    ['post', { action: pressed('http://10.0.0.1') }, 'action'],
    ['post', { action: pressed('https://a.example.org', {}, { address: 'mine' }) }, 'action.address'],
    ['post', { action: pressed('https://a.example.org', { index: 6 }) }, 'action.button.index'],
  ])('400: %s %o', async (action_type, more, property) => {
    const { origin, posted } = await serveFrame()
    const reply = await act(pressed(origin, { action_type }), more)
    expect([reply.statusCode, reply.json().property]).toEqual([400, property])
    expect(posted).toEqual([])
  })
})

describe('POST frame/developer_managed/action', () => {
  it('posts the packet of the client as it is', async () => {
    const { origin, posted } = await serveFrame()
    const signature_packet = {
      untrustedData: { fid: 9, buttonIndex: 1, castId: { fid: 2, hash: '0x01' } },
      trustedData: { messageBytes: '0aff' },
    }
    const body = { action: pressed(origin), signature_packet, cast_hash }
    const reply = await api.send('POST', 'frame/developer_managed/action', body)
    expect([reply.statusCode, reply.json().image]).toEqual([200, `${origin}/next.png`])
    expect(posted).toEqual([{ path: '/post', ...signature_packet }])
  })
})

describe('limits', () => {
  const pressedOften = (origin: string) => ({
    action: pressed(origin),
    signature_packet: { untrustedData: {}, trustedData: { messageBytes: '00' } },
  })

  it('a key has 16 frames that have not answered; one that answers frees its place', async () => {
    const responses: ServerResponse[] = []
    const { origin, posted } = await serveFrame((response) => void responses.push(response))
    const press = () => api.send('POST', 'frame/developer_managed/action', pressedOften(origin))
    const waiting = Array.from({ length: 16 }, press)
    await expect.poll(() => posted.length).toBe(16)
    expect((await press()).json()).toMatchObject({
      status: 429,
      message: 'too many frames are being asked for this API key: 16',
    })
    for (const response of responses) response.writeHead(400).end()
    for (const reply of await Promise.all(waiting)) expect(reply.statusCode).toBe(400)
    const next = press()
    await expect.poll(() => responses.length).toBe(17)
    responses[16]!.writeHead(400).end()
    expect((await next).statusCode).toBe(400)
  })

  it('a caller that has used up its budget of work is refused before the frame is asked', async () => {
    const workLimits = createWorkLimits({ clock: () => 0, budgetMs: 60, refusalMs: 0 })
    const limited = await createTestApi({ db, net, workLimits })
    const { origin, posted } = await serveFrame()
    const press = async () => {
      const pressed = pressedOften(origin)
      const { statusCode, headers } = await limited.send('POST', 'frame/developer_managed/action', pressed)
      return [statusCode, headers['ratelimit-remaining']]
    }
    expect([await press(), await press(), await press()]).toEqual([
      [200, '30'],
      [200, '0'],
      [429, '0'],
    ])
    expect(posted).toHaveLength(2)
  })
})
