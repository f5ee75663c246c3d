import { request } from 'node:http'
import { connect } from 'node:net'
import { operations } from '../../src/app/operations.js'
import type { Operation } from '../../src/features/operation.js'

/** A request with a secret in the wrong place. */
export interface MisplacedSecret {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

const json = { 'content-type': 'application/json' }

/**
 * Puts a secret in paths, queries, headers, bodies, and in every parameter and member of operations.
 *
 * @param key A valid API key.
 */
export function misplacedSecrets(
  secret: string,
  key: string,
  inOperations: readonly Operation[] = operations,
): MisplacedSecret[] {
  const withKey = { 'x-api-key': key }
  const post = (path: string, body: string, headers: Readonly<Record<string, string>> = json) => ({
    method: 'POST',
    path,
    headers: { ...withKey, ...headers },
    body,
  })
  const encodedSecret = encodeURIComponent(secret)
  return [
    ...[
      '/',
      '/v1/',
      '/v2/',
      '/v2/farcaster/',
      '/v2/farcaster/user/',
      '/admin/',
      '/approve/',
      '/login/',
      '/docs/',
    ].flatMap((path) => [
      { method: 'GET', path: `${path}${encodedSecret}`, headers: withKey },
      { method: 'POST', path: `${path}${encodedSecret}/%zz`, headers: withKey },
    ]),
    ...['status', 'picture', 'account'].map((name) => ({
      method: 'GET',
      path: `/approve/${encodedSecret}/${name}`,
    })),
    post(`/approve/${encodedSecret}/approval`, '{}'),
    { method: 'GET', path: `/login?client_id=${encodedSecret}` },
    ...['session', 'proof', 'result'].map((name) =>
      post(`/login/${name}`, JSON.stringify({ session: secret, client_id: secret, signature: secret })),
    ),
    ...['/v1/castsByFid?fid=', '/v1/castById?fid=1&hash=', '/v1/onChainSignersByFid?fid=1&signer='].map(
      (path) => ({ method: 'GET', path: `${path}${encodedSecret}` }),
    ),
    ...['api_key', 'token', 'fids'].map((name) => ({
      method: 'GET',
      path: `/v2/farcaster/user/bulk?${name}=${encodedSecret}`,
    })),
    { method: 'GET', path: `/v2/farcaster/user/bulk?fids=1&api_key=${encodedSecret}`, headers: withKey },
    { method: 'GET', path: `/v2/farcaster/user/bulk?fids=1&${encodedSecret}=1`, headers: withKey },
    ...[
      { 'x-api-key': `${secret}x` },
      { 'x-api-key': `Bearer ${secret}` },
      { ...withKey, authorization: secret },
      { ...withKey, authorization: `Bearer ${secret}` },
      { ...withKey, authorization: `Bearer Bearer ${secret}` },
      { ...withKey, authorization: `Basic ${Buffer.from(`plaza:${secret}`).toString('base64')}` },
      { ...withKey, cookie: `token=${secret}` },
    ].map((headers) => ({ method: 'POST', path: '/v2/farcaster/notifications/seen', headers, body: '' })),
    { method: 'GET', path: '/admin/apps', headers: { authorization: `Bearer ${secret}x` } },
    post('/v2/farcaster/cast', secret),
    post('/v2/farcaster/cast', `{"text": "hello", "private_key": ${secret}`),
    post('/v2/farcaster/cast', JSON.stringify(secret)),
    post('/v2/farcaster/cast', JSON.stringify([secret])),
    post('/v2/farcaster/cast', JSON.stringify({ constructor: { prototype: secret } })),
    post('/v2/farcaster/cast', `{"__proto__": "${secret}"}`),
    post('/v2/farcaster/cast', secret, { 'content-type': 'text/plain' }),
    // Refused for its declared length.
    post('/v2/farcaster/cast', secret, { ...json, 'content-length': '9000000' }),
    post('/v1/submitMessage', secret, { 'content-type': 'application/octet-stream' }),
    post('/v1/validateMessage', secret, { 'content-type': 'application/octet-stream' }),
    ...inOperations.flatMap((operation) => secretsInOperation(operation, secret, withKey)),
  ]
}

/** Puts a secret in other members of requests that name a valid signer; all are refused. */
export function misplacedWithSigner(secret: string, key: string, signerUuid: string): MisplacedSecret[] {
  const member = { channel_id: secret, role: 'member' }
  const bodies: readonly (readonly [method: string, path: string, body: object])[] = [
    ['POST', 'cast', { text: 'hello', channel_id: secret }],
    ['POST', 'cast', { text: 'hello', parent: secret }],
    ['POST', 'cast', { text: 'hello', embeds: [{ url: secret.repeat(20) }] }],
    ['POST', 'cast', { text: 'hello', private_key: secret }],
    ['POST', 'cast', { text: secret.repeat(20) }],
    ['DELETE', 'cast', { target_hash: secret }],
    ['POST', 'reaction', { reaction_type: 'like', target: secret }],
    ['POST', 'reaction', { reaction_type: secret, target: secret }],
    ['POST', 'user/follow', { target_fids: [secret] }],
    // Not as a name: the protocol's refusals quote names (docs/protocol.md §3.4).
    ['PATCH', 'user', { bio: secret.repeat(20) }],
    ['PATCH', 'user', { pfp_url: secret.repeat(20) }],
    ['PATCH', 'user', { primary_eth_address: secret, location: secret }],
    ['POST', 'channel/follow', { channel_id: secret }],
    ['DELETE', 'channel/follow', { channel_id: secret }],
    ['POST', 'channel', { channel_id: 'tulips', parent_url: secret }],
    ['PATCH', 'channel', { channel_id: 'gardens', pinned_cast_hash: secret }],
    ['PATCH', 'channel', { channel_id: 'gardens', image_url: secret }],
    ['POST', 'channel/member/invite', { ...member, fid: 1 }],
    ['PUT', 'channel/member/invite', { ...member, accept: true }],
    ['DELETE', 'channel/member', { ...member, fid: 1 }],
    ['POST', 'channel/ban', { channel_id: secret, fid: 1 }],
    ['DELETE', 'channel/ban', { channel_id: secret, fid: 1 }],
    ['POST', 'channel/hide', { channel_id: 'gardens', cast_hash: secret }],
    ['DELETE', 'channel/hide', { channel_id: 'gardens', cast_hash: secret }],
    [
      'POST',
      'action',
      { base_url: `http://127.0.0.1:9/${secret}`, action: { type: 'x', payload: { secret } } },
    ],
    ['POST', 'action', { base_url: `ftp://${secret}@a.example`, action: { type: 'x' } }],
    ['POST', 'user/verification', { address: secret, block_hash: secret, eth_signature: secret }],
    ['POST', 'signer/signed_key', { app_fid: 1, deadline: 1, signature: secret, redirect_url: secret }],
    ['POST', 'message', { data: { text: secret }, signature: secret }],
    ['POST', 'webhook', { name: 'x', url: `ftp://user:${secret}@a.example` }],
    [
      'POST',
      'webhook',
      { name: 'x', url: 'https://a.example', subscription: { 'cast.created': { text: `(${secret}` } } },
    ],
  ]
  return bodies.map(([method, path, body]) => ({
    method,
    path: `/v2/farcaster/${path}`,
    // Undeclared members are ignored otherwise.
    headers: { 'x-api-key': key, prefer: 'handling=strict', ...json },
    body: JSON.stringify({ signer_uuid: signerUuid, ...body }),
  }))
}

/** Puts the secret in each parameter or member of an operation, and in an unknown one. */
function secretsInOperation(
  { method, path, query, body }: Operation,
  secret: string,
  headers: Readonly<Record<string, string>>,
): MisplacedSecret[] {
  const names = [...Object.keys((query ?? body)?.properties ?? {}), 'private_key']
  // A NUL passes length checks, but PostgreSQL refuses it.
  const values = [secret, `${secret}\0`]
  const single = values.flatMap((value) => names.map((name) => ({ [name]: value })))
  const all = values.map((value) => Object.fromEntries(names.slice(0, -1).map((name) => [name, value])))
  return [...single, ...all].map((parameters) =>
    query === undefined
      ? {
          method,
          path: `/v2/farcaster/${path}`,
          headers: { ...headers, ...json },
          body: JSON.stringify(parameters),
        }
      : { method, path: `/v2/farcaster/${path}?${new URLSearchParams(parameters)}`, headers },
  )
}

/** Sends a request unchanged; `fetch` would normalize it. */
export async function sendMisplaced(
  url: string,
  { method, path, headers = {}, body }: MisplacedSecret,
): Promise<number> {
  const { hostname, port } = new URL(url)
  return await new Promise((resolve, reject) => {
    const outgoing = request({ hostname, port, method, path, headers }, (answer) => {
      answer.resume()
      answer.on('end', () => resolve(answer.statusCode ?? 0))
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

/** Returns the server's response to bytes that are not HTTP. */
export async function sendRawBytes(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url)
  return await new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.end(text))
    let reply = ''
    socket.on('data', (chunk: Buffer) => {
      reply += chunk
    })
    socket.on('close', () => resolve(reply))
    // The server may close the connection first.
    socket.on('error', () => {})
  })
}
