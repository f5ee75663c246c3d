import { expect, test } from 'vitest'
import { connect, type Database } from '../../src/platform/db/connection.js'
import { isUnavailable } from '../../src/platform/db/connection-errors.js'
import { startReplicatedCluster } from '../replicated-cluster.js'
import { startTcpProxy } from '../tcp-proxy.js'

const { primary, replica } = await startReplicatedCluster()
const SILENCE_MS = 200
/** Longer than the test, so that no cancelled statement ends it. */
const STATEMENT_TIMEOUT_MS = 600_000

/** A pool of a worker, behind an address that follows the primary. */
async function openBehindProxy() {
  const address = new URL(primary.url)
  const proxy = await startTcpProxy(address.host)
  const url = Object.assign(new URL(primary.url), { host: proxy.address }).href
  const pool = connect(url, {
    poolSize: 1,
    applicationName: 'test',
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    silenceMs: SILENCE_MS,
  })
  return { proxy, pool }
}

/** A pool of a worker, for two hosts of which only the second one is there. */
async function openOnSecondHost(target: string, user?: string) {
  const address = new URL(primary.url)
  const proxy = await startTcpProxy('127.0.0.1:1')
  const login = user ?? `${address.username}:${address.password}`
  const url = `postgres://${login}@${proxy.address},${address.host}${address.pathname}?target_session_attrs=${target}`
  const options = { poolSize: 1, applicationName: 'test', silenceMs: SILENCE_MS }
  const pool = connect(url, { ...options, statementTimeoutMs: STATEMENT_TIMEOUT_MS })
  await pool`select 1`
  return { proxy, pool }
}

async function isStandby(pool: Database): Promise<boolean> {
  const [row] = await pool<{ standby: boolean }[]>`select pg_is_in_recovery() as standby`
  return row!.standby
}

test('a primary that hangs, while new connections reach its successor: its statements fail, and the next ones reach that', async () => {
  const { proxy, pool } = await openBehindProxy()
  try {
    expect(await isStandby(pool)).toBe(false)
    primary.freeze()
    const asked = isStandby(pool).catch((error: unknown) => error)
    proxy.target = new URL(replica.url).host
    expect(isUnavailable(await asked)).toBe(true)
    await expect.poll(() => isStandby(pool).catch(() => null)).toBe(true)
  } finally {
    primary.unfreeze()
    await pool.end({ timeout: 1 })
  }
})

test('a primary that hangs without a successor: its statements wait for it', async () => {
  const { pool } = await openBehindProxy()
  try {
    expect(await isStandby(pool)).toBe(false)
    primary.freeze()
    const asked = isStandby(pool)
    // Its new connections fail: it was looked for a successor.
    const other = connect(`${primary.url}?connect_timeout=1`, { poolSize: 1, applicationName: 'test' })
    expect(isUnavailable(await isStandby(other).catch((error: unknown) => error))).toBe(true)
    primary.unfreeze()
    expect(await asked).toBe(false)
    await other.end({ timeout: 1 })
  } finally {
    primary.unfreeze()
    await pool.end({ timeout: 1 })
  }
})

test('a statement that takes longer than a server may be silent: is answered', async () => {
  const { pool } = await openBehindProxy()
  const [row] = await pool<{ slept: number }[]>`
    select 1 as slept from pg_sleep(${(4 * SILENCE_MS) / 1000})`
  expect(row).toEqual({ slept: 1 })
  await pool.end({ timeout: 1 })
})

/** Asks in a statement that is silent for longer than a host may be before others are asked about it. */
async function isStandbyAfterSilence(pool: Database): Promise<boolean> {
  const [row] = await pool<[{ standby: boolean }]>`
    select pg_is_in_recovery() as standby from pg_sleep(${(4 * SILENCE_MS) / 1000})`
  return row.standby
}

test.each(['any', 'prefer-standby'])(
  'target_session_attrs=%s: an earlier host that comes back ends no statement of a healthy one',
  async (target) => {
    const { proxy, pool } = await openOnSecondHost(target)
    try {
      proxy.target = new URL(replica.url).host
      expect(await isStandbyAfterSilence(pool)).toBe(false)
    } finally {
      await pool.end({ timeout: 1 })
    }
  },
)

test('target_session_attrs=any: statements on a host that hangs fail when another host answers', async () => {
  const { proxy, pool } = await openOnSecondHost('any')
  try {
    primary.freeze()
    const asked = isStandby(pool).catch((error: unknown) => error)
    proxy.target = new URL(replica.url).host
    expect(isUnavailable(await asked)).toBe(true)
  } finally {
    primary.unfreeze()
    await pool.end({ timeout: 1 })
  }
})

test('target_session_attrs=any: a host that has no connection left ends no statement, though another host answers', async () => {
  const admin = connect(primary.url, { poolSize: 1, applicationName: 'test' })
  await admin`create role crowded login password 'secret' connection limit 1`
  const { proxy, pool } = await openOnSecondHost('any', 'crowded:secret')
  try {
    const standby = Object.assign(new URL(replica.url), { username: 'crowded', password: 'secret' }).href
    const other = connect(standby, { poolSize: 1, applicationName: 'test' })
    // The role is there, too.
    await expect.poll(() => isStandby(other).catch(() => null)).toBe(true)
    await other.end({ timeout: 1 })
    proxy.target = new URL(replica.url).host
    expect(await isStandbyAfterSilence(pool)).toBe(false)
  } finally {
    await pool.end({ timeout: 1 })
    await admin.end({ timeout: 1 })
  }
})
