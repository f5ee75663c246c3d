import { expect, it } from 'vitest'
import { createTestDatabase } from './database.js'
import { createDataDir, startServerProcess } from './server-process.js'
import { startTcpProxy } from './tcp-proxy.js'

const { db, url } = await createTestDatabase()
const env = { VERIFY_THREADS: '0', SHUTDOWN_TIMEOUT_MS: '3000', LOG_LEVEL: 'warn' }

const sessions = async (): Promise<number[]> =>
  (
    await db<{ pid: number }[]>`
      select pid from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and application_name like 'plaza %'
        and application_name <> 'plaza test'`
  ).map(({ pid }) => pid)

it('SIGTERM ends a server whose database hangs', async () => {
  const server = await startServerProcess({
    dataDir: await createDataDir(),
    env: { ...env, DATABASE_URL: url },
  })
  const hung = await sessions()
  expect(hung.length).toBeGreaterThan(0)
  for (const pid of hung) process.kill(pid, 'SIGSTOP')
  try {
    const request = fetch(`${server.url}/v1/info`).catch(() => null)
    server.child.kill('SIGTERM')
    const ended = await server.ended
    expect(ended.signal).toBeNull()
    await request
  } finally {
    for (const pid of hung) process.kill(pid, 'SIGCONT')
  }
})

it('SIGTERM ends a server whose database is away', async () => {
  const address = new URL(url)
  const proxy = await startTcpProxy(`${address.hostname}:${address.port}`)
  const proxied = Object.assign(new URL(url), { host: proxy.address }).href
  const server = await startServerProcess({
    dataDir: await createDataDir(),
    env: { ...env, DATABASE_URL: proxied },
  })
  proxy.target = '127.0.0.1:1'
  proxy.cut()
  await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status).toBe(503)
  server.child.kill('SIGTERM')
  expect((await server.ended).signal).toBeNull()
})
