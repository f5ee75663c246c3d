import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { makeTestDir } from '../../../test/stale-test-dirs.js'
import { startTcpProxy } from '../../../test/tcp-proxy.js'
import { PlazaError } from '../errors.js'
import { boundWaits } from './bounded-waits.js'
import { connect, type Database, poolUsage, type Queryable } from './connection.js'
import { isBeyondLimits, isTemporary, isUnavailable, outageOf } from './connection-errors.js'

const { db: admin, url, connect: open } = await createTestDatabase()
await admin`create table written (n integer)`
const NOBODY = '127.0.0.1:1'

const failureOf = (work: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(work).then(
    () => null,
    (error: unknown) => error,
  )

async function sessionOf(db: Database): Promise<number> {
  const [row] = await db<{ pid: number }[]>`select pg_backend_pid() as pid`
  return row!.pid
}

/** The session of a new pool that waits shortly for a connection, however long the first one takes. */
async function firstSessionOf(db: Database): Promise<number> {
  await expect.poll(() => failureOf(db`select 1`)).toBeNull()
  return await sessionOf(db)
}

/** A proxy to the database, and the URL of the database behind it. */
async function openProxy() {
  const address = new URL(url)
  const proxy = await startTcpProxy(`${address.hostname}:${address.port}`)
  return { proxy, url: Object.assign(new URL(url), { host: proxy.address }).href, target: proxy.target }
}

it('a server that takes no writes: is unavailable, and its connection is replaced by one to the server that does', async () => {
  const database = admin(new URL(url).pathname.slice(1))
  await admin`alter database ${database} set default_transaction_read_only = on`
  const pool = open({ poolSize: 1 })
  const before = await sessionOf(pool)
  // A fail-over, for connections from now on.
  await admin`alter database ${database} reset default_transaction_read_only`
  const failures = [await failureOf(pool`insert into written values (1)`)]
  expect(isUnavailable(failures[0])).toBe(true)
  await expect.poll(() => failureOf(pool`insert into written values (2)`)).toBeNull()
  expect(await sessionOf(pool)).not.toBe(before)
  expect(await admin`select n from written`).toEqual([{ n: 2 }])
})

it('a transaction on a server that takes no writes: is unavailable, and the next one succeeds', async () => {
  const database = admin(new URL(url).pathname.slice(1))
  await admin`alter database ${database} set default_transaction_read_only = on`
  const pool = open({ poolSize: 1 })
  await sessionOf(pool)
  await admin`alter database ${database} reset default_transaction_read_only`
  const write = () => failureOf(pool.begin((sql) => sql`insert into written values (3)`))
  expect(isUnavailable(await write())).toBe(true)
  await expect.poll(write).toBeNull()
})

it('a statement or transaction that gets no connection: fails as unavailable, and is never run', async () => {
  const { sql: pool } = boundWaits(open({ poolSize: 1 }), { limitMs: 50, max: 10 })
  await firstSessionOf(pool)
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const holding = pool.begin(() => held)
  const errors = await Promise.all([
    failureOf(pool`insert into written values (10)`),
    failureOf(pool.begin((sql) => sql`insert into written values (11)`)),
    failureOf(pool.unsafe('insert into written values (12)')),
  ])
  for (const error of errors) {
    expect(error).toBeInstanceOf(PlazaError)
    expect(isUnavailable(error)).toBe(true)
  }
  release()
  await holding
  await expect(pool`select 1 as one`).resolves.toEqual([{ one: 1 }])
  expect(await admin`select n from written where n >= 10`).toEqual([])
})

it('a statement or transaction whose connection takes too long to open: is never run, and the pool still works', async () => {
  const { proxy, url: proxied } = await openProxy()
  proxy.delayMs = 40
  const { sql: pool } = boundWaits(open({ poolSize: 2, url: proxied }), { limitMs: 20, max: 10 })
  const errors = await Promise.all([
    failureOf(pool.begin((sql) => sql`insert into written values (20)`)),
    failureOf(pool`insert into written values (${21}::integer)`),
    failureOf(pool`insert into written values (22)`),
  ])
  expect(errors.map(isUnavailable)).toEqual([true, true, true])
  proxy.delayMs = 0
  const write = () => failureOf(pool.begin((sql) => sql`select 1`))
  for (let round = 0; round < 6; round += 1) await expect.poll(write).toBeNull()
  expect(await admin`select n from written where n >= 20`).toEqual([])
})

it('a database that hangs: its connection, and none without statements, is closed when it has not even cancelled the statement in time', async () => {
  const pool = open({ poolSize: 1, requestTimeoutMs: 1_500 })
  const idle = open({ poolSize: 1, requestTimeoutMs: 1_500 })
  const [session, idleSession] = [await firstSessionOf(pool), await firstSessionOf(idle)]
  process.kill(session, 'SIGSTOP')
  try {
    expect(isUnavailable(await failureOf(pool`select 1`))).toBe(true)
    // The driver may send one more statement on the closing connection.
    await expect.poll(() => sessionOf(pool).catch(() => session)).not.toBe(session)
    expect(await sessionOf(idle)).toBe(idleSession)
  } finally {
    process.kill(session, 'SIGCONT')
  }
})

it('a database that hangs between the answers to two statements: the connection is closed, though it answered the first', async () => {
  const pool = open({ poolSize: 1, requestTimeoutMs: 1_500 })
  const session = await firstSessionOf(pool)
  // Sent together: nothing is written after the first answer.
  const [first, second] = [failureOf(pool`select 1`), failureOf(pool`select pg_sleep(60)`)]
  expect(await first).toBeNull()
  process.kill(session, 'SIGSTOP')
  try {
    expect(await second).toMatchObject({ code: 'ETIMEDOUT' })
    await expect.poll(() => sessionOf(pool).catch(() => session)).not.toBe(session)
  } finally {
    process.kill(session, 'SIGCONT')
  }
})

it('the socket file of a server that has shut down in order: is unavailable; another missing file is no outage', async () => {
  const directory = await makeTestDir()
  onTestFinished(() => rm(directory, { recursive: true }))
  const pool = connect(`postgres://plaza@localhost/plaza?host=${encodeURIComponent(directory)}`, {
    poolSize: 1,
    applicationName: 'test',
  })
  onTestFinished(() => pool.end())
  const failure = await failureOf(pool`select 1`)
  expect(failure).toMatchObject({ code: 'ENOENT' })
  expect(outageOf(failure)).toBe('DatabaseAway')
  expect(outageOf(await failureOf(readFile(join(directory, 'absent'))))).toBeNull()
})

it('another part of the server that is busy: is temporary, and no outage of the database', () => {
  const busy = new PlazaError('unavailable', 'the AI endpoint is busy')
  const wrapped = new Error('a job failed', { cause: busy })
  expect([busy, wrapped].map((error) => [outageOf(error), isTemporary(error)])).toEqual([
    [null, true],
    [null, true],
  ])
  expect(isTemporary(new PlazaError('internal', 'a bug'))).toBe(false)
})

it('the limit of waiting keeps no process that has stopped', async () => {
  const timers = vi.spyOn(globalThis, 'setTimeout')
  const limitMs = 61_234
  const { sql: pool } = boundWaits(open({ poolSize: 1 }), { limitMs, max: 3 })
  await pool`select 1`
  const limit = timers.mock.results[timers.mock.calls.findIndex(([, delay]) => delay === limitMs)]?.value
  timers.mockRestore()
  expect(limit.hasRef()).toBe(false)
})

it('more statements than may wait for a connection: fail at once; when it is free, all that waited are run', async () => {
  const { sql: pool } = boundWaits(open({ poolSize: 1 }), { limitMs: 60_000, max: 3 })
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const holding = pool.begin(() => held)
  // The transaction has the only connection.
  const begun = () => admin`
    select from pg_stat_activity where datname = current_database() and query = 'begin '`
  await expect.poll(begun).not.toHaveLength(0)
  const waiting = [30, 31, 32].map((n) => failureOf(pool`insert into written values (${n}::integer)`))
  const refused = await Promise.all(
    [33, 34].map((n) => failureOf(pool`insert into written values (${n}::integer)`)),
  )
  expect(refused.map(isUnavailable)).toEqual([true, true])
  expect(refused.map(isTemporary)).toEqual([true, true])
  release()
  await holding
  expect(await Promise.all(waiting)).toEqual([null, null, null])
  expect(await admin`select n from written where n >= 30 order by n`).toEqual([
    { n: 30 },
    { n: 31 },
    { n: 32 },
  ])
  // Those that have got one since do not count.
  expect(await failureOf(pool`select 1`)).toBeNull()
})

it('statements that waited for a connection that could not be opened: count as waiting no more', async () => {
  const { proxy, url: proxied } = await openProxy()
  proxy.target = NOBODY
  const pool = open({ poolSize: 1, url: proxied, requestTimeoutMs: 60_000 })
  const failures = await Promise.all([1, 2, 3].map(() => failureOf(pool`select 1`)))
  expect(failures.map(isUnavailable)).toEqual([true, true, true])
  expect(poolUsage(pool)).toEqual({ size: 1, held: 0, waiting: 0 })
})

it('statements that were sent behind a slow one: count as waiting until it is done', async () => {
  const pool = open({ poolSize: 2, requestTimeoutMs: 60_000 })
  await Promise.all([sessionOf(pool), sessionOf(pool)])
  let reads: Promise<unknown>[] = []
  await admin.begin(async (sql) => {
    await sql`lock table written`
    reads = Array.from({ length: 12 }, () => failureOf(pool`select from written`))
    await expect.poll(() => poolUsage(pool).waiting).toBe(10)
  })
  expect(await Promise.all(reads)).toEqual(Array.from({ length: 12 }, () => null))
  expect(poolUsage(pool).waiting).toBe(0)
})

it('statements of a transaction that waits for a lock: are of a caller that has its connection', async () => {
  const pool = open({ poolSize: 2, requestTimeoutMs: 60_000 })
  await Promise.all([sessionOf(pool), sessionOf(pool)])
  const read = (db: Queryable) => failureOf(db`select from written`)
  const reads: Promise<unknown>[] = []
  await admin.begin(async (sql) => {
    await sql`lock table written`
    reads.push(pool.begin((transaction) => Promise.all(Array.from({ length: 12 }, () => read(transaction)))))
    const countWaiters = () => sql`
      select from pg_locks
      where not granted and database = (select oid from pg_database where datname = current_database())`
    await expect.poll(countWaiters).toHaveLength(1)
    reads.push(read(pool), read(pool))
    // When the second of these has waited for long enough to be counted, the transaction has, too.
    await expect.poll(() => poolUsage(pool).waiting).toBeGreaterThan(0)
    expect(poolUsage(pool)).toEqual({ size: 2, held: 1, waiting: 1 })
  })
  expect((await Promise.all(reads)).flat()).toEqual(Array.from({ length: 14 }, () => null))
})

it('statements that PostgreSQL cannot run: the reason is known, and the states of errors are told', async () => {
  const states: string[] = []
  const pool = open({ poolSize: 1, statementTimeoutMs: 1_000, onError: (state) => states.push(state) })
  const fail = (state: string) =>
    failureOf(pool.unsafe(`do $$ begin raise exception 'no' using errcode = '${state}'; end $$`))
  expect(outageOf(await fail('53100'))).toBe('InsufficientStorage')
  expect(outageOf(await fail('53200'))).toBe('InsufficientMemory')
  expect(outageOf(await failureOf(pool`select pg_sleep(60)`))).toBe('StatementTimeout')
  expect(outageOf(await fail('23505'))).toBeNull()
  expect(states).toEqual(['53100', '53200', '57014', '23505'])
  const limits = ['53200', '53400', '57014', '53100', '53300', '23505']
  const errors = await Promise.all(limits.map(fail))
  expect(errors.map(isBeyondLimits)).toEqual([true, true, true, false, false, false])
  // Its connection is closed, of which the statement may learn first.
  await expect.poll(async () => outageOf(await fail('25006'))).toBe('ReadOnly')
  const ownFiles = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  expect(outageOf(new Error('export', { cause: ownFiles }))).toBe('InsufficientStorage')
})

it('an outage: statements and LISTEN are back as soon as the database is', async () => {
  const { proxy, url: proxied, target } = await openProxy()
  const pool = open({ poolSize: 2, url: proxied })
  const heard: string[] = []
  let listens = 0
  await pool.listen(
    'outage',
    (text) => heard.push(text),
    () => {
      listens += 1
    },
  )
  await sessionOf(pool)
  proxy.target = NOBODY
  proxy.cut()
  // Enough failures for any backoff to have grown.
  for (let attempt = 0; attempt < 30; attempt += 1) {
    expect(isUnavailable(await failureOf(pool`select 1`))).toBe(true)
  }
  proxy.target = target
  await expect.poll(() => failureOf(pool`select 1`), { interval: 20 }).toBeNull()
  await expect.poll(() => listens, { interval: 20 }).toBe(2)
  await admin`select pg_notify('outage', 'again')`
  await expect.poll(() => heard).toEqual(['again'])
})

it('LISTEN while nobody answers: is tried again until somebody does', async () => {
  const { proxy, url: proxied, target } = await openProxy()
  const pool = open({ poolSize: 1, url: proxied })
  const heard: string[] = []
  await pool.listen('moved', (text) => heard.push(text))
  for (let round = 0; round < 3; round += 1) {
    proxy.target = NOBODY
    proxy.cut()
    await expect.poll(() => failureOf(pool`select 1`)).not.toBeNull()
    proxy.target = target
  }
  await expect
    .poll(async () => {
      await admin`select pg_notify('moved', 'there')`
      return heard.length
    })
    .toBeGreaterThan(0)
})

it('sessions have their settings, and those of `options`, and end soon after their machine', async () => {
  const options = encodeURIComponent("-c work_mem=7MB -c application_name=it's\\ mine")
  const pool = open({ poolSize: 1, url: `${url}?options=${options}`, statementTimeoutMs: 12_000 })
  const [row] = await pool`
    select current_setting('statement_timeout') as timeout, current_setting('jit') as jit,
      current_setting('TimeZone') as zone, current_setting('work_mem') as memory,
      current_setting('application_name') as name, current_setting('tcp_keepalives_idle') as idle`
  expect(row).toEqual({
    timeout: '12s',
    jit: 'off',
    zone: 'UTC',
    memory: '7MB',
    name: "it's mine",
    idle: '10',
  })
})

it('a running statement can be cancelled', async () => {
  const pool = open({ poolSize: 1 })
  const session = await sessionOf(pool)
  const sleeping = pool`select pg_sleep(60)`
  const cancelled = failureOf(sleeping)
  await expect
    .poll(() => admin`select 1 from pg_stat_activity where pid = ${session} and wait_event = 'PgSleep'`)
    .toHaveLength(1)
  sleeping.cancel()
  expect(await cancelled).toMatchObject({ code: '57014' })
  expect(await sessionOf(pool)).toBe(session)
})

it('a setting that the server does not have fails with its name, and no connection is left', async () => {
  const pool = connect(`${url}?options=${encodeURIComponent('-c nothing_like_it=1')}`, {
    poolSize: 1,
    applicationName: 'test',
  })
  await expect(pool`select 1`).rejects.toThrow(/nothing_like_it/)
  await expect(pool`select 1`).rejects.toThrow(/nothing_like_it/)
  await pool.end({ timeout: 1 })
})

it('several hosts: the first one that answers is used, and another one when it is gone', async () => {
  const address = new URL(url)
  const { proxy } = await openProxy()
  const login = `${address.username}:${address.password}`
  const hosts = `${NOBODY},${proxy.address},${address.host}`
  const several = `postgres://${login}@${hosts}${address.pathname}`
  const pool = open({ poolSize: 1, url: several })
  const first = await sessionOf(pool)
  proxy.target = NOBODY
  proxy.cut()
  await expect.poll(() => sessionOf(pool).catch(() => first)).not.toBe(first)
})

it('target_session_attrs=standby on a primary is unavailable, with a name for it', async () => {
  const pool = connect(`${url}?target_session_attrs=standby`, { poolSize: 1, applicationName: 'test' })
  const error = await failureOf(pool`select 1`)
  expect(error).toMatchObject({ code: 'WRONG_SERVER' })
  expect(isUnavailable(error)).toBe(true)
  await pool.end({ timeout: 1 })
})
