import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { Readable } from 'node:stream'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../../test/database.js'
import { startTestServer } from '../../test/running-server.js'
import { createProgram } from './program.js'

const { db, url } = await createTestDatabase()

async function status(env: Record<string, string> = {}, ...args: string[]) {
  const lines: string[] = []
  const program = await createProgram({
    env: { DATABASE_URL: url, PORT: '9', ...env },
    print: (line) => lines.push(line),
    progress: process.stderr,
    stdin: Readable.from([]),
    stdout: process.stdout,
    onStopSignal: () => {},
    onDatabaseStop: () => () => {},
  })
  const failure = await program.parseAsync(['node', 'plaza', 'status', ...args]).then(
    () => null,
    (error: Error) => error.message,
  )
  return { lines, failure }
}

const server = await startTestServer(url, { HOST: '0.0.0.0' }, afterAll)

it('says that a running server is ready, and what it consists of', async () => {
  const { lines, failure } = await status({ PUBLIC_URL: server.urls.main })
  expect(failure).toBeNull()
  expect(lines[0]).toBe('ready')
  expect(lines).toContain(`http      ${server.urls.main} ready`)
  expect(lines.find((line) => line.startsWith('database'))).toMatch(/^database {2}[\d.]+ MB, PostgreSQL \d+/)
  expect(lines.find((line) => line.includes(`:${process.pid}`))).toContain('api,worker,sync')
  expect(lines.at(-1)).toMatch(/consumers are at the end of the log|\d$/)

  const [json] = (await status({ PUBLIC_URL: server.urls.main }, '--json')).lines
  expect(JSON.parse(json!)).toMatchObject({
    object: 'server_status',
    ready: true,
    problems: [],
    processes: [{ object: 'process', roles: ['api', 'worker', 'sync'] }],
    http: { status: 'ready' },
  })
})

it('sees a server at a private address, as in a container', async () => {
  const { port } = new URL(server.urls.main)
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  const address =
    addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1'
  const { lines } = await status({ HOST: address, PORT: port })
  expect(lines).toContain(`http      http://${address}:${port} ready`)
})

it('says whether what is published goes to the upstream, if there is one', async () => {
  const publishLine = async (env: Record<string, string>) =>
    (await status({ PUBLIC_URL: server.urls.main, ...env })).lines.find((line) => line.startsWith('publish'))
  expect(await publishLine({})).toBeUndefined()
  const upstream = { UPSTREAM_HUB: 'node.example:3383' }
  expect(await publishLine(upstream)).toContain('stays here: PUBLISH_UPSTREAM is not set')
  expect(await publishLine({ ...upstream, PUBLISH_UPSTREAM: 'true' })).toBe('publish   to the upstream')
})

it('says what waits to be published while publishing is off, since when, and what to do', async () => {
  await db`
    insert into hub.outgoing_messages (fid, message, merged_at)
    values (1, '\\x00', '2026-11-01Z'), (1, '\\x01', '2026-11-02Z')`
  const publishLines = async (env: Record<string, string>) =>
    (await status({ PUBLIC_URL: server.urls.main, ...env })).lines.filter((line) =>
      line.startsWith('publish'),
    )
  const upstream = { UPSTREAM_HUB: 'node.example:3383' }
  const waiting = expect.stringMatching(
    /^publish {3}2 messages wait since 2026-11-01T00:00:00.000Z .*UPSTREAM_HUB and PUBLISH_UPSTREAM=true/,
  )
  expect(await publishLines({})).toEqual([waiting])
  expect(await publishLines(upstream)).toEqual([expect.stringContaining('stays here'), waiting])
  expect(await publishLines({ ...upstream, PUBLISH_UPSTREAM: 'true' })).toEqual([
    'publish   to the upstream: 2 messages wait since 2026-11-01T00:00:00.000Z',
  ])
  await db`delete from hub.outgoing_messages`
})

it('says of each shard how old its newest block is: that of a quiet upstream may be old at the end of its log', async () => {
  const now = Math.floor(Date.now() / 1_000) - 1_609_459_200
  await db`insert into sync.cursors values ('hub:1', 1, 1, ${now}), ('hub:2', 1, 1, ${now - 36_000})`
  const { lines } = await status({ PUBLIC_URL: server.urls.main })
  await db`delete from sync.cursors`
  expect(lines.filter((line) => line.startsWith('sync'))).toEqual([
    'sync      hub:1 shard 1: at the end',
    'sync      hub:2 shard 1: newest block 10 h old',
  ])
})

it('says that an upstream was never reached, and nothing of one that is no longer configured', async () => {
  await db`insert into sync.cursors values ('hub:1', 1, 1, 1000)`
  const { lines } = await status({ PUBLIC_URL: server.urls.main, UPSTREAM_HUB: 'hub:2' })
  await db`delete from sync.cursors`
  expect(lines.filter((line) => line.startsWith('sync'))).toEqual(['sync      hub:2: never reached'])
})

it('says which scheduled jobs fail, of a server that is ready', async () => {
  await db`
    insert into app.job_runs (process_id, name, every_ms, per_process, runs, failures, started_at, error, failed_at)
    select id, 'a sweep', 1000, false, 1, 1, '2026-01-01Z', 'no such column', '2026-01-01Z' from app.processes`
  const { lines, failure } = await status({ PUBLIC_URL: server.urls.main })
  await db`delete from app.job_runs where name = 'a sweep'`
  expect({ failure, ready: lines[0] }).toEqual({ failure: null, ready: 'ready' })
  expect(lines.filter((line) => line.startsWith('problem'))).toEqual([
    'problem   the job "a sweep" failed at 2026-01-01T00:00:00.000Z: no such column',
  ])
})

it('says what the database lacks and which roles are missing, of a server that is ready', async () => {
  const ready = { status: 'ready', database: 'ok', migrations: 'applied', eventLag: 0, roles: null }
  const shortages = ['InsufficientStorage', 'ReadOnly', 'Later']
  const answer = createServer((_, response) => {
    response.end(JSON.stringify({ ...ready, shortages, missingRoles: ['sync'] }))
  }).listen(0, '127.0.0.1')
  await once(answer, 'listening')
  onTestFinished(() => void answer.close())
  const address = `http://127.0.0.1:${(answer.address() as AddressInfo).port}`
  const { lines, failure } = await status({ PUBLIC_URL: address })
  expect(failure).toBeNull()
  expect(lines.filter((line) => line.startsWith('problem'))).toEqual([
    expect.stringMatching(/^problem {3}the database has no storage left, .*: free disk space$/),
    expect.stringMatching(/^problem {3}the database takes no writes: connect to the primary/),
    'problem   the database lacks Later',
    'problem   no process has the role sync',
  ])
  const [json] = (await status({ PUBLIC_URL: address }, '--json')).lines
  expect(JSON.parse(json!).http).toEqual({
    url: address,
    status: 'ready',
    detail: null,
    shortages,
    missing_roles: ['sync'],
  })
})

it('says that deliveries wait for the key of their secrets, of a server that is ready', async () => {
  const [{ id: appId }] = await db<
    [{ id: string }]
  >`insert into apps.apps (name) values ('orchard') returning id`
  const [{ id }] = await db<[{ id: string }]>`
    insert into webhooks.webhooks (app_id, title, target_url, revision, http_timeout_ms, rate_limit, rate_limit_ms)
    values (${appId}, 'test', 'https://a.example', 1, 1000, 1, 1000)
    returning id`
  await db`insert into webhooks.lanes (webhook_id, allowance, unsigned_since) values (${id}, 1, now())`
  const { lines, failure } = await status({ PUBLIC_URL: server.urls.main })
  await db`delete from webhooks.lanes`
  await db`delete from webhooks.webhooks`
  expect(failure).toBeNull()
  expect(lines.filter((line) => line.startsWith('problem'))).toEqual([
    expect.stringMatching(/^problem {3}deliveries of 1 webhook wait, .*PLAZA_SECRET_KEY/),
  ])
})

it('says why a server is not ready, and applies no migration', async () => {
  const [last] = await db<{ name: string }[]>`
    delete from schema_migrations where id = (select max(id) from schema_migrations) returning name`
  await db`update app.processes set roles = '{api,sync}'`
  const { lines, failure } = await status()
  expect(failure).toBe(
    `the server is not ready: the migration ${last!.name} is not applied; no process has the role worker`,
  )
  expect(lines.slice(0, 3)).toEqual([
    'not ready',
    `  the migration ${last!.name} is not applied`,
    '  no process has the role worker',
  ])
  expect(lines.find((line) => line.startsWith('http'))).toContain('http://127.0.0.1:9 does not answer')
  expect(await db`select from schema_migrations where name = ${last!.name}`).toHaveLength(0)
  await db`insert into schema_migrations (name, run_on) values (${last!.name}, now())`
})

it('says what is missing in a database without a schema', async () => {
  const [name] = [`empty_${process.pid}`]
  await db.unsafe(`create database ${name}`)
  const empty = new URL(url)
  empty.pathname = `/${name}`
  const { lines, failure } = await status({ DATABASE_URL: empty.href })
  await db.unsafe(`drop database ${name}`)
  expect(lines[0]).toBe('not ready')
  expect(failure).toContain('no process of the server is running')
})
