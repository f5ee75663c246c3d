import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, expect, it } from 'vitest'
import { testNowUnix } from '../../../../test/network.js'
import { createNetClient } from '../../../platform/outbound/net-client.js'
import { serveHttp, serveTcp } from '../../../platform/outbound/testing/loopback-server.js'
import { verifyEd25519 } from '../../../protocol/ed25519.js'
import { createPublishingNetwork } from './testing/publishing-network.js'

const net = createNetClient({ policy: { allowHttp: true, allowLoopback: true }, userAgent: 'plaza test' })
const { api, signers } = await createPublishingNetwork({ net })
afterAll(() => net.close())

const action = { type: 'garden.water', payload: { flowers: ['tulip'], much: true } }

const send = (base_url: string, more: object = {}) =>
  api.send('POST', 'action', { signer_uuid: signers[0], base_url, action, ...more })

interface Received {
  request: IncomingMessage
  body: string
}

/** An app that takes actions, what it received, and where it is. */
async function otherApp(answer: (response: ServerResponse) => void) {
  const received: Received[] = []
  const server = await serveHttp((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      received.push({ request, body })
      answer(response)
    })
  })
  return { origin: server.origin, received }
}

it('sends the signed action and returns the other app’s reply', async () => {
  const app = await otherApp((response) =>
    response.setHeader('content-type', 'application/json').end('{"wet":[1]}'),
  )
  const reply = await send(`${app.origin}/garden/`)
  expect([reply.statusCode, reply.json()]).toEqual([200, { wet: [1] }])
  const [{ request, body }] = app.received as [Received]
  expect([request.method, request.url, request.headers['content-type']]).toEqual([
    'POST',
    '/garden/api/farcaster/action',
    'application/json',
  ])
  expect(JSON.parse(body)).toEqual(action)
  const token = request.headers.authorization!.replace(/^Bearer /, '')
  const [header, payload, signature] = token.split('.') as [string, string, string]
  const { fid, type, key } = JSON.parse(Buffer.from(header, 'base64url').toString())
  expect([fid, type]).toEqual([1, 'app_key'])
  expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toEqual({
    action,
    fid: 1,
    aud: app.origin,
    iat: testNowUnix,
    exp: testNowUnix + 300,
  })
  const publicKey = Buffer.from(key.slice(2), 'hex')
  const signed = Buffer.from(`${header}.${payload}`)
  expect(verifyEd25519(Buffer.from(signature, 'base64url'), signed, publicKey)).toBe(true)
})

it.each([
  [
    'refuses',
    (response: ServerResponse) => response.writeHead(403).end('not yours'),
    /answered 403: not yours/,
  ],
  ['answers no JSON', (response: ServerResponse) => response.end('<html>'), /not JSON/],
  ['answers a list', (response: ServerResponse) => response.end('[]'), /not a JSON object/],
  [
    'redirects',
    (response: ServerResponse) => response.writeHead(302, { location: '/x' }).end(),
    /answered 302/,
  ],
  [
    'answers without end',
    (response: ServerResponse) => response.end(`{"a":"${'a'.repeat(300_000)}"}`),
    /larger than 262144/,
  ],
])('tells honestly when the other app %s', async (_, answer, message) => {
  const app = await otherApp(answer)
  const reply = await send(app.origin)
  expect([reply.statusCode, reply.json()]).toEqual([
    502,
    expect.objectContaining({
      code: 'OtherSideFailed',
      property: 'base_url',
      message: expect.stringMatching(message),
    }),
  ])
})

it('no server, or no HTTP -> 502', async () => {
  const gone = await serveTcp((socket) => socket.end('what?\n'))
  const reply = await send(gone.origin)
  expect([reply.statusCode, reply.json().code]).toEqual([502, 'OtherSideFailed'])
})

it.each([
  'http://10.0.0.1',
  'ftp://a.example.com',
  'https://user:secret@a.example.com',
  'https://localhost.internal',
  'nothing',
  'https://a.example.com/?x=1',
])('does not go to %s', async (base_url) => {
  const reply = await send(base_url)
  expect([reply.statusCode, reply.json()]).toEqual([
    400,
    expect.objectContaining({ code: 'InvalidField', property: 'base_url' }),
  ])
})

it('never logs the token', async () => {
  const app = await otherApp((response) => response.writeHead(500).end('no'))
  await send(app.origin)
  const token = app.received[0]!.request.headers.authorization!.split('.').at(-1)!
  expect(api.lines.join('\n')).not.toContain(token)
})
