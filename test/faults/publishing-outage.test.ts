import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ensureApp } from '../../src/features/apps/apps.js'
import { createSigner } from '../../src/features/signers/signer-record.js'
import { createVault } from '../../src/platform/vault/vault.js'
import { SignerEventType } from '../../src/protocol/definitions.js'
import { createTestDatabase } from '../database.js'
import { TestUser } from '../network.js'
import { startTestServer } from '../running-server.js'

const API_KEY = 'a-key-for-the-outage'
const SECRET_KEY = 'the-secret-key-of-a-server-that-loses-its-database'
const RUNS = 15
/** Times of casts are whole seconds: after the longer one, a second cast would differ from the first. */
const RETRY_MS = [5, 1_050]

const { db, url } = await createTestDatabase()

/** Starts the server with a signer, and returns how to publish with it. */
async function startPublishing(fid: number) {
  const user = new TestUser(fid)
  const server = await startTestServer(url, {
    PLAZA_DEV_API_KEY: API_KEY,
    PLAZA_SECRET_KEY: SECRET_KEY,
    CRAWL_EMBEDS: 'false',
  })
  const appId = await ensureApp(db, 'development')
  const signer = await createSigner({ db, vault: createVault([SECRET_KEY]) }, appId)
  await server.hub.submitOnChainEvents([
    ...user.onChain({ units: 1_000 }),
    user.signerEvent(SignerEventType.ADD, 1_000, signer.publicKey),
  ])
  return async (idem: string, text: string) => {
    const reply = await fetch(`${server.urls.main}/v2/farcaster/cast`, {
      method: 'POST',
      headers: { 'x-api-key': API_KEY, 'content-type': 'application/json' },
      body: JSON.stringify({ signer_uuid: signer.id, text, idem }),
    })
    const body = (await reply.json()) as { cast?: { hash: string } }
    return { status: reply.status, hash: body.cast?.hash }
  }
}

type Publish = Awaited<ReturnType<typeof startPublishing>>

/** As a client does that was told to try again. */
async function publishUntilAccepted(publish: Publish, idem: string, text: string, retryMs: number) {
  const statuses: number[] = []
  for (;;) {
    const { status, hash } = await publish(idem, text)
    statuses.push(status)
    if (status === 200) return { statuses, hash }
    await sleep(retryMs)
  }
}

/** Ends every session of the server, as a fail-over does. */
async function endSessions(): Promise<void> {
  await db`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and application_name <> 'plaza test'`
}

test('publishing with the same idem across outages: exactly one cast, whenever the connections end', async () => {
  const publish = await startPublishing(1)
  let run = 0
  let refusals = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(25), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 3 }),
      fc.constantFrom(...RETRY_MS),
      async (pauses, senders, retryMs) => {
        run += 1
        const [idem, text] = [`idem ${run}`, `cast of run ${run}`]
        const publishing = Promise.all(
          Array.from({ length: senders }, () => publishUntilAccepted(publish, idem, text, retryMs)),
        )
        for (const pauseMs of pauses) {
          await sleep(pauseMs)
          await endSessions()
        }
        const outcomes = await publishing
        // A request beside the same one may be told that the other is under way.
        const refused = outcomes.flatMap(({ statuses }) => statuses).filter((status) => status !== 200)
        refusals += refused.length
        expect(refused.filter((status) => status !== 503 && status !== 409)).toEqual([])
        expect(new Set(outcomes.map(({ hash }) => hash)).size).toBe(1)
        const casts = await db`
          select '0x' || encode(hash, 'hex') as hash from social.casts where text = ${text}`
        expect(casts).toEqual([{ hash: outcomes[0]!.hash }])
      },
    ),
    { numRuns: RUNS },
  )
  expect(refusals).toBeGreaterThan(0)
})

test('a primary that was demoted: publishing is 503 until there is one that takes writes, without a restart', async () => {
  const publish = await startPublishing(2)
  const database = db(new URL(url).pathname.slice(1))
  await db`alter database ${database} set default_transaction_read_only = on`
  await endSessions()
  // One that was being opened meanwhile may still take writes.
  let probes = 0
  const probe = async () => {
    probes += 1
    const { status } = await publish(`probe ${probes}`, `probe ${probes} of the fail-over`)
    await endSessions()
    return status
  }
  await expect.poll(probe).toBe(503)
  const statuses: number[] = []
  for (let attempt = 0; attempt < 10; attempt += 1) {
    statuses.push((await publish('demoted', 'after the fail-over')).status)
  }
  expect(new Set(statuses)).toEqual(new Set([503]))
  // The sessions of now stay read-only: only new connections reach the new primary.
  await db`alter database ${database} reset default_transaction_read_only`
  await expect.poll(async () => (await publish('demoted', 'after the fail-over')).status).toBe(200)
  expect(await db`select from social.casts where text = 'after the fail-over'`).toHaveLength(1)
})
