import fc from 'fast-check'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { TestUser, testNow, testNowUnix } from '../../../../test/network.js'
import { SignerEventType } from '../../../protocol/definitions.js'
import { openPeople } from '../../users/routes/testing/user-network.js'

const { db, get, merge, countStatements } = await openPeople()
const people = Array.from({ length: 12 }, (_, index) => new TestUser(index + 1))
const [alice, bob, carol] = people as [TestUser, TestUser, TestUser]
const ALICE = alice.fid

interface Listed {
  users: { user: { fid: number; viewer_context?: { following: boolean } }; app?: { fid: number } }[]
  next: { cursor: string | null }
}

async function list(path: string, query: Record<string, string | number>): Promise<Listed> {
  const reply = await get(path, query)
  expect(reply.statusCode).toBe(200)
  return reply.json()
}

async function fids(path: string, query: Record<string, string | number>): Promise<number[]> {
  return (await list(path, query)).users.map(({ user }) => user.fid)
}

/** All pages; `between` is done before each page but the first. */
async function pages(
  path: string,
  query: Record<string, string | number>,
  between: () => Promise<unknown> = async () => {},
): Promise<number[]> {
  const found: number[] = []
  for (let cursor: string | null = ''; ; ) {
    const page: Listed = await list(path, cursor ? { ...query, cursor } : query)
    found.push(...page.users.map(({ user }) => user.fid))
    cursor = page.next.cursor
    if (cursor === null) return found
    await between()
  }
}

/** The ABI-encoded request of an app for a key. */
function requestOf(appFid: number): Buffer {
  const metadata = Buffer.alloc(192)
  metadata.writeUInt8(32, 31)
  metadata.writeUInt32BE(appFid, 60)
  return metadata
}

beforeAll(async () => {
  const key = bob.signerEvent(SignerEventType.ADD)
  await merge({
    chainEvents: [
      ...people.filter((each) => each !== bob).flatMap((each) => each.onChain({ units: 20 })),
      ...[bob.registered(), bob.storageRentEvent(20)],
      { ...key, signerEventBody: { ...key.signerEventBody!, metadata: requestOf(12) } },
    ],
  })
})

beforeEach(async () => {
  await db`truncate hub.messages, hub.set_counts, social.follows, social.blocks, social.user_counts`
  await db`truncate moderation.mutes`
})

describe('followers and following', () => {
  it('list follows newest first, with the app of each', async () => {
    await merge({
      messages: [
        bob.link(ALICE, testNow - 30),
        carol.link(ALICE, testNow - 20),
        people[3]!.link(ALICE, testNow - 20),
        alice.link(3, testNow - 5),
      ],
    })
    expect(await fids('followers', { fid: ALICE })).toEqual([4, 3, 2])
    expect(await fids('following', { fid: ALICE })).toEqual([3])
    expect(await fids('following', { fid: 3 })).toEqual([ALICE])
    const { users, next } = await list('followers', { fid: ALICE, viewer_fid: ALICE })
    expect(next).toEqual({ cursor: null })
    expect(users.map(({ app }) => app?.fid)).toEqual([undefined, undefined, 12])
    expect(users.map(({ user }) => user.viewer_context?.following)).toEqual([false, true, false])
    expect(await fids('followers', { fid: 77 })).toEqual([])
  })

  it('leave out unregistered users and users hidden from the viewer', async () => {
    await merge({
      messages: [
        ...people.slice(1, 6).map((each) => each.link(ALICE, testNow - each.fid)),
        alice.link(999, testNow),
        people[6]!.link(2, testNow, { type: 'block' }),
        people[2]!.link(7, testNow, { type: 'block' }),
      ],
    })
    await db`insert into moderation.mutes (fid, target_fid, muted_at) values (7, 5, 0)`
    expect(await fids('following', { fid: ALICE })).toEqual([])
    expect(await fids('followers', { fid: ALICE, viewer_fid: 7 })).toEqual([4, 6])
    expect(await pages('followers', { fid: ALICE, viewer_fid: 7, limit: 1 })).toEqual([4, 6])
    const algorithmic = { fid: ALICE, viewer_fid: 7, sort_type: 'algorithmic' }
    expect((await fids('followers', algorithmic)).sort()).toEqual([4, 6])
  })

  it('sort_type=algorithmic -> by popularity and score', async () => {
    await merge({
      messages: [
        ...[2, 3, 4, 5].map((fid) => people[fid - 1]!.link(ALICE, testNow - fid)),
        ...[6, 7, 8].map((fid) => people[fid - 1]!.link(4, testNow)),
        people[5]!.link(5, testNow),
      ],
    })
    const followerQuery = { fid: ALICE, sort_type: 'algorithmic' }
    expect(await fids('followers', followerQuery)).toEqual([4, 5, 3, 2])
    await db`update social.users set score = 0.9 where fid = 3`
    expect(await fids('followers', followerQuery)).toEqual([3, 4, 5, 2])
    expect(await pages('followers', { ...followerQuery, limit: 1 })).toEqual([3, 4, 5, 2])
    await db`update social.users set score = null`
  })

  it('refuse invalid limits and orders, and each other’s cursors', async () => {
    for (const query of [{ limit: 0 }, { limit: 101 }, { sort_type: 'x' }, { fid: 0 }, { cursor: 'e30' }]) {
      expect((await get('followers', { fid: 1, ...query })).statusCode).toBe(400)
    }
    const mutual = people
      .slice(1, 4)
      .flatMap((each) => [each.link(ALICE, testNow), alice.link(each.fid, testNow)])
    await merge({ messages: mutual })
    const { next } = await list('followers', { fid: ALICE, limit: 1 })
    const mixedSteps = { fid: ALICE, sort_type: 'algorithmic', cursor: next.cursor! }
    expect((await get('followers', mixedSteps)).statusCode).toBe(400)
    for (const sort_type of ['desc_chron', 'algorithmic']) {
      for (const [path, other] of [
        ['followers', 'following'],
        ['following', 'followers'],
      ] as const) {
        const { cursor } = (await list(path, { fid: ALICE, sort_type, limit: 1 })).next
        expect((await get(other, { fid: ALICE, sort_type, cursor: cursor! })).statusCode).toBe(400)
        expect((await get(path, { fid: ALICE, sort_type, cursor: cursor! })).statusCode).toBe(200)
      }
    }
  })

  it('page through several blocks, in algorithmic order too', async () => {
    await db`
      insert into social.users (fid, custody_address, registered_at)
      select n, decode(repeat('00', 20), 'hex'), 0 from generate_series(1001, 3300) n`
    await db`
      insert into social.follows (fid, target_fid, ts, signer)
      select n, 1, n / 7, ''::bytea from generate_series(1001, 3300) n`
    const found = await pages('followers', { fid: ALICE, sort_type: 'algorithmic', limit: 100 })
    expect(found).toHaveLength(2300)
    expect(new Set(found).size).toBe(2300)
    expect(Math.min(...found.slice(0, 1000))).toBeGreaterThan(Math.max(...found.slice(1000, 2000)))
    await db`delete from social.users where fid > 1000`
  })

  it('followers who arrive between two pages push nobody into the next block, to be listed there again', async () => {
    // The earliest of the first block are the most popular.
    await db`
      insert into social.users (fid, custody_address, registered_at, score)
      select n, decode(repeat('00', 20), 'hex'), 0, case when n between 2301 and 2400 then 0.9 end
      from generate_series(1001, 4000) n`
    const follow = (from: number, to: number) => db`
      insert into social.follows (fid, target_fid, ts, signer)
      select n, 1, n, ''::bytea from generate_series(${from}::integer, ${to}::integer) n`
    await follow(1001, 3300)
    let newest = 3300
    const arrive = async () => {
      await follow(newest + 1, newest + 7)
      newest += 7
    }
    const found = await pages('followers', { fid: ALICE, sort_type: 'algorithmic', limit: 100 }, arrive)
    expect(new Set(found).size).toBe(found.length)
    expect([...found].sort((x, y) => x - y)).toEqual(Array.from({ length: 2300 }, (_, n) => 1001 + n))
    await db`delete from social.follows where target_fid = 1 and fid > 1000`
    await db`delete from social.users where fid > 1000`
  })
})

/** Who follows alice at first; who goes and who comes before each of the next pages. */
const changes = fc.record({
  initialFollows: fc.uniqueArray(fc.integer({ min: 2, max: 11 }), { minLength: 2, maxLength: 10 }),
  steps: fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 2, max: 11 })), { maxLength: 6 }),
  limit: fc.integer({ min: 1, max: 3 }),
  sort_type: fc.constantFrom('desc_chron', 'algorithmic'),
})

describe('paging while follows change', () => {
  const run = async (path: 'followers' | 'following' | 'followers/reciprocal') => {
    await fc.assert(
      fc.asyncProperty(changes, async ({ initialFollows, steps, limit, sort_type }) => {
        await db`truncate hub.messages, hub.set_counts, social.follows, social.user_counts`
        const isFollowers = path !== 'following'
        const isMutual = path === 'followers/reciprocal'
        const links = (fid: number, ts: number, remove = false) => [
          ...(isFollowers ? [people[fid - 1]!.link(ALICE, ts, { remove })] : []),
          ...(!isFollowers || isMutual ? [alice.link(fid, ts, { remove })] : []),
        ]
        await merge({
          messages: initialFollows.flatMap((fid, index) => links(fid, testNow - 100 - (index % 3))),
        })
        const affectedFids = new Set<number>()
        let step = 0
        const found = await pages(path, { fid: ALICE, limit, sort_type }, async () => {
          const [remove, fid] = steps[step] ?? [true, 0]
          if (fid === 0 || affectedFids.has(fid)) return
          step += 1
          affectedFids.add(fid)
          await merge({ messages: links(fid, testNow + step, remove) })
        })
        expect(new Set(found).size).toBe(found.length)
        const unaffectedFids = initialFollows.filter((fid) => !affectedFids.has(fid))
        expect(found).toEqual(expect.arrayContaining(unaffectedFids))
      }),
      { numRuns: 25 },
    )
  }

  it('followers: none twice, no unchanged one lost', () => run('followers'))
  it('following: none twice, no unchanged one lost', () => run('following'))
  it('reciprocal: none twice, no unchanged one lost', () => run('followers/reciprocal'))
})

describe('followers/reciprocal', () => {
  it('lists mutual follows with the time of the later one', async () => {
    await merge({
      messages: [
        alice.link(2, testNow - 50),
        bob.link(ALICE, testNow - 10),
        carol.link(ALICE, testNow - 90),
        alice.link(3, testNow - 30),
        alice.link(4, testNow),
        people[4]!.link(ALICE, testNow),
        people[5]!.link(3, testNow),
        alice.link(ALICE, testNow),
      ],
    })
    expect(await fids('followers/reciprocal', { fid: ALICE })).toEqual([3, 2])
    const { users } = (await get('followers/reciprocal', { fid: ALICE, sort_type: 'desc_chron' })).json()
    const timestampText = (ts: number) => new Date((testNowUnix - testNow + ts) * 1000).toISOString()
    expect(users).toMatchObject([
      { object: 'reciprocal_follower', user: { fid: 2 }, timestamp: timestampText(testNow - 10) },
      { object: 'reciprocal_follower', user: { fid: 3 }, timestamp: timestampText(testNow - 30) },
    ])
  })
})

describe('followers/relevant', () => {
  it('shows followers whom the viewer follows, best known first', async () => {
    await merge({
      messages: [
        ...people.slice(1, 6).map((each) => each.link(ALICE, testNow)),
        ...[2, 4, 5, 8].map((fid) => people[9]!.link(fid, testNow)),
        people[10]!.link(4, testNow),
      ],
    })
    const reply = await get('followers/relevant', { target_fid: ALICE, viewer_fid: 10 })
    const found = reply.json()
    expect(found.top_relevant_followers_hydrated).toMatchObject([
      { object: 'follower', user: { fid: 4, viewer_context: { following: true } } },
      { object: 'follower', user: { fid: 5 } },
      { object: 'follower', user: { fid: 2 }, app: { fid: 12 } },
    ])
    expect(found.all_relevant_followers_dehydrated).toMatchObject(
      [4, 5, 2].map((fid) => ({ object: 'follower_dehydrated', user: { fid, username: `!${fid}` } })),
    )
    expect((await get('followers/relevant', { target_fid: ALICE })).json().property).toBe('viewer_fid')
  })
})

describe('following/suggested', () => {
  it('suggests users whom most followed users follow', async () => {
    await merge({
      messages: [
        ...[2, 3, 4].map((fid) => alice.link(fid, testNow)),
        ...[5, 6, 7, 1].map((fid) => bob.link(fid, testNow)),
        ...[6, 7, 2].map((fid) => carol.link(fid, testNow)),
        ...[7, 8, 9].map((fid) => people[3]!.link(fid, testNow)),
        people[9]!.link(5, testNow),
        alice.link(8, testNow, { type: 'block' }),
      ],
    })
    await db`insert into moderation.mutes (fid, target_fid, muted_at) values (1, 9, 0)`
    const reply = await get('following/suggested', { fid: ALICE, viewer_fid: 2 })
    expect(reply.json().users.map(({ fid }: { fid: number }) => fid)).toEqual([7, 6, 5])
    expect(reply.json().next).toEqual({ cursor: null })
    expect((await get('following/suggested', { fid: ALICE, limit: 1 })).json().users).toHaveLength(1)
    expect((await get('following/suggested', { fid: 12 })).json().users).toEqual([])
  })
})

it('runs at most six statements for any page', async () => {
  await merge({
    messages: [
      ...people.slice(1, 8).flatMap((each) => [each.link(ALICE, testNow), alice.link(each.fid, testNow)]),
      ...people.slice(1, 8).map((each) => each.link(9, testNow)),
    ],
  })
  const followerQuery: [string, Record<string, string | number>][] = [
    ['followers', { fid: 1, viewer_fid: 2 }],
    ['followers', { fid: 1, viewer_fid: 2, sort_type: 'algorithmic' }],
    ['following', { fid: 1, viewer_fid: 2 }],
    ['followers/reciprocal', { fid: 1, viewer_fid: 2 }],
    ['followers/relevant', { target_fid: 9, viewer_fid: 1 }],
    ['following/suggested', { fid: 1, viewer_fid: 2 }],
  ]
  for (const [path, query] of followerQuery) {
    expect([path, await countStatements(path, query)]).toEqual([path, expect.toSatisfy((n) => n <= 6)])
  }
})
