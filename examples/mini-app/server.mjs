// A mini app that notifies its users. Plaza keeps their notification tokens.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { Configuration, NeynarAPIClient } from '@neynar/nodejs-sdk'

const {
  ACCOUNT_ASSOCIATION = 'null',
  API_KEY,
  EVENTS_URL,
  MINI_APP_DOMAIN,
  PLAZA_URL = 'http://127.0.0.1:8080',
  PORT = '3000',
} = process.env
const client = new NeynarAPIClient(new Configuration({ apiKey: API_KEY, basePath: PLAZA_URL }))
const home = `https://${MINI_APP_DOMAIN}`

/**
 * Clients read it before they open the app, and send user events to `webhookUrl`: to Plaza. They add only apps whose domain
 * its owner has signed.
 */
const manifest = {
  accountAssociation: JSON.parse(ACCOUNT_ASSOCIATION),
  miniapp: {
    version: '1',
    name: 'Water the garden',
    iconUrl: `${home}/icon.png`,
    homeUrl: home,
    webhookUrl: EVENTS_URL,
  },
}

const files = {
  '/': { type: 'text/html; charset=utf-8', name: 'page.html' },
  '/icon.png': { type: 'image/png', name: 'icon.png' },
}
const waterings = []

/** Notifies all users who enabled notifications, except the one who watered. */
async function water(fid) {
  waterings.push({ fid, at: new Date().toISOString() })
  const { users } = await client.fetchBulkUsers({ fids: [fid] })
  return client.publishFrameNotifications({
    targetFids: [],
    filters: { exclude_fids: [fid] },
    notification: {
      title: 'The garden is green',
      body: `${users[0]?.username ?? 'somebody'} has watered it`,
      target_url: `${home}/`,
    },
  })
}

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost')
  const send = (status, body) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  try {
    if (pathname === '/.well-known/farcaster.json') return send(200, manifest)
    if (pathname === '/waterings') return send(200, waterings)
    if (pathname === '/water' && request.method === 'POST')
      return send(200, await water(Number(searchParams.get('fid'))))
    const file = Object.hasOwn(files, pathname) ? files[pathname] : null
    if (file === null) return send(404, { message: 'not found' })
    response
      .writeHead(200, { 'content-type': file.type })
      .end(readFileSync(new URL(file.name, import.meta.url)))
  } catch (error) {
    send(502, error.response?.data ?? { message: error.message })
  }
})
server.listen(Number(PORT), '127.0.0.1', () => {
  if (manifest.accountAssociation === null)
    console.log('clients cannot add this app: set ACCOUNT_ASSOCIATION, as README.md says')
  console.log(`mini app on http://127.0.0.1:${server.address().port}`)
})
