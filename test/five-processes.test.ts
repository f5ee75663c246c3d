import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { connect } from '../src/platform/db/connection.js'
import { startEmbedded } from '../src/platform/db/embedded.js'
import { silentLog } from '../src/platform/log/log.js'
import { createDataDir, type ServerProcess, startServerProcess } from './server-process.js'
import {
  crashEnv,
  missingCasts,
  registerUsersOf,
  startCasting,
  subscribeToCasts,
} from './webhooks/cast-load.js'
import { startReceiver } from './webhooks/receiver.js'

// Five processes start on a machine of few cores.
const ROLES = ['api', 'api', 'worker', 'worker', 'sync']
const MAX_CONNECTIONS = 100
const RESERVED_CONNECTIONS = 3
const READERS = 60
const READS_OF_EACH = 15
/** One caller may have half of them, which is all that a server gets: no search waits so long that it is refused. */
const ALL_AT_ONCE = { WORK_CONCURRENCY: String(READERS) }

it('five processes of mixed roles fit in 100 connections, also at work', async () => {
  const dataDir = await createDataDir()
  const database = await startEmbedded({
    dataDir,
    command: 'test',
    log: silentLog,
    settings: { fsync: 'off', max_connections: String(MAX_CONNECTIONS) },
  })
  const db = connect(database.url, { poolSize: 1, applicationName: 'observer' })
  try {
    const servers: ServerProcess[] = []
    for (const roles of ROLES) {
      const env = { ...crashEnv, LOG_LEVEL: 'warn', ROLES: roles, DATABASE_URL: database.url, ...ALL_AT_ONCE }
      servers.push(
        await startServerProcess({
          dataDir: await createDataDir(),
          env: { ...env, PLAZA_SECRET_KEY: 'k'.repeat(40) },
        }),
      )
    }
    await registerUsersOf(db)
    const receiver = await startReceiver()
    await subscribeToCasts(servers[0]!.url, receiver.url)
    let turn = 0
    const casting = startCasting(() => servers[turn++ % 2]!.url, receiver)
    let mostConnections = 0
    let isReading = true
    const watching = (async () => {
      while (isReading) {
        const [row] = await db<{ count: number }[]>`
          select count(*) from pg_stat_activity
          where backend_type = 'client backend' and pid <> pg_backend_pid()`
        mostConnections = Math.max(mostConnections, row!.count)
      }
    })()
    const statuses = await Promise.all(
      Array.from({ length: READERS }, (_, reader) => readFrom(servers[reader % 2]!.url, reader)),
    )
    await casting.stop()
    await expect.poll(() => missingCasts(receiver, casting), { interval: 250 }).toEqual([])
    isReading = false
    await watching
    expect(new Set(statuses.flat())).toEqual(new Set([200]))
    expect(casting.acknowledged.length).toBeGreaterThan(10)
    expect(mostConnections).toBeLessThanOrEqual(MAX_CONNECTIONS - RESERVED_CONNECTIONS)
    for (const { output } of servers) {
      expect(output()).not.toMatch(/too many clients|connection slots|max_connections/)
    }
    for (const server of servers) server.child.kill('SIGTERM')
    for (const server of servers) expect(await server.ended).toEqual({ code: 0, signal: null })
  } finally {
    await db.end({ timeout: 1 })
    await database.stop()
  }
})

/**
 * Reads what is cached and what is not, again where the server is too busy: on a loaded machine a read may wait for longer than it
 * may. Returns the last status of each.
 */
async function readFrom(url: string, reader: number): Promise<number[]> {
  const statuses: number[] = []
  for (let n = 0; n < READS_OF_EACH; n += 1) {
    const fid = 1 + ((reader + n) % 4)
    const path = [
      `farcaster/feed/user/casts?fid=${fid}&limit=25`,
      `farcaster/user/bulk?fids=1,2,3,4&viewer_fid=${fid}`,
      `farcaster/feed?feed_type=following&fid=${fid}`,
      `farcaster/cast/search?q=cast%20${n}`,
    ][n % 4]
    statuses.push(await readUntilServed(`${url}/v2/${path}`))
  }
  return statuses
}

async function readUntilServed(url: string): Promise<number> {
  let status = 503
  // A process whose waiting list is full says so at once, and has room a moment later.
  for (let read = 0; status === 503; read += 1) {
    if (read > 0) await sleep(100)
    const reply = await fetch(url, { headers: { 'x-api-key': crashEnv.PLAZA_DEV_API_KEY } })
    await reply.arrayBuffer()
    status = reply.status
  }
  return status
}
