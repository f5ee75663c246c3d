import { type ChildProcess, spawn } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ensureApp } from '../../src/features/apps/apps.js'
import { createSigner } from '../../src/features/signers/signer-record.js'
import { createHub } from '../../src/hub/create-hub.js'
import { connect, type Database } from '../../src/platform/db/connection.js'
import { findEmbedded } from '../../src/platform/db/embedded.js'
import { createVault } from '../../src/platform/vault/vault.js'
import { FarcasterNetwork, SignerEventType } from '../../src/protocol/definitions.js'
import { createVerifyPool } from '../../src/protocol/verify-pool.js'
import { builtCli } from '../built-cli.js'
import { TestUser } from '../network.js'
import { makeTestDir } from '../stale-test-dirs.js'
import { tryFetch } from '../try-fetch.js'

const rounds = 6
const senders = 8
const requestsOfSender = 3
const apiKey = 'a-key-for-the-crash'
const secretKey = 'the-secret-key-of-a-server-that-is-killed'
const user = new TestUser(1)

/** A request and its response; null until there is one. */
interface PublishRequest {
  readonly idem: string
  readonly text: string
  hash: string | null
}

let dataDir: string
let cli: string
let server: ChildProcess | undefined
let url: string
let signerUuid: string

beforeAll(async () => {
  cli = await builtCli()
  dataDir = await makeTestDir()
  await start()
  signerUuid = await prepareSigner()
})

afterAll(async () => {
  await end('SIGTERM')
  await rm(dataDir, { recursive: true, force: true })
})

async function start(): Promise<void> {
  const env = {
    PATH: process.env.PATH,
    DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'silent',
    VERIFY_THREADS: '0',
    PLAZA_DEV_API_KEY: apiKey,
    PLAZA_SECRET_KEY: secretKey,
  }
  const child = spawn(process.execPath, [cli, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  server = child
  url = await new Promise((resolve, reject) => {
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
      const [, found] = /^listening on (\S+)$/m.exec(output) ?? []
      if (found !== undefined) resolve(found)
    })
    child.once('exit', (code) => reject(new Error(`the server exited with ${code}:\n${output}`)))
  })
}

async function end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  if (!server) return
  const exited = new Promise((resolve) => server?.once('exit', resolve))
  server.kill(signal)
  await exited
}

async function onDatabase<T>(work: (db: Database) => Promise<T>): Promise<T> {
  const databaseUrl = await findEmbedded(dataDir)
  if (databaseUrl === null) throw new Error('the server has no PostgreSQL running')
  const db = connect(databaseUrl, { poolSize: 2, applicationName: 'crash test' })
  return await work(db).finally(() => db.end())
}

async function prepareSigner(): Promise<string> {
  return await onDatabase(async (db) => {
    const verifyPool = createVerifyPool({ threads: 0 })
    const hub = await createHub({
      db,
      network: FarcasterNetwork.DEVNET,
      shards: 1,
      verifyPool,
      clock: Date.now,
    })
    const appId = await ensureApp(db, 'development')
    const signer = await createSigner({ db, vault: createVault([secretKey]) }, appId)
    const approval = user.signerEvent(SignerEventType.ADD, 1_000, signer.publicKey)
    expect(await hub.submitOnChainEvents([...user.onChain({ units: 100 }), approval])).toEqual(
      Array(4).fill(null),
    )
    await hub.close()
    await verifyPool.close()
    return signer.id
  })
}

/** Sends a request; null without a response or on a transient error. */
async function publish({ idem, text }: PublishRequest): Promise<string | null> {
  const reply = await tryFetch(`${url}/v2/farcaster/cast`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ signer_uuid: signerUuid, text, idem }),
  })
  if (!reply?.ok) return null
  const body = (await reply.json().catch(() => null)) as { cast: { hash: string } } | null
  return body?.cast.hash ?? null
}

/** Repeats a request until it is answered, and compares with an earlier response. */
async function repeat(request: PublishRequest): Promise<void> {
  let again = await publish(request)
  for (; again === null; again = await publish(request)) await sleep(20)
  if (request.hash !== null) expect(again).toBe(request.hash)
  request.hash = again
}

test('publishing: an idem publishes once across repetitions and server kills', async () => {
  const all: PublishRequest[] = []
  for (let round = 0; round < rounds; round += 1) {
    const request = Array.from({ length: senders * requestsOfSender }, (_, n) => ({
      idem: `${round} ${n}`,
      text: `round ${round}, number ${n}`,
      hash: null as string | null,
    }))
    all.push(...request)
    const requestShares = Array.from({ length: senders }, (_, sender) =>
      request.filter((_, n) => n % senders === sender),
    )
    // Sequential per share, so that kills meet requests in every state.
    const sending = requestShares.map(async (share) => {
      for (const each of share) each.hash = await publish(each)
    })
    // On any machine, some are answered by then and others in progress.
    const answered = () => request.filter(({ hash }) => hash !== null).length
    await expect.poll(answered, { interval: 1 }).toBeGreaterThan(round * 3)
    await end('SIGKILL')
    await Promise.all(sending)
    await start()
    await Promise.all(requestShares.flat().map(repeat))
  }
  const stored = await onDatabase(
    (db) => db<{ text: string; hash: string }[]>`
      select text, '0x' || encode(hash, 'hex') as hash from social.casts`,
  )
  const line = ({ text, hash }: { text: string; hash: string | null }) => `${text}: ${hash}`
  expect(stored.map(line).sort()).toEqual(all.map(line).sort())
})
