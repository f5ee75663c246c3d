import { type ChildProcess, spawn } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHub } from '../../src/hub/create-hub.js'
import { blockOf } from '../../src/hub/log/hub-event.js'
import { connect, type Database } from '../../src/platform/db/connection.js'
import { findEmbedded } from '../../src/platform/db/embedded.js'
import { encodeMessage } from '../../src/protocol/codec.js'
import { FarcasterNetwork } from '../../src/protocol/definitions.js'
import type { SignedMessage } from '../../src/protocol/message.js'
import { createVerifyPool } from '../../src/protocol/verify-pool.js'
import { TestUser } from '../network.js'
import { makeTestDir } from '../stale-test-dirs.js'
import { tryFetch } from '../try-fetch.js'

/** `CRASH_ROUNDS=100` runs it for long. */
const rounds = Number(process.env.CRASH_ROUNDS ?? 6)
const senders = 8
const users = [1, 2, 3, 4].map((fid) => new TestUser(fid))
const acknowledged: SignedMessage[] = []
const followed: number[] = []

let dataDir: string
let server: ChildProcess
let url: string
let finished = false

beforeAll(async () => {
  dataDir = await makeTestDir()
  await start()
})

afterAll(async () => {
  finished = true
  const exited = new Promise((resolve) => server.once('exit', resolve))
  server.kill('SIGTERM')
  await exited
  await rm(dataDir, { recursive: true, force: true })
})

/** Starts the server on the same data and a free port, and waits until it responds. */
async function start(): Promise<void> {
  const env = {
    ...process.env,
    DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'silent',
    VERIFY_THREADS: '1',
  }
  server = spawn(process.execPath, ['test/faults/hooked-server.mjs'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  url = await new Promise((resolve, reject) => {
    let output = ''
    server.stdout!.on('data', (chunk) => {
      output += chunk
      const line = /listening on (\S+)\n/.exec(output)
      if (line) resolve(line[1]!)
    })
    server.once('exit', (code) => reject(new Error(`the server exited with ${code} before it responded`)))
  })
}

async function killServer(): Promise<void> {
  const exited = new Promise((resolve) => server.once('exit', resolve))
  server.kill('SIGKILL')
  await exited
  await start()
}

async function killPostgres(): Promise<void> {
  process.kill(await postgresPid(), 'SIGKILL')
  await waitUntilReady()
}

/** Reads the first line of PostgreSQL's pid file. */
async function postgresPid(): Promise<number> {
  const pidFile = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')
  return Number.parseInt(pidFile, 10)
}

async function openDatabase(): Promise<Database> {
  const databaseUrl = await findEmbedded(dataDir)
  if (databaseUrl === null) throw new Error('the server has no PostgreSQL running')
  return connect(databaseUrl, { poolSize: 2, applicationName: 'crash test' })
}

async function registerUsers(): Promise<void> {
  const db = await openDatabase()
  const verifyPool = createVerifyPool({ threads: 0 })
  const hub = await createHub({
    db,
    network: FarcasterNetwork.DEVNET,
    shards: 1,
    verifyPool,
    clock: Date.now,
  })
  await hub.submitOnChainEvents(users.flatMap((user) => user.onChain({ units: 1000 })))
  await hub.close()
  await verifyPool.close()
  await db.end()
}

async function waitUntilReady(): Promise<void> {
  for (;;) {
    const response = await tryFetch(`${url}/readyz`)
    if (response?.ok) return
    await sleep(50)
  }
}

/** Sends casts in sequence and records the acknowledged ones. */
async function send(sender: number): Promise<void> {
  for (let n = 0; !finished; n += 1) {
    const user = users[n % users.length]!
    const now = Math.floor(Date.now() / 1000) - 1_609_459_200
    const cast = user.cast(`sender ${sender}, cast ${n}`, now)
    const response = await tryFetch(`${url}/v1/submitMessage`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: encodeMessage(cast),
    })
    if (response?.ok) acknowledged.push(cast)
    if (!response?.ok) await sleep(10)
  }
}

/** Follows the log as a client does: by each page's next id. */
async function follow(): Promise<void> {
  let from = 0
  while (!finished) {
    const reply = await tryFetch(`${url}/v1/events?shard_index=1&from_event_id=${from}&pageSize=200`)
    const page = reply?.ok ? ((await reply.json().catch(() => null)) as EventPage | null) : null
    if (page) {
      followed.push(...page.events.map((event) => event.id))
      from = page.nextPageEventId
    }
    if (!page?.nextPageToken) await sleep(20)
  }
}

interface EventPage {
  events: { id: number }[]
  nextPageEventId: number
  nextPageToken?: string
}

test('crashes: acknowledged messages are kept, and no event is doubled or skipped', async () => {
  await registerUsers()
  const running = [...Array.from({ length: senders }, (_, sender) => send(sender)), follow()]
  for (let round = 0; round < rounds; round += 1) {
    await sleep(50 + ((round * 7919) % 350))
    const before = acknowledged.length
    if (round % 2 === 0) await killServer()
    else await killPostgres()
    while (acknowledged.length < before + 20) await sleep(10)
  }
  finished = true
  await Promise.all(running)
  await waitUntilReady()

  const db = await openDatabase()
  try {
    const stored = await db<{ hash: Buffer }[]>`select hash from hub.messages`
    const hashes = new Set(stored.map((row) => row.hash.toString('hex')))
    expect(acknowledged.filter((cast) => !hashes.has(cast.hash.toString('hex')))).toEqual([])

    const logged = (await db<{ id: number }[]>`select id from hub.events order by id`).map((row) => row.id)
    expect(new Set(logged).size).toBe(logged.length)
    expect(logged.slice(0, followed.length)).toEqual(followed)

    const seen = await db<{ id: number }[]>`select id from hook_seen order by id`
    // The first block registers the users, which this test does without the server.
    expect(seen.map((row) => row.id)).toEqual(logged.filter((id) => blockOf(id) > 1))
  } finally {
    await db.end()
  }
})
