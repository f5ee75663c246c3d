import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createProgram } from '../src/cli/program.js'
import { farcasterSecondsFromUnixMs } from '../src/protocol/time.js'
import { createTestDatabase } from './database.js'
import { TestUser } from './network.js'
import { startTestServer, type TestServer } from './running-server.js'
import { startReceiver } from './webhooks/receiver.js'
import { subscribe, webhookEnv } from './webhooks/subscriber.js'

const now = farcasterSecondsFromUnixMs(Date.now())
const users = [1, 2, 3].map((fid) => new TestUser(fid))
const [alice] = users as [TestUser, ...TestUser[]]
const follows = [alice.link(2, now - 100), alice.link(3, now - 100)]
/** Ends that alice follows 2: an effect that only the merge knows, and that no event tells. */
const compactState = alice.compactLinks([3], now - 50)

/** Runs a command in this process, on a database of its own choice. */
async function plaza(command: string[], env: Record<string, string>): Promise<void> {
  const context = {
    env: { VERIFY_THREADS: '0', ...env },
    print: () => {},
    progress: { write: () => {} },
    stdin: process.stdin,
    stdout: process.stdout,
    onStopSignal: () => {},
    onDatabaseStop: () => () => {},
  }
  const program = await createProgram(context, command[0])
  await program.parseAsync(['node', 'plaza', ...command])
}

/** A server whose hub has what others may be filled from: the users, and the state in place of the follows. */
async function startSource(): Promise<TestServer & { readonly databaseUrl: string }> {
  const { url } = await createTestDatabase()
  const server = await startTestServer(url, { CRAWL_EMBEDS: 'false', HUB_GRPC_PORT: '0' })
  await server.hub.submitOnChainEvents(users.flatMap((user) => user.onChain()))
  expect(await server.hub.submit([compactState])).toEqual([null])
  return { ...server, databaseUrl: url }
}

type Merge = (server: TestServer, databaseUrl: string) => Promise<void>

const ways: readonly (readonly [string, Merge])[] = [
  [
    'the server',
    async (server) => {
      expect(await server.hub.submit([compactState])).toEqual([null])
    },
  ],
  [
    'plaza import',
    async (_server, databaseUrl) => {
      const source = await startSource()
      const directory = await mkdtemp(join(tmpdir(), 'plaza-effects-'))
      onTestFinished(() => rm(directory, { recursive: true, force: true }))
      const file = join(directory, 'archive')
      await plaza(['export', file], { DATABASE_URL: source.databaseUrl })
      await plaza(['import', file], { DATABASE_URL: databaseUrl })
    },
  ],
  ...['backfill', 'reconcile'].map((command): readonly [string, Merge] => [
    `plaza ${command}`,
    async (_server, databaseUrl) => {
      const source = await startSource()
      await plaza([command], { DATABASE_URL: databaseUrl, UPSTREAM_HUB: source.urls.grpc ?? '' })
    },
  ]),
]

it.each(ways)('merged by %s: a compact state has the same webhooks', async (_name, merge) => {
  const { url } = await createTestDatabase()
  const server = await startTestServer(url, webhookEnv)
  const receiver = await startReceiver()
  await server.hub.submitOnChainEvents(users.flatMap((user) => user.onChain()))
  expect(await server.hub.submit(follows)).toEqual([null, null])
  await subscribe(server, receiver.url, { 'follow.deleted': {} })
  await merge(server, url)
  const [delivery] = await receiver.waitForCount(1)
  expect(delivery!.body).toMatchObject({ type: 'follow.deleted', data: { object: 'unfollow' } })
  expect([delivery!.body.data.user.fid, delivery!.body.data.target_user.fid]).toEqual([1, 2])
})
