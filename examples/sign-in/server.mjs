// Users sign in by approving a managed signer once. Then this app may cast for them.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { Configuration, NeynarAPIClient } from '@neynar/nodejs-sdk'

const { API_KEY, APP_MNEMONIC, PLAZA_URL = 'http://127.0.0.1:8080', PORT = '3000' } = process.env
const client = new NeynarAPIClient(new Configuration({ apiKey: API_KEY, basePath: PLAZA_URL }))

/** Signers by session. An app that stays keeps them in a database: who has the session acts for the user. */
const signers = new Map()

/** The signer of the request's session, as the server sees it now. */
async function signerOf(request) {
  const [, session] = /(?:^|; )session=([\w-]+)/.exec(request.headers.cookie ?? '') ?? []
  const signerUuid = signers.get(session)
  return signerUuid === undefined ? null : client.lookupSigner({ signerUuid })
}

const routes = {
  'POST /sign-in': async (_request, response) => {
    const signer = await client.createSignerAndRegisterSignedKey({ farcasterDeveloperMnemonic: APP_MNEMONIC })
    const session = randomUUID()
    signers.set(session, signer.signer_uuid)
    response.setHeader('set-cookie', `session=${session}; HttpOnly; SameSite=Lax; Path=/`)
    return { approval_url: signer.signer_approval_url }
  },
  'GET /me': async (request) => {
    const signer = await signerOf(request)
    if (signer?.status !== 'approved') return { status: signer?.status ?? 'signed out' }
    const { users } = await client.fetchBulkUsers({ fids: [signer.fid] })
    return { status: 'approved', user: users[0] }
  },
  'POST /cast': async (request) => {
    const signer = await signerOf(request)
    if (signer?.status !== 'approved') return { message: 'sign in first' }
    let text = ''
    for await (const chunk of request) text += chunk
    const { cast } = await client.publishCast({ signerUuid: signer.signer_uuid, text })
    return { hash: cast.hash }
  },
}

const server = createServer(async (request, response) => {
  const { pathname } = new URL(request.url, 'http://localhost')
  const send = (status, type, body) => response.writeHead(status, { 'content-type': type }).end(body)
  if (pathname === '/')
    return send(200, 'text/html; charset=utf-8', readFileSync(new URL('page.html', import.meta.url)))
  const route = routes[`${request.method} ${pathname}`]
  if (route === undefined) return send(404, 'text/plain', 'not found')
  try {
    send(200, 'application/json', JSON.stringify(await route(request, response)))
  } catch (error) {
    const { status = 502, data } = error.response ?? {}
    send(status, 'application/json', JSON.stringify({ message: data?.message ?? error.message }))
  }
})
server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`sign-in on http://127.0.0.1:${server.address().port}`)
})
