import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Hub } from '../../src/hub/hub.js'
import { measureOutgoing } from '../../src/hub/sync/publish/outgoing-queue.js'
import type { Database } from '../../src/platform/db/connection.js'
import type { SignedMessage } from '../../src/protocol/message.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { openHubGrpc } from '../hub-grpc.js'
import { TestUser, testNow } from '../network.js'
import { startTcpProxy } from '../tcp-proxy.js'
import { hubSnapshot } from './hub-snapshot.js'
import { startTestPublisher } from './test-publisher.js'
import { startTestSync } from './test-sync.js'

/** `PUBLISH_RUNS=100` runs it for long. */
const RUNS = Number(process.env.PUBLISH_RUNS ?? 6)
const USERS = 3
const AWAY = '127.0.0.1:1'

const [a, b] = [await createTestDatabase({ poolSize: 8 }), await createTestDatabase({ poolSize: 12 })]
const upstreamHub = await createTestHub(a.db)
const { server } = await openHubGrpc(a.db, { hub: upstreamHub })
const followerHub = await createTestHub(b.db, { publishes: true })

const user = fc.nat(USERS - 1)
/** Few seconds and targets: messages of the two hubs conflict. */
const second = fc.integer({ min: testNow - 20, max: testNow })
const draft = fc.oneof(
  fc.record({ kind: fc.constant('cast' as const), user, second, text: fc.constantFrom('a', 'b', 'c') }),
  fc.record({ kind: fc.constant('uncast' as const), user, second, nth: fc.nat(5) }),
  fc.record({ kind: fc.constant('link' as const), user, second, target: user, remove: fc.boolean() }),
  fc.record({ kind: fc.constant('compact' as const), user, target: user }),
)
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('publish' as const),
      drafts: fc.array(draft, { minLength: 1, maxLength: 30 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('elsewhere' as const),
      drafts: fc.array(draft, { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('kill' as const), afterCalls: fc.nat(3), isSent: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('away' as const, 'back' as const, 'cut' as const) }),
  },
)

let nextFid = 1
/** New users: what earlier runs left does not conflict. */
async function registerUsers(): Promise<TestUser[]> {
  const users = Array.from({ length: USERS }, () => new TestUser(nextFid++))
  await upstreamHub.submitOnChainEvents(users.flatMap((each) => each.onChain({ units: 10 })))
  return users
}

/** Signs drafts; removals are of casts that were signed before. */
function createSigner(users: readonly TestUser[]) {
  const casts = users.map((): SignedMessage[] => [])
  // Of two compact states of one second, each hub keeps the one that came first.
  let compactSecond = testNow - 30
  return (each: typeof draft extends fc.Arbitrary<infer Draft> ? Draft : never): SignedMessage => {
    const author = users[each.user]!
    const known = casts[each.user]!
    switch (each.kind) {
      case 'cast': {
        const cast = author.cast(each.text, each.second)
        known.push(cast)
        return cast
      }
      case 'uncast': {
        const target = known[each.nth % Math.max(1, known.length)] ?? author.cast('never', testNow - 30)
        return author.removeCast(target.hash, each.second)
      }
      case 'link':
        return author.link(users[each.target]!.fid, each.second, { remove: each.remove })
      case 'compact':
        compactSecond += 1
        return author.compactLinks([users[each.target]!.fid], compactSecond)
    }
  }
}

/** A sender that dies at a call: before the upstream gets it, or before the answer comes. */
function startDyingPublisher(
  address: string,
  { afterCalls, isSent }: { afterCalls: number; isSent: boolean },
) {
  let calls = 0
  const never = new Promise<never>(() => {})
  return startTestPublisher(b.db, address, async (send) => {
    calls += 1
    if (calls <= afterCalls) return await send()
    if (isSent) await send().catch(() => {})
    return await never
  })
}

/** Submits what clients publish at a hub, and returns the hashes of what is acknowledged. */
async function submit(hub: Hub, messages: readonly SignedMessage[]): Promise<string[]> {
  const refusals = await hub.submit(messages, { origin: 'client' })
  return messages.flatMap(({ hash }, index) => (refusals[index] === null ? hash.toString('hex') : []))
}

async function storedHashes(db: Database, fids: readonly number[]): Promise<string[]> {
  const rows = await db<{ hash: string }[]>`
    select encode(hash, 'hex') as hash from hub.messages where fid = any (${fids}::bigint[])
  `
  return rows.map(({ hash }) => hash)
}

it('any submits, kills of the sender and outages: all that was acknowledged is at the upstream, and both end equal', async () => {
  await b.db`
    insert into sync.cursors (upstream, shard, next_id, block_time) values (${server.address}, 1, 0, 0)
  `
  startTestSync(b.db, followerHub, { addresses: [server.address] })
  const proxy = await startTcpProxy(server.address)
  const expectSame = async () => await expect.poll(() => hubSnapshot(b.db)).toBe(await hubSnapshot(a.db))

  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
      const users = await registerUsers()
      await expectSame()
      const sign = createSigner(users)
      const acknowledged = new Set<string>()
      let publisher = startTestPublisher(b.db, proxy.address)
      for (const each of steps) {
        if ('drafts' in each) {
          const hub = each.do === 'publish' ? followerHub : upstreamHub
          for (const hash of await submit(hub, each.drafts.map(sign))) acknowledged.add(hash)
        } else if (each.do === 'kill') {
          await publisher.kill()
          publisher = startDyingPublisher(proxy.address, each)
        } else {
          proxy.target = each.do === 'away' ? AWAY : server.address
          if (each.do !== 'back') proxy.cut()
        }
      }
      proxy.target = server.address
      await publisher.kill()
      publisher = startTestPublisher(b.db, proxy.address)
      await expect.poll(async () => (await measureOutgoing(b.db)).pending).toBe(0)
      await expectSame()
      await publisher.stop()
      const fids = users.map(({ fid }) => fid)
      expect((await storedHashes(a.db, fids)).filter((hash) => !acknowledged.has(hash))).toEqual([])
      // Removed links before a compact state of the upstream, which the follower did not know yet.
      const refused = await b.db`select refusal_code from hub.outgoing_messages`
      expect(new Set(refused.map((row) => row.refusal_code))).toEqual(
        new Set(refused.length === 0 ? [] : ['bad_request.prunable']),
      )
      await b.db`delete from hub.outgoing_messages`
    }),
    { numRuns: RUNS },
  )
})
