import { cp, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { builtCli } from './built-cli.js'
import { createTestDatabase } from './database.js'
import { createDataDir, type ServerProcess, startServerProcess } from './server-process.js'
import {
  crashEnv,
  inconsistentEventsIn,
  missingCasts,
  registerUsersOf,
  startCasting,
  subscribeToCasts,
} from './webhooks/cast-load.js'
import { startReceiver } from './webhooks/receiver.js'

const { db, url: databaseUrl } = await createTestDatabase()

/** What an expanding migration does: the old version neither writes nor reads the new column and table. */
const EXPANSION = `
  alter table social.casts add column next_version text;
  alter table webhooks.deliveries add column next_version text;
  create table app.next_version (id bigint primary key);
`

/** Builds a next version beside this one: the same program with one migration more. */
async function buildNextVersion(): Promise<string> {
  const dir = await createDataDir()
  const dist = join(dir, 'dist')
  await cp(dirname(await builtCli()), dist, { recursive: true })
  const manifest = JSON.parse(await readFile('package.json', 'utf8'))
  await writeFile(join(dir, 'package.json'), JSON.stringify({ ...manifest, version: '99.0.0' }))
  await symlink(resolve('node_modules'), join(dir, 'node_modules'))
  await writeFile(join(dist, 'platform/db/migrations/9999_next_version.sql'), EXPANSION)
  return join(dist, 'cli.js')
}

/** Casts that have chosen a process shortly before it gets its signal still reach it. */
const SHUTDOWN_DELAY_MS = '10000'

const start = async (cli: string): Promise<ServerProcess> => {
  const env = {
    ...crashEnv,
    DATABASE_URL: databaseUrl,
    PLAZA_SECRET_KEY: 'k'.repeat(40),
    SHUTDOWN_DELAY_MS,
  }
  return startServerProcess({ dataDir: await createDataDir(), env, cli })
}

/** Status of `/readyz`: a load balancer sends requests to a process that says 200. */
const readiness = async (server: ServerProcess) => (await fetch(`${server.url}/readyz`)).status

/** Each server in turns, as a load balancer does. */
function inTurns(servers: readonly ServerProcess[]): () => string {
  let turn = 0
  return () => servers[turn++ % servers.length]!.url
}

it('rolling upgrade: old and new processes serve side by side across a migration, and lose nothing', async () => {
  const [oldCli, newCli] = [await builtCli(), await buildNextVersion()]
  const receiver = await startReceiver()
  const servers = [await start(oldCli)]
  servers.push(...(await Promise.all([start(oldCli), start(oldCli)])))
  await registerUsersOf(db)
  await subscribeToCasts(servers[0]!.url, receiver.url)
  let nextUrl = inTurns(servers)
  const casting = startCasting(() => nextUrl(), receiver)
  const untilMoreCasts = async () => {
    const before = casting.acknowledged.length
    await expect.poll(() => casting.acknowledged.length).toBeGreaterThan(before + 15)
  }
  await untilMoreCasts()
  for (let replaced = 0; replaced < 3; replaced += 1) {
    const leaving = servers.shift()!
    nextUrl = inTurns(servers)
    leaving.child.kill('SIGTERM')
    expect(await leaving.ended).toEqual({ code: 0, signal: null })
    // The first of the new version migrates while two of the old one work.
    servers.push(await start(newCli))
    for (const server of servers) await expect.poll(() => readiness(server)).toBe(200)
    nextUrl = inTurns(servers)
    await untilMoreCasts()
  }
  await casting.stop()
  await expect.poll(() => missingCasts(receiver, casting)).toEqual([])
  expect(casting.failures).toEqual([])
  expect(inconsistentEventsIn(receiver)).toEqual([])
  const versions = await db<{ version: string }[]>`
    select distinct version from app.processes where alive_until > now()`
  expect(versions).toEqual([{ version: '99.0.0' }])
})
