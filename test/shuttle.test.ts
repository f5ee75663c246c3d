import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface, type Interface } from 'node:readline'
import { afterAll, expect, test } from 'vitest'
import type { Database } from '../src/platform/db/connection.js'
import { ReactionType, UserDataType } from '../src/protocol/definitions.js'
import { createTestDatabase } from './database.js'
import { openHubGrpc } from './hub-grpc.js'
import { nameTransfer, TestUser, testNow, testNowUnix } from './network.js'

/** The table of the package's example. */
const schema = `
  create table messages (
    id uuid default gen_random_uuid() primary key,
    created_at timestamptz not null default current_timestamp,
    updated_at timestamptz not null default current_timestamp,
    timestamp timestamptz not null,
    deleted_at timestamptz,
    pruned_at timestamptz,
    revoked_at timestamptz,
    fid bigint not null,
    type smallint not null,
    hash_scheme smallint not null,
    signature_scheme smallint not null,
    hash bytea not null unique,
    signer bytea not null,
    body json not null,
    raw bytea not null,
    unique (hash, fid, type)
  )
`

/** An app that follows the hub with `@farcaster/shuttle`, as a process. */
class App {
  readonly #lines: Interface

  constructor(readonly child: ChildProcess) {
    this.#lines = createInterface({ input: child.stdout! })
  }

  /** Reconciles the app's data of a user with the hub. */
  async reconcile(fid: number): Promise<unknown> {
    const answer = once(this.#lines, 'line')
    this.child.stdin!.write(`${fid}\n`)
    const [line] = await answer
    return JSON.parse(line)
  }
}

const { db } = await createTestDatabase()
const { db: appDb, url } = await createTestDatabase({ migrated: false })
const { hub, server } = await openHubGrpc(db)
// Registered last, so that it stops first: hooks run in reverse order.
const children: ChildProcess[] = []
afterAll(async () => {
  for (const child of children) {
    if (child.exitCode !== null) continue
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
})

function startApp(address: string, databaseUrl: string): App {
  const child = spawn(process.execPath, ['test/shuttle-app.mjs', address, databaseUrl], {
    env: { PATH: process.env.PATH, LOG_LEVEL: 'error' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  children.push(child)
  return new App(child)
}

/** Returns the stored messages of the hub in the sets that the package follows. */
function storedMessages(db: Database): Promise<object[]> {
  return db`select fid, type, encode(hash, 'hex') as hash from hub.messages where set <= 5 order by hash`
}

/** Returns the messages of the app. */
function followed(db: Database): Promise<object[]> {
  return db`
    select fid, type, encode(hash, 'hex') as hash
    from messages
    where deleted_at is null and pruned_at is null and revoked_at is null
    order by hash
  `
}

test('an app with the published follower has the same rows as the hub, live and after a pause', async () => {
  await appDb.unsafe(schema)
  const [alice, bob] = [new TestUser(1), new TestUser(2)]
  await hub.submitOnChainEvents([...alice.onChain(), ...bob.onChain()])
  await hub.submitNameTransfers([nameTransfer('alice', 1, testNowUnix - 900)])

  // More casts than the storage holds: the oldest are pruned.
  const casts = Array.from({ length: 105 }, (_, index) => alice.cast(`cast ${index}`, testNow - 900 + index))
  await hub.submit(casts)
  await hub.submit([
    alice.userData(UserDataType.USERNAME, 'alice', testNow - 700),
    alice.userData(UserDataType.BIO, 'first', testNow - 700),
    ...casts.slice(50, 60).map((cast) => bob.react(cast, testNow - 700)),
    ...[1, 3, 4, 5].map((fid) => bob.link(fid, testNow - 700)),
  ])
  const app = startApp(server.address, url)
  await hub.submit([
    alice.removeCast(casts[60]!.hash, testNow - 600),
    alice.userData(UserDataType.BIO, 'second', testNow - 600),
    bob.react(casts[50]!, testNow - 600, { remove: true }),
    bob.react(casts[51]!, testNow - 600, { type: ReactionType.RECAST }),
    bob.link(3, testNow - 600, { remove: true }),
  ])
  // Her name is transferred, so the message that sets it is revoked.
  await hub.submitNameTransfers([nameTransfer('alice', 2, testNowUnix - 500)])
  await expect.poll(() => followed(appDb)).toEqual(await storedMessages(db))
  expect(await storedMessages(db)).toHaveLength(116)
  expect(await app.reconcile(1)).toEqual({ missingHere: 0, missingInHub: 0 })

  // Reconciliation adds missed events, and removals by a compact state, which have no event.
  await appDb`delete from messages where fid = 1 and type = 1`
  await hub.submit([bob.compactLinks([1, 4], testNow - 400)])
  await expect.poll(() => appDb`select from messages where type = 14`).toHaveLength(1)
  expect(await app.reconcile(1)).toEqual({ missingHere: 99, missingInHub: 0 })
  expect(await app.reconcile(2)).toEqual({ missingHere: 0, missingInHub: 2 })
  expect(await followed(appDb)).toEqual(await storedMessages(db))
})
