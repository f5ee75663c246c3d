import { execFileSync } from 'node:child_process'
import { chown, stat, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { connect } from '../src/platform/db/connection.js'
import { isUnavailable } from '../src/platform/db/connection-errors.js'
import { clusterDirectory } from '../src/platform/db/data-dir.js'
import { startEmbedded } from '../src/platform/db/embedded.js'
import { silentLog } from '../src/platform/log/log.js'
import { createCertificate } from '../src/platform/outbound/testing/certificate.js'
import { createTestDatabase } from './database.js'
import { createDataDir } from './server-process.js'

// Each test starts a PostgreSQL of its own.
const SETTINGS = { fsync: 'off', max_connections: '20', shared_buffers: '8MB' }

const { url: primaryUrl } = await createTestDatabase()

async function startCluster(dataDir: string, settings: Record<string, string> = {}): Promise<string> {
  const { url, stop } = await startEmbedded({
    dataDir,
    command: 'test',
    log: silentLog,
    settings: { ...SETTINGS, ...settings },
  })
  onTestFinished(stop)
  return url
}

async function serverOf(url: string): Promise<{ isStandby: boolean; isEncrypted: boolean }> {
  const db = connect(url, { poolSize: 1, applicationName: 'test' })
  try {
    const [row] = await db<{ isStandby: boolean; isEncrypted: boolean }[]>`
      select pg_is_in_recovery() as "isStandby",
        (select ssl from pg_stat_ssl where pid = pg_backend_pid()) as "isEncrypted"`
    return row!
  } finally {
    await db.end({ timeout: 1 })
  }
}

/** A log-in that a primary and its standby have; these two are strangers. */
const LOGIN = { role: 'plaza_both_servers', password: 'of-both' }

async function createLogin(url: string): Promise<void> {
  const db = connect(url, { poolSize: 1, applicationName: 'test' })
  await db.unsafe(`drop role if exists ${LOGIN.role}`)
  await db.unsafe(`create role ${LOGIN.role} login password '${LOGIN.password}'`)
  await db.end({ timeout: 1 })
}

/** A server that waits for a primary. */
async function startStandby(): Promise<string> {
  const dataDir = await createDataDir()
  const first = await startEmbedded({ dataDir, command: 'test', log: silentLog, settings: SETTINGS })
  await createLogin(first.url)
  await first.stop()
  await writeFile(join(await clusterDirectory(dataDir), 'standby.signal'), '')
  return await startCluster(dataDir)
}

it('target_session_attrs: of several hosts, the one that is asked for', async () => {
  await createLogin(primaryUrl)
  const standby = new URL(await startStandby())
  const primary = new URL(primaryUrl)
  const urlOf = (target: string, ...hosts: string[]) =>
    `postgres://${LOGIN.role}:${LOGIN.password}@${hosts.join(',')}/postgres?target_session_attrs=${target}`
  const both = ['127.0.0.1:1', standby.host, primary.host]
  const found = await Promise.all(
    ['primary', 'read-write', 'standby', 'read-only', 'prefer-standby', 'any'].map(async (target) => [
      target,
      (await serverOf(urlOf(target, ...both))).isStandby,
    ]),
  )
  expect(Object.fromEntries(found)).toEqual({
    primary: false,
    'read-write': false,
    standby: true,
    'read-only': true,
    'prefer-standby': true,
    any: true,
  })
  expect((await serverOf(urlOf('prefer-standby', primary.host))).isStandby).toBe(false)
  expect((await serverOf(urlOf('prefer-standby', primary.host, '127.0.0.1:1'))).isStandby).toBe(false)
  for (const hosts of [[standby.host], [standby.host, '127.0.0.1:1']]) {
    const refused = await serverOf(urlOf('primary', ...hosts)).catch((error: unknown) => error)
    expect(isUnavailable(refused)).toBe(true)
  }
})

it('TLS: a connection that is lost while certificates are read fails alone', async () => {
  const dataDir = await createDataDir()
  const unread = join(dataDir, 'root.crt')
  execFileSync('mkfifo', [unread])
  const server = createServer((socket) => {
    socket.once('data', () => socket.write('S', () => socket.resetAndDestroy()))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    // Lets the read end.
    await writeFile(unread, '')
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const query = `sslmode=verify-full&sslrootcert=${unread}&connect_timeout=1`
  const failure = await serverOf(`postgres://u@127.0.0.1:${port}/d?${query}`).catch((error: unknown) => error)
  expect(isUnavailable(failure)).toBe(true)
})

it('TLS: certificates are checked as sslmode says', async () => {
  const dataDir = await createDataDir()
  const { key, cert } = createCertificate('localhost')
  const certificateFile = join(dataDir, 'server.crt')
  const other = join(dataDir, 'other.crt')
  await writeFile(certificateFile, cert)
  await writeFile(other, createCertificate('localhost').cert)
  const first = await startEmbedded({ dataDir, command: 'test', log: silentLog, settings: SETTINGS })
  await first.stop()
  const directory = await clusterDirectory(dataDir)
  const { uid, gid } = await stat(directory)
  for (const [name, text] of [
    ['server.crt', cert],
    ['server.key', key],
  ] as const) {
    await writeFile(join(directory, name), text, { mode: 0o600 })
    await chown(join(directory, name), uid, gid)
  }
  const address = new URL(await startCluster(dataDir, { ssl: 'on' }))
  const urlOf = (host: string, query: string) => {
    const changed = new URL(address)
    changed.hostname = host
    return `${changed.href}?${query}`
  }
  const isEncrypted = (host: string, query: string) =>
    serverOf(urlOf(host, query)).then(
      (server) => server.isEncrypted,
      (error: Error) => error.message,
    )
  expect(await isEncrypted('127.0.0.1', 'sslmode=disable')).toBe(false)
  expect(await isEncrypted('127.0.0.1', 'sslmode=prefer')).toBe(true)
  expect(await isEncrypted('127.0.0.1', 'sslmode=require')).toBe(true)
  expect(await isEncrypted('127.0.0.1', `sslmode=verify-ca&sslrootcert=${certificateFile}`)).toBe(true)
  expect(await isEncrypted('localhost', `sslmode=verify-full&sslrootcert=${certificateFile}`)).toBe(true)
  expect(await isEncrypted('127.0.0.1', `sslmode=verify-full&sslrootcert=${certificateFile}`)).toMatch(/IP/)
  expect(await isEncrypted('localhost', `sslmode=verify-full&sslrootcert=${other}`)).toMatch(/certificate/)
  expect(await isEncrypted('localhost', 'sslmode=verify-full')).toMatch(/certificate/)
  // The server of the other tests does not encrypt.
  await expect(serverOf(`${primaryUrl}?sslmode=require`)).rejects.toThrow(/does not encrypt/)
  expect(await serverOf(`${primaryUrl}?sslmode=prefer`)).toMatchObject({ isEncrypted: false })
})
