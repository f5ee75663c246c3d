import fc from 'fast-check'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { TestUser, testNow, testNowUnix } from '../../../test/network.js'
import { ensurePartitions } from '../../hub/log/partitions.js'
import { mergeBatch } from '../../hub/merge/merge.js'
import { MessageType, Protocol, ReactionType, type UserDataType } from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import { readAuthorFeed } from '../query/feeds-by-author.js'
import { projectEvents } from './project.js'
import { replay } from './replay.js'
import { emptyHub } from './testing/empty-hub.js'
import { readModel } from './testing/read-model.js'
import { countLockWaiters, holdIndexBuild, holdTransaction } from './testing/transaction-locks.js'

// A replay creates a schema with its indexes and analyzes it: most of a second on a busy machine.
const { db, connect } = await createTestDatabase({ poolSize: 6 })
const other = connect({ poolSize: 2 })
const users = [1, 2, 3].map((fid) => new TestUser(fid))
beforeAll(() => ensurePartitions(db, testNowUnix * 1000))
beforeEach(() => reset())

async function reset(units = 30): Promise<void> {
  await emptyHub(db, ['hub.shards'])
  await db`insert into hub.shards (shard) values (1)`
  await merge(
    [],
    users.flatMap((user) => [...user.onChain({ units }), user.proPurchaseEvent(30)]),
  )
}

async function merge(
  messages: SignedMessage[],
  chainEvents = users.flatMap((user) => user.onChain()).slice(0, 0),
) {
  const batch = { messages, chainEvents, nameTransfers: [] }
  await mergeBatch(db, 1, batch, { shards: 1, hooks: [projectEvents] }, testNowUnix * 1000)
}

const second = fc.integer({ min: testNow - 20_000, max: testNow - 1 })
const user = fc.constantFrom(...users)
const channel = fc.constantFrom('https://example.com/a', 'https://example.com/b')

/** A thread: each cast replies to an earlier one, starts below a URL, or quotes one; some are removed. */
const thread = fc
  .array(
    fc.record({
      author: user,
      at: second,
      parent: fc.nat(20),
      kind: fc.constantFrom('root', 'reply', 'reply', 'quote'),
      url: channel,
      removed: fc.boolean(),
    }),
    { minLength: 1, maxLength: 14 },
  )
  .map((steps) => {
    const casts: SignedMessage[] = []
    const removes: SignedMessage[] = []
    for (const [index, { author, at, parent, kind, url, removed }] of steps.entries()) {
      const other = casts[parent % Math.max(index, 1)]
      const castId = other && { fid: other.data.fid, hash: other.hash }
      const body =
        kind === 'reply' && castId
          ? { parentCastId: castId }
          : kind === 'quote' && castId
            ? { embeds: [{ castId }, { url: 'https://example.com/page' }] }
            : { parentUrl: url, mentions: [author.fid], mentionsPositions: [2] }
      const cast = author.cast(`cast ${index} 🎈`, at, body)
      casts.push(cast)
      if (removed && index % 3 === 0) removes.push(author.removeCast(cast.hash, testNow))
    }
    return [...casts, ...removes]
  })

const others = fc.array(
  fc.oneof(
    fc.tuple(user, user, second, fc.boolean()).map(([a, b, at, remove]) => a.link(b.fid, at, { remove })),
    fc
      .tuple(user, user, second, fc.boolean())
      .map(([a, b, at, remove]) => a.link(b.fid, at, { remove, type: 'block' })),
    fc
      .tuple(user, fc.constantFrom(1, 2, 7), fc.constantFrom('', 'geo:12.34,56.78', 'x'), second)
      .map(([a, type, value, at]) => a.userData(type as UserDataType, value, at)),
    fc.tuple(user, second, fc.boolean(), fc.integer({ min: 1, max: 3 })).map(([a, at, remove, n]) => {
      const address = Buffer.alloc(20, n)
      const verificationAddAddressBody = {
        address,
        claimSignature: Buffer.alloc(65),
        blockHash: Buffer.alloc(32),
        verificationType: 0,
        chainId: 0,
        protocol: Protocol.ETHEREUM,
      }
      return remove
        ? a.message(
            {
              type: MessageType.VERIFICATION_REMOVE,
              verificationRemoveBody: { address, protocol: Protocol.ETHEREUM },
            },
            at,
          )
        : a.message({ type: MessageType.VERIFICATION_ADD_ETH_ADDRESS, verificationAddAddressBody }, at)
    }),
    fc
      .tuple(user, fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1 }), second)
      .map(([a, fids, at]) => a.compactLinks([...new Set(fids)], at)),
  ),
  { maxLength: 25 },
)

const history = fc.tuple(thread, others).chain(([casts, rest]) => {
  const reactions = casts
    .filter(({ data }) => data.castAddBody)
    .flatMap((cast) => users.map((each) => ({ cast, each })))
    .map(({ cast, each }, n) =>
      each.react(cast, testNow - n, {
        remove: n % 5 === 0,
        type: n % 2 ? ReactionType.LIKE : ReactionType.RECAST,
      }),
    )
  const all = [...casts, ...rest, ...reactions]
  return fc.tuple(fc.shuffledSubarray(all, { minLength: all.length }), fc.integer({ min: 1, max: 25 }))
})

test('a replay rebuilds the read model of the merges, row by row', async () => {
  await fc.assert(
    fc.asyncProperty(history, async ([messages, size]) => {
      await reset()
      for (let start = 0; start < messages.length; start += size) {
        await merge(messages.slice(start, start + size))
      }
      const merged = await readModel(db)
      await replay(db, { shards: 1 })
      expect(await readModel(db)).toEqual(merged)
    }),
    { numRuns: 12 },
  )
})

test('full sets: what the hub pruned is not in the read model', async () => {
  await reset(1)
  const links = Array.from({ length: 230 }, (_, n) => users[0]!.link(100 + n, testNow - 1000 + n))
  await merge(links.slice(0, 120))
  await merge(links.slice(120))
  const [counts] = await db`select following_count from social.user_counts where fid = 1`
  expect(counts!.following_count).toBe(200)
  const merged = await readModel(db)
  await replay(db, { shards: 1 })
  expect(await readModel(db)).toEqual(merged)
})

test('a replay includes merges that happen while it runs', async () => {
  const first = Array.from({ length: 50 }, (_, n) => users[n % 3]!.cast(`before ${n}`, testNow - n))
  await merge(first)
  const running = replay(db, { shards: 1 })
  for (let n = 0; n < 20; n += 1) {
    await merge([
      users[0]!.cast(`during ${n}`, testNow - n),
      users[1]!.react(first[n]!, testNow),
      users[0]!.removeCast(first[n * 2]!.hash, testNow),
    ])
  }
  await running
  const afterReplay = await readModel(db)
  await replay(db, { shards: 1 })
  expect(await readModel(db)).toEqual(afterReplay)
  expect(afterReplay.casts!.some((row) => row.includes('during 19'))).toBe(true)
})

test('two replays at once: the second is refused', async () => {
  const outcomes = await Promise.allSettled([1, 2].map(() => replay(db, { shards: 1 })))
  const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  expect(refusals).toEqual([new Error('another replay is running')])
})

test('a replay that is aborted at any step changes nothing and leaves nothing', async () => {
  await merge(Array.from({ length: 20 }, (_, n) => users[n % 3]!.cast(`cast ${n}`, testNow - n)))
  const replayedModel = await readModel(db)
  for (const brokenOffAt of ['accounts', 'indexes', 'catching up']) {
    const stopping = new AbortController()
    const stopped = new Error('stopped')
    const running = replay(db, {
      shards: 1,
      signal: stopping.signal,
      onStep: (step) => step === brokenOffAt && stopping.abort(stopped),
    })
    await expect(running).rejects.toBe(stopped)
    expect(await readModel(db)).toEqual(replayedModel)
    expect(await db`select from pg_namespace where nspname like 'social\\_%'`).toHaveLength(0)
  }
})

test('an abort cancels an index build', async () => {
  await merge([users[0]!.cast('cast', testNow)])
  const stopping = new AbortController()
  const stopped = new Error('stopped')
  let ended: Promise<void> | undefined
  const casts = await holdIndexBuild(db, other, () => {
    ended = expect(replay(db, { shards: 1, signal: stopping.signal })).rejects.toBe(stopped)
  })
  stopping.abort(stopped)
  // Its tables cannot be dropped while they are locked, so only the index build was cancelled.
  await expect.poll(() => countLockWaiters(db, 'CREATE INDEX')).toBe(0)
  await casts.release()
  await ended
})

test('a table is read beyond the swap -> the replay succeeds, and leaves the former read model to the next', async () => {
  await merge([users[0]!.cast('cast', testNow)])
  const reader = await holdTransaction(other, (sql) => sql`select from social.casts`)
  const stopping = new AbortController()
  const running = replay(db, { shards: 1, signal: stopping.signal })
  const former = () => db`select from pg_namespace where nspname = 'social_replaced'`
  await expect.poll(former).toHaveLength(1)
  stopping.abort(new Error('stopped'))
  expect(await running).toBe(false)
  await reader.release()
  expect(await db`select from social.casts`).toHaveLength(1)
  expect(await former()).toHaveLength(1)
  expect(await replay(db, { shards: 1 })).toBe(true)
  expect(await former()).toHaveLength(0)
})

test('onSwap runs in the transaction of the swap', async () => {
  const stopped = new Error('not now')
  await merge([users[0]!.cast('cast', testNow)])
  await db`delete from social.casts`
  await expect(replay(db, { shards: 1, onSwap: () => Promise.reject(stopped) })).rejects.toBe(stopped)
  expect((await readModel(db)).casts).toEqual([])
  await replay(db, {
    shards: 1,
    onSwap: async (transaction) => {
      expect(await transaction`select from social.casts`).toHaveLength(1)
      expect((await readModel(db)).casts).toEqual([])
    },
  })
  expect((await readModel(db)).casts).toHaveLength(1)
})

test('the next pages of a feed keep their recasts over a replay, and take no later ones', async () => {
  const [alice, bob, carol] = users as [TestUser, TestUser, TestUser]
  const [first, second] = [1, 2].map((n) => alice.cast(`cast ${n}`, testNow - 100 * n))
  const recast = (by: TestUser, cast: SignedMessage, at: number) =>
    by.react(cast, at, { type: ReactionType.RECAST })
  await merge([first!, second!, recast(bob, first!, testNow - 10), recast(bob, second!, testNow - 20)])
  const selection = { fids: [2, 3], casts: 'none', recasts: true } as const
  const firstPage = await readAuthorFeed(db, selection, { before: null, count: 1 })
  const { ts, hash, recastsUntilMicros } = firstPage[0]!
  const nextPage = async () => {
    const request = { before: { ts, hash }, recastsUntilMicros, count: 10 }
    const rows = await readAuthorFeed(db, selection, request)
    return rows.filter(({ isShown }) => isShown).map((row) => row.hash)
  }
  const expected = [second!.hash.toString('hex')]
  expect(await nextPage()).toEqual(expected)
  await replay(db, { shards: 1 })
  expect(await nextPage()).toEqual(expected)
  // Older than the recast of the first page, and stored later.
  await merge([recast(carol, first!, testNow - 50)])
  expect(await nextPage()).toEqual(expected)
})

test('grants of an operator hold after a replay; a view or a foreign key on the read model refuses it', async () => {
  const role = `reader_${process.pid}_${Math.trunc(performance.now())}`
  await db.unsafe(`create role ${role}; grant usage on schema social to ${role};
    grant select on social.casts to ${role} with grant option`)
  try {
    const [cast] = [users[0]!.cast('for a report', testNow)]
    await merge([cast])
    await replay(db, { shards: 1 })
    const [granted] = await db`
      select has_schema_privilege(${role}, 'social', 'usage') as schema,
        has_table_privilege(${role}, 'social.casts', 'select with grant option') as casts,
        has_table_privilege(${role}, 'social.follows', 'select') as follows`
    expect(granted).toEqual({ schema: true, casts: true, follows: false })

    await db.unsafe(`create schema reports;
      create view reports.daily as select count(*) from social.casts;
      create function reports.all_casts() returns setof social.casts language sql as 'select * from social.casts';
      create function reports.pick(people social.users[]) returns bigint language sql as 'select 1::bigint';
      create table reports.people (fid bigint references social.users)`)
    await expect(replay(db, { shards: 1 })).rejects.toThrow(
      /would be dropped.*: people_fid_fkey of reports\.people, reports\.all_casts\(\), reports\.daily, reports\.pick\(social\.users\[\]\)\./,
    )
    expect(await db`select count::integer from reports.daily`).toEqual([{ count: 1 }])
    await db`drop schema reports cascade`
    // The replay has begun, and projects nothing before it is released.
    const messages = await holdTransaction(
      other,
      (sql) => sql`lock table hub.messages in access exclusive mode`,
    )
    const refused = expect(replay(db, { shards: 1 })).rejects.toThrow(/would be dropped.*: reports\.late\./)
    const isMade = async () => (await db`select to_regclass('social_replay.casts') as made`)[0]!.made
    await expect.poll(isMade).not.toBeNull()
    await db.unsafe('create schema reports; create view reports.late as select count(*) from social.casts')
    await messages.release()
    await refused
    expect(await db`select count::integer from reports.late`).toEqual([{ count: 1 }])
  } finally {
    await db.unsafe(`drop schema if exists reports cascade; drop owned by ${role}; drop role ${role}`)
  }
})

test.each([
  [
    'row level security',
    'alter table social.casts enable row level security',
    'row level security of social.casts',
  ],
  ['a policy', 'create policy own on social.casts using (fid = 1)', 'policy own of social.casts'],
  [
    'a trigger',
    `create function public.note() returns trigger language plpgsql as 'begin return null; end';
     create trigger noted after insert on social.users execute function public.note()`,
    'trigger noted of social.users',
  ],
])(
  '%s of an operator on the read model refuses a replay, which would drop it',
  async (_, statement, name) => {
    try {
      await db.unsafe(statement)
      await expect(replay(db, { shards: 1 })).rejects.toThrow(
        `would be dropped with its tables: ${name}. Drop`,
      )
    } finally {
      await db.unsafe(`alter table social.casts disable row level security;
      drop policy if exists own on social.casts;
      drop function if exists public.note() cascade`)
    }
    await replay(db, { shards: 1 })
  },
)
