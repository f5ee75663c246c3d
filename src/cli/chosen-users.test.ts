import { expect, test } from 'vitest'
import { createTestDatabase } from '../../test/database.js'
import { createTestHub } from '../../test/hub.js'
import { openHubGrpc } from '../../test/hub-grpc.js'
import { TestUser, testNow } from '../../test/network.js'
import { createProgram } from './program.js'

const a = await createTestDatabase()
const upstreamHub = await createTestHub(a.db)
const { server } = await openHubGrpc(a.db, { hub: upstreamHub })
const users = [1, 2, 3].map((fid) => new TestUser(fid))
await upstreamHub.submitOnChainEvents(users.flatMap((user) => user.onChain()))
await upstreamHub.submit(users.map((user) => user.cast('upstream', testNow - 10)))

const { db, url } = await createTestDatabase()

const env = { DATABASE_URL: url, UPSTREAM_HUB: server.address, SYNC_FIDS: '1,2,3', VERIFY_THREADS: '0' }

/** Runs a command of the follower. Returns its output, and its error as the last line. */
async function plaza(...command: string[]): Promise<string[]> {
  return await plazaWith({}, ...command)
}

async function plazaWith(
  settings: Readonly<Record<string, string>>,
  ...command: string[]
): Promise<string[]> {
  const lines: string[] = []
  const program = await createProgram(
    {
      env: { ...env, ...settings },
      print: (line) => lines.push(line),
      progress: { write: () => {} },
      stdin: process.stdin,
      stdout: process.stdout,
      onStopSignal: () => {},
      onDatabaseStop: () => () => {},
    },
    command[0],
  )
  await program.parseAsync(['node', 'plaza', ...command]).catch((error: Error) => {
    lines.push(`failed: ${error.message}`)
  })
  return lines
}

async function storedFids(): Promise<number[]> {
  const rows = await db<{ fid: number }[]>`select distinct fid from hub.messages order by fid`
  return rows.map(({ fid }) => fid)
}

async function fetchedAt(): Promise<Map<number, number>> {
  const rows = await db<{ fid: number; at: Date | null }[]>`
    select fid, backfilled_at as at from sync.fids where fid > 0
  `
  return new Map(rows.map(({ fid, at }) => [fid, at?.getTime() ?? 0]))
}

test('reconcile --fids fetches a user who was never heard of here, and nobody else', async () => {
  const lines = await plaza('reconcile', '--fids', '3')
  expect(lines).toContain('missing here: 1 (casts)')
  expect(lines).toContain('why: 4 of 1 users (never fetched)')
  expect(lines).toContain('repaired: 4')
  expect(await storedFids()).toEqual([3])
})

test('backfill --fids fetches these users only, with --restart again', async () => {
  await db`insert into sync.fids (fid) values (1)`
  expect(await plaza('backfill', '--fids', '2')).toEqual(['users: 1', 'merged: 4'])
  expect(await storedFids()).toEqual([2, 3])
  expect((await fetchedAt()).get(1)).toBe(0)

  expect(await plaza('backfill', '--fids', '2')).toEqual([
    'fetched before: 1 users (--restart fetches them again)',
    'users: 0',
    'merged: 0',
  ])
  const before = await fetchedAt()
  expect(await plaza('backfill', '--fids', '2', '--restart')).toEqual([
    'users: 1',
    'merged: 0',
    'already known: 4',
  ])
  const after = await fetchedAt()
  expect(after.get(2)).toBeGreaterThan(before.get(2)!)
  expect([after.get(1), after.get(3)]).toEqual([before.get(1), before.get(3)])
})

test('backfill --fids does not go with --include-neighbors, which adds users', async () => {
  expect(await plaza('backfill', '--fids', '2', '--include-neighbors')).toEqual([
    'failed: --include-neighbors adds users: leave out --fids',
  ])
})

test('reconcile --extra send says what the upstream took and what it refused, and fails for the latter', async () => {
  await plaza('backfill')
  const unknown = new TestUser(40)
  const hub = await createTestHub(db)
  await hub.submitOnChainEvents(unknown.onChain())
  await hub.submit([
    users[0]!.cast('only here', testNow - 5),
    unknown.cast('of a user whom the upstream does not know', testNow - 5),
  ])
  const lines = await plaza('reconcile', '--fids', '1,40', '--extra', 'send')
  expect(lines).toContain('only here: 2 (casts)')
  expect(lines).toContain('sent upstream: 1')
  expect(lines.filter((line) => line.startsWith('refused by the upstream'))).toEqual([
    expect.stringMatching(/^refused by the upstream: 1 \(bad_request\.\w+: .*\)$/),
  ])
  expect(lines.at(-1)).toBe('failed: messages that the upstream refused: 1')
  const uncompared = 'proofs of ENS and base names, keys that messages granted, messages of channels'
  expect(lines).toContain(`not compared, and not sent: ${uncompared}`)
  const [row] = await a.db`select from hub.messages where fid = 1 and ts = ${testNow - 5}`
  expect(row).toBeDefined()
})

test('reconcile selects whom a missing follow makes a neighbor', async () => {
  await upstreamHub.submit([users[0]!.link(2, testNow - 3)])
  const lines = await plazaWith(
    { SYNC_FIDS: '1', SYNC_INCLUDE_NEIGHBORS: 'true' },
    ...['reconcile', '--fids', '1'],
  )
  expect(lines).toContain('missing here: 1 (links)')
  const selected = await db`select reason, via from sync.selected_users where fid = 2 and reason = 'follow'`
  expect([...selected]).toEqual([{ reason: 'follow', via: 1 }])
})
