import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { Readable } from 'node:stream'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../../test/database.js'
import { startTestServer } from '../../test/running-server.js'
import { createProgram } from './program.js'

const { db, url } = await createTestDatabase()
const server = await startTestServer(url, {}, afterAll)

/** Starts `plaza logs` in this process. */
function logs(...args: string[]) {
  const lines: string[] = []
  let stop = () => {}
  const program = createProgram({
    env: { DATABASE_URL: url },
    print: (line) => lines.push(line),
    progress: process.stderr,
    stdin: Readable.from([]),
    stdout: process.stdout,
    onStopSignal: (handle) => {
      stop = () => handle(false)
    },
    onDatabaseStop: () => () => {},
  })
  const ended = program.then((made) => made.parseAsync(['node', 'plaza', 'logs', ...args])).then(() => lines)
  return { lines, ended, stop: () => stop() }
}

const json = (lines: readonly string[]) => lines.map((line) => JSON.parse(line))

/** What `plaza logs --json` prints. It waits for two seconds, in which a busy server may not answer: tests ask again. */
const logged = async (...args: string[]) => json(await logs('--json', ...args).ended)

it('prints recent requests and lines without what they were asked, and ends', async () => {
  await server.get('user/bulk?fids=4711')
  await server.get('no/such/route?api_key=hunter2')
  let lines: string[] = []
  const read = async () => {
    lines = await logs().ended
    // Jobs of the server may write lines of their own.
    return lines.filter((line) => /user\/bulk|unmatched/.test(line)).slice(-2)
  }
  await expect
    .poll(read)
    .toEqual([
      expect.stringMatching(/^\d\d:\d\d:\d\d\.\d{3} info {2}GET \/v2\/farcaster\/user\/bulk 200 in \d+ ms$/),
      expect.stringMatching(/ warn {2}GET unmatched 404 in \d+ ms$/),
    ])
  expect(lines.join()).not.toMatch(/4711|hunter2/)
  expect(lines.join()).not.toContain('readyz')

  await expect
    .poll(() => logged('--lines', '1', '--level', 'warn'))
    .toMatchObject([
      {
        object: 'log_line',
        level: 'warn',
        fields: { method: 'GET', status: 404, request_id: expect.any(String) },
        process: `${hostname()}:${process.pid}`,
      },
    ])
})

it('--level: prints the newest lines of the level, however many others there were since', async () => {
  await server.get('no/such/route')
  for (let index = 0; index < 10; index += 1) await server.get('user/bulk?fids=1')
  const statuses = async () =>
    (await logged('--lines', '2', '--level', 'warn')).map(({ fields }) => fields.status)
  await expect.poll(statuses).toEqual([404, 404])
})

it('--level: finds lines of a process that sends those of any level, as one of an older version does', async () => {
  const id = randomUUID()
  await db`
    insert into app.processes (id, roles, version, host, pid, alive_until)
    values (${id}, '{api}', '0', 'old', 1, now() + interval '1 minute')`
  const line = (level: string, message: string) => ({ atMs: Date.now(), level, message, fields: {} })
  const kept = [line('error', 'failed'), ...Array.from({ length: 300 }, () => line('info', 'fine'))]
  const listener = await db.listen('plaza_log_requests', async (payload) => {
    const { reader, lines } = JSON.parse(payload)
    const message = { process: 'old:1', lines: kept.slice(-lines), leftOut: 0 }
    for (let first = 0; first < message.lines.length; first += 50) {
      const part = {
        ...message,
        lines: message.lines.slice(first, first + 50),
        isRecentEnd: first + 50 >= message.lines.length,
      }
      await db`select pg_notify(${`plaza_log_${reader}`}, ${JSON.stringify(part)})`
    }
  })
  onTestFinished(async () => {
    await listener.unlisten()
    await db`delete from app.processes where id = ${id}`
  })
  await expect
    .poll(() => logged('--lines', '1', '--level', 'error'))
    .toMatchObject([{ process: 'old:1', message: 'failed' }])
})

it('--follow: prints what happens until it is stopped, and the server then sends nothing', async () => {
  const following = logs('--follow', '--lines', '0', '--json')
  // It follows from some moment on.
  await expect
    .poll(async () => {
      await server.get('user/bulk?fids=1')
      return following.lines.length
    })
    .toBeGreaterThan(0)
  expect(json(following.lines)[0]).toMatchObject({ message: expect.stringContaining('user/bulk 200') })
  await fetch(`${server.urls.main}/v2/farcaster/user/bulk?fids=1`)
  const statuses = () => json(following.lines).map(({ fields }) => fields.status)
  await expect.poll(statuses).toContain(401)
  following.stop()
  await following.ended
})

it('says so when no server runs', async () => {
  // The server, which runs, may beat in between.
  const failure = async () => {
    const dead = await db`update app.processes set alive_until = now() - interval '1 second' returning id`
    expect(dead).toHaveLength(1)
    return await logs('--lines', '0').ended.catch(String)
  }
  await expect.poll(failure).toContain('no process of the server is running')
})
