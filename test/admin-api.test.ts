import { expect, test } from 'vitest'
import { createTestDatabase } from './database.js'
import { startTestServer, type TestServer } from './running-server.js'

const { url } = await createTestDatabase()
const token = 'the-admin-token-of-two-servers-0123456789'
const start = () => startTestServer(url, { CRAWL_EMBEDS: 'false', ADMIN_TOKEN: token })

/** The documented limit is one second on an idle machine. */
const pollOptions = { interval: 100 }

async function admin(
  server: TestServer,
  method: string,
  path: string,
  body?: object,
): Promise<ReturnType<typeof JSON.parse>> {
  const reply = await fetch(`${server.urls.main}/admin/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return await reply.json()
}

const statusWith = async (server: TestServer, key: string): Promise<number> =>
  (await fetch(`${server.urls.main}/v2/social/fname/availability?fname=x`, { headers: { 'x-api-key': key } }))
    .status

test('changes through one server apply to all servers', async () => {
  const [one, other] = [await start(), await start()]
  const { app } = await admin(one, 'POST', 'apps', { name: 'everywhere' })
  const { key, api_key } = await admin(other, 'POST', `apps/${app.id}/keys`, { rate_limit: 600 })
  expect([await statusWith(one, key), await statusWith(other, key)]).toEqual([200, 200])

  await admin(one, 'PATCH', `apps/${app.id}`, { name: 'anywhere', mini_app_domain: 'anywhere.example' })
  expect((await admin(other, 'GET', `apps/${app.id}`)).app).toMatchObject({
    name: 'anywhere',
    mini_app_domain: 'anywhere.example',
    key_count: 1,
  })

  await admin(one, 'DELETE', `keys/${api_key.id}`)
  for (const server of [one, other]) await expect.poll(() => statusWith(server, key), pollOptions).toBe(401)
})

test('the live processes are listed with their roles and versions', async () => {
  const [one] = [await start(), await start()]
  const { processes } = await admin(one, 'GET', 'processes')
  expect(processes).toHaveLength(2)
  expect(processes[0]).toMatchObject({
    object: 'process',
    roles: ['api', 'worker', 'sync'],
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    pid: process.pid,
    connections: 20,
  })
})

test('OpenAPI describes the admin API and its token', async () => {
  const server = await start()
  const document: ReturnType<typeof JSON.parse> = await (
    await fetch(`${server.urls.main}/openapi.json`)
  ).json()
  expect(document.paths['/admin/apps/{id}'].patch).toMatchObject({
    tags: ['Admin'],
    security: [{ AdminToken: [] }],
    parameters: [{ name: 'id', in: 'path', required: true }],
  })
  const { status } = await fetch(`${server.urls.main}/admin/apps`, { headers: { 'x-api-key': token } })
  expect(status).toBe(401)
})
