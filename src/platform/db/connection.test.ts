import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { createDatabaseLogin } from '../../../test/database-login.js'
import { connect, poolUsage } from './connection.js'
import { isRetryable, isUnavailable } from './connection-errors.js'
import { sql } from './sql.js'

const statements: string[] = []
const {
  db,
  connect: connectAgain,
  url,
} = await createTestDatabase({
  onStatement: (sql) => statements.push(sql),
})

it('parts of statements that pools share: part of any statement, and none of their own', async () => {
  const shared = sql`${2}::bigint + n`
  for (const n of [1, 5])
    expect(await db`select ${shared} as sum from (select ${n}::bigint as n) given`).toEqual([{ sum: n + 2 }])
  await expect(sql`select 1`).rejects.toThrow('CONNECTION_ENDED')
})

it('what a role is set to does not change what statements return and do', async () => {
  const login = await createDatabaseLogin(db, url)
  const role = new URL(login.url).username
  const settings = {
    timezone: 'Asia/Tokyo',
    datestyle: 'SQL, DMY',
    bytea_output: 'escape',
    extra_float_digits: '0',
    standard_conforming_strings: 'off',
    search_path: 'elsewhere',
    default_transaction_isolation: 'serializable',
    lock_timeout: '1ms',
  }
  for (const [name, value] of Object.entries(settings))
    await db.unsafe(`alter role ${role} set ${name} = ${value.split(', ').map((part) => `'${part}'`)}`)
  const pool = connect(login.url, { poolSize: 1, applicationName: 'plaza test' })
  const [row] = await pool`
    select '2026-12-03 10:00+00'::timestamptz as time, ${Buffer.from([0, 255])}::bytea as bytes, 0.1::float8 + 0.2 as sum,
      'a\\n' as text, similarity('plaza', 'plaza')::float8 as similarity,
      current_setting('transaction_isolation') as isolation, current_setting('lock_timeout') as "lockTimeout"`
  expect(row).toEqual({
    time: new Date('2026-12-03T10:00:00Z'),
    bytes: Buffer.from([0, 255]),
    sum: 0.30000000000000004,
    text: 'a\\n',
    similarity: 1,
    isolation: 'read committed',
    lockTimeout: '0',
  })
  await pool.end()
})

describe('values', () => {
  it('reads int8 as an exact number, and refuses larger values', async () => {
    const [row] = await db<{ id: number }[]>`select ${2 ** 53 - 1}::bigint as id`
    expect(row?.id).toBe(2 ** 53 - 1)
    await expect(db`select 9007199254740993::bigint as id`).rejects.toThrow(/does not fit/)
    // The connection still works afterwards.
    await expect(db`select 1::bigint as id`).resolves.toEqual([{ id: 1 }])
  })

  it('refuses to send an inexact number', async () => {
    await expect(db`select ${2 ** 53}::bigint as id`).rejects.toThrow(/not an exact integer/)
    await expect(db`select ${2n ** 60n}::bigint::text as id`).resolves.toEqual([{ id: String(2n ** 60n) }])
  })

  it('sends and reads bytes as buffers', async () => {
    const bytes = Buffer.from([0, 1, 0x5c, 0x22, 255])
    const [row] = await db<{ bytes: Buffer; length: number }[]>`
      select ${bytes}::bytea as bytes, length(${bytes}::bytea) as length`
    expect(row?.length).toBe(5)
    expect(Buffer.isBuffer(row?.bytes)).toBe(true)
    expect(row?.bytes).toEqual(bytes)
  })

  it('sends only the viewed part of a larger buffer', async () => {
    const view = new Uint8Array(Buffer.from('abcdef').subarray(2, 4))
    await expect(db`select ${view}::bytea as bytes`).resolves.toEqual([{ bytes: Buffer.from('cd') }])
  })

  it('reads a day as text', async () => {
    await expect(db`select ${'2026-01-31'}::date as day`).resolves.toEqual([{ day: '2026-01-31' }])
  })
})

describe('arrays', () => {
  it('sends and reads bytea[] with nulls and empty elements', async () => {
    const byteas = [Buffer.from('00ff5c22', 'hex'), null, Buffer.alloc(0)]
    const rows = await db<{ byteas: Buffer[]; count: number }[]>`
      select ${db.types.byteas(byteas)} as byteas, count(bytes) from unnest(${db.types.byteas(byteas)}) bytes`
    expect(rows).toEqual([{ byteas, count: 2 }])
    await expect(db`select ${db.types.byteas([])} as byteas`).resolves.toEqual([{ byteas: [] }])
  })

  it('sends arrays of numbers, strings and nulls as the statement casts them', async () => {
    const texts = ['a"b\\c,{}', 'NULL', null, '', 'é\n']
    const [row] = await db`
      select ${[1, null, 2 ** 52]}::bigint[] as int8s, ${[1, -2]}::int[] as int4s, ${[3]}::smallint[] as int2s,
        ${texts}::text[] as texts, ${[]}::bigint[] as none, ${db.types.bools([true, null, false])} as bools`
    expect(row).toEqual({
      int8s: [1, null, 2 ** 52],
      int4s: [1, -2],
      int2s: [3],
      texts,
      none: [],
      bools: [true, null, false],
    })
  })

  it('works on sets inside a transaction', async () => {
    const rows = await db.begin(
      (sql) => sql`
        select fid, hash from unnest(${[1, 2]}::bigint[], ${sql.types.byteas([Buffer.from('a'), null])}) as t(fid, hash)`,
    )
    expect(rows).toEqual([
      { fid: 1, hash: Buffer.from('a') },
      { fid: 2, hash: null },
    ])
  })
})

it('a value that cannot be sent fails its own statement, between others of the connection', async () => {
  const one = connectAgain({ poolSize: 1 })
  await one`select ${1}::bigint as number`
  const answers = await Promise.allSettled([
    one`select 'before' as text, pg_sleep(0.05)::text as slept`,
    one`select ${1.5}::bigint as number`,
    one`select 'after' as text`,
    one`select ${2}::bigint as number`,
  ])
  expect(answers).toEqual([
    { status: 'fulfilled', value: [{ text: 'before', slept: '' }] },
    { status: 'rejected', reason: expect.any(RangeError) },
    { status: 'fulfilled', value: [{ text: 'after' }] },
    { status: 'fulfilled', value: [{ number: 2 }] },
  ])
})

it('a value that cannot be sent fails its own transaction, before the others of the connection', async () => {
  const one = connectAgain({ poolSize: 1 })
  await one`select ${1}::bigint as number`
  const failed = one.begin((transaction) => transaction`select ${1.5}::bigint as number`)
  const next = one.begin((transaction) => transaction`select ${3}::bigint as number`)
  await expect(failed).rejects.toThrow(RangeError)
  await expect(next).resolves.toEqual([{ number: 3 }])
  await expect(one`select 'after' as text`).resolves.toEqual([{ text: 'after' }])
})

it('prepares a statement once per connection and reads no types', async () => {
  const one = connectAgain({ poolSize: 1 })
  statements.length = 0
  for (let round = 0; round < 50; round += 1) {
    const hashes = one.types.byteas(round % 2 === 0 ? [null] : [Buffer.from([round])])
    await one`select count(*) from unnest(${[round]}::bigint[], ${hashes}) as once(fid, hash)`
  }
  const prepared = await one<{ calls: number }[]>`
    select generic_plans + custom_plans as calls from pg_prepared_statements where statement like '%unnest%as once(%' and not statement like '%pg_prepared%'`
  expect(prepared).toEqual([{ calls: 50 }])
  expect(statements.filter((sql) => sql.includes('pg_type'))).toEqual([])
  expect(statements).toHaveLength(51)
})

it('counts connections in use and waiting transactions', async () => {
  const two = connectAgain({ poolSize: 2 })
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const transactions = [1, 2, 3].map(() => two.begin(() => held))
  await expect.poll(() => poolUsage(two)).toEqual({ size: 2, held: 2, waiting: 1 })
  release()
  await Promise.all(transactions)
  const session = await two.reserve()
  expect(poolUsage(two)).toEqual({ size: 2, held: 1, waiting: 0 })
  session.release()
  expect(poolUsage(two)).toEqual({ size: 2, held: 0, waiting: 0 })
})

it('counts the statements of requests that wait for a connection, and each transaction once', async () => {
  const one = connectAgain({ poolSize: 1, requestTimeoutMs: 60_000 })
  const session = await one.reserve()
  const waiting = [one`select 1`, one`select 2`, one.begin((transaction) => transaction`select 3`)]
  const results = Promise.all(waiting)
  await expect.poll(() => poolUsage(one)).toEqual({ size: 1, held: 1, waiting: 3 })
  session.release()
  await results
  expect(poolUsage(one)).toEqual({ size: 1, held: 0, waiting: 0 })
})

it('begins no session after its end, also when it is connecting', async () => {
  const SSL_REQUEST_BYTES = 8
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const pool = connect(`postgres://plaza@127.0.0.1:${port}/plaza?sslmode=prefer`, {
    poolSize: 1,
    applicationName: 'plaza ended',
  })
  const refused = expect(pool`select 1`).rejects.toThrow(/CONNECTION_DESTROYED/)
  const [socket] = (await once(server, 'connection')) as [Socket]
  expect(await once(socket, 'data')).toEqual([Buffer.from([0, 0, 0, SSL_REQUEST_BYTES, 4, 210, 22, 47])])
  await pool.end({ timeout: 0 })
  await refused
  // No encryption: the driver may go on.
  socket.write('N')
  const sent: Buffer[] = []
  for await (const chunk of socket) sent.push(chunk)
  expect(sent).toEqual([])
  await new Promise((resolve) => server.close(resolve))
})

it('reserves a connection before any is open', async () => {
  const fresh = connectAgain({ poolSize: 3 })
  const sessions = await Promise.all([fresh.reserve(), fresh.reserve(), fresh.reserve()])
  const pids = await Promise.all(sessions.map((session) => session`select pg_backend_pid() as pid`))
  expect(new Set(pids.map(([row]) => row?.pid)).size).toBe(3)
  for (const session of sessions) session.release()
  expect(poolUsage(fresh)).toEqual({ size: 3, held: 0, waiting: 0 })
})

describe('errors', () => {
  it('reports a missing database as unavailable immediately', async () => {
    const unreachableDb = connect('postgres://a:b@127.0.0.1:1/c', { poolSize: 2, applicationName: 'test' })
    const started = Date.now()
    for (let attempt = 0; attempt < 10; attempt += 1) {
      const error: unknown = await unreachableDb`select 1`.catch((reason: unknown) => reason)
      expect(isUnavailable(error)).toBe(true)
      expect(isRetryable(error)).toBe(false)
    }
    expect(Date.now() - started).toBeLessThan(10_000)
    await unreachableDb.end({ timeout: 1 })
  })

  it('reports a connection for which there is no room as unavailable, and not a file', () => {
    const failure = (syscall: string) =>
      Object.assign(new Error(`${syscall} EAGAIN`), { code: 'EAGAIN', syscall })
    expect([failure('connect'), failure('read')].map(isUnavailable)).toEqual([true, false])
  })

  it('reports a terminated session as unavailable, also in a wrapped error, and reconnects', async () => {
    const one = connectAgain({ poolSize: 1 })
    const [session] = await one<{ pid: number }[]>`select pg_backend_pid() as pid`
    const sleeping = one`select pg_sleep(10)`.catch((reason: unknown) => reason)
    await expect
      .poll(() => db`select 1 from pg_stat_activity where pid = ${session!.pid} and wait_event = 'PgSleep'`)
      .toHaveLength(1)
    await db`select pg_terminate_backend(${session!.pid})`
    expect(isUnavailable(new Error('merge failed', { cause: await sleeping }))).toBe(true)
    // The driver may send one more statement on the closing connection.
    await expect.poll(() => one`select 1 as one`.catch(() => null)).toEqual([{ one: 1 }])
  })

  it('distinguishes transaction conflicts from errors', async () => {
    await db`create table counters (id int primary key, n int)`
    await db`insert into counters values (1, 0)`
    let first = true
    const error: unknown = await db
      .begin('isolation level serializable', async (sql) => {
        await sql`select n from counters`
        if (first) await db`update counters set n = n + 1`
        first = false
        await sql`update counters set n = n + 1`
      })
      .catch((reason: unknown) => reason)
    expect(isRetryable(error)).toBe(true)
    expect(isUnavailable(error)).toBe(false)
    const syntaxError: unknown = await db`select nothing`.catch((reason: unknown) => reason)
    expect([isRetryable(syntaxError), isUnavailable(syntaxError)]).toEqual([false, false])
  })

  it('cancels a statement after the timeout', async () => {
    const impatientDb = connectAgain({ poolSize: 1, statementTimeoutMs: 50 })
    await expect(impatientDb`select pg_sleep(10)`).rejects.toThrow(/statement timeout/)
  })
})
