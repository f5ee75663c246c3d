import { afterAll, expect, it } from 'vitest'
import { createTestDatabase } from '../../test/database.js'
import { TestUser } from '../../test/network.js'
import { startTestServer } from '../../test/running-server.js'
import { createApp } from '../features/apps/apps.js'
import { encodeMessage } from '../protocol/codec.js'
import { farcasterSecondsFromUnixMs } from '../protocol/time.js'

const [a, b] = [await createTestDatabase(), await createTestDatabase()]
const adminToken = 'the-admin-token-of-the-tests-0123456789'
const quiet = { CRAWL_EMBEDS: 'false', HUB_GRPC_PORT: '0' }
const upstream = await startTestServer(
  a.url,
  { ...quiet, COMPRESS_REPLIES: 'false', ETAGS: 'false' },
  afterAll,
)
// The follower reads the log of the upstream from its beginning.
await b.db`insert into sync.cursors (upstream, shard, next_id, block_time) values (${upstream.urls.grpc!}, 1, 0, 0)`
const follower = await startTestServer(
  b.url,
  { ...quiet, UPSTREAM_HUB: upstream.urls.grpc!, PUBLISH_UPSTREAM: 'true', ADMIN_TOKEN: adminToken },
  afterAll,
)
const user = new TestUser(1)
await upstream.hub.submitOnChainEvents(user.onChain())
const now = () => farcasterSecondsFromUnixMs(Date.now())

/** Texts of the user's casts in a database. */
async function textsIn({ db }: typeof a): Promise<string[]> {
  const rows = await db<{ text: string }[]>`select text from social.casts order by text`
  return rows.map(({ text }) => text)
}

async function admin(method: string, path: string, body?: object): Promise<ReturnType<typeof JSON.parse>> {
  const reply = await fetch(`${follower.urls.main}/admin/${path}`, {
    method,
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  return await reply.json()
}

it('a follower merges what its upstream has, and sends it what is published here', async () => {
  expect(await upstream.hub.submit([user.cast('above', now())])).toEqual([null])
  await expect.poll(() => textsIn(b)).toEqual(['above'])
  const reply = await fetch(`${follower.urls.main}/v1/submitMessage`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: encodeMessage(user.cast('below', now())),
  })
  expect(reply.status).toBe(200)
  await expect.poll(() => textsIn(a)).toEqual(['above', 'below'])
  await expect.poll(() => b.db`select from hub.outgoing_messages`).toEqual([])
})

it('a comparison that the operator starts finds what the follower lacks; a recount runs as well', async () => {
  const lastRun = async () => (await admin('GET', 'maintenance')).runs[0]
  await b.db`delete from hub.messages`
  await admin('POST', 'maintenance', { kind: 'reconcile' })
  await expect.poll(lastRun).toMatchObject({ kind: 'reconcile', state: 'done' })
  const { done, total } = await lastRun()
  expect(done).toBe(total)
  expect(await b.db`select from hub.messages`).toHaveLength(2)
  await admin('POST', 'maintenance', { kind: 'recount' })
  await expect.poll(lastRun).toMatchObject({ kind: 'recount', state: 'done' })
})

it('links to the server have its own address where none is configured', async () => {
  const { id } = await createApp(b.db, { name: 'linked' })
  const { authorization_url: link } = await follower.get(`login/authorize?client_id=${id}&response_type=code`)
  expect(link).toBe(`${follower.urls.main}/login?client_id=${id}`)
})

it('replies are compressed and tagged unless the operator turns it off', async () => {
  const headersOf = async (url: string) => {
    const { headers } = await fetch(`${url}/openapi.json`, { headers: { 'accept-encoding': 'gzip' } })
    return [headers.get('content-encoding'), headers.get('etag') !== null]
  }
  expect(await headersOf(follower.urls.main)).toEqual(['gzip', true])
  expect((await headersOf(upstream.urls.main))[0]).toBeNull()
  const tagOf = async (url: string) => (await fetch(`${url}/v1/info`)).headers.get('etag')
  expect(await tagOf(follower.urls.main)).toMatch(/^W\//)
  expect(await tagOf(upstream.urls.main)).toBeNull()
})
