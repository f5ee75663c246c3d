import { createHash } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { TestUser } from '../../../../test/network.js'
import { HubEventType } from '../../../protocol/definitions.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { forYouRank } from '../../query/ranks.js'
import { castCounter } from './cast-table.js'
import { entryKind, type FeedEntry } from './feed-entries.js'
import { ALL_FIDS, type RecentCast, RecentWindow } from './recent-window.js'
import { readWindowFeed, type WindowEntry, type WindowSelection } from './window-feed.js'
import { rankForYou, rankTrending } from './window-ranking.js'

const hashOf = (n: number) => createHash('sha1').update(String(n)).digest()

const START = 1_000_000

/** A window whose clock stands still. */
const createWindow = (maxEntries: number) => new RecentWindow({ maxEntries, clock: () => 0 })

function castOf(ts: number): RecentCast {
  return { hash: hashOf(ts), fid: 1, ts, isReply: false, counts: null }
}

function like(actor: number, n: number, ts: number): FeedEntry {
  return { kind: entryKind.like, ts, actor, hash: hashOf(n), targetFid: 1 }
}

function recast(actor: number, n: number, ts: number): FeedEntry {
  return { ...like(actor, n, ts), kind: entryKind.recast }
}

test('the old likes of a user who has nothing else go, and the user with them', () => {
  const window = createWindow(100)
  window.likesSince = 0
  const likes = [like(2, 1, 10), like(2, 2, 20), like(3, 1, 10), like(3, 2, 90)]
  window.join({ kind: 'likes', throughFid: ALL_FIDS, likes }, [])
  window.dropLikesBefore(50)
  expect([window.entries.size, window.users.size]).toEqual([1, 1])
  expect(window.activityOf(3)?.likes.length).toBe(1)
})

test('a part that does not end where the window begins is not joined', () => {
  const window = createWindow(100)
  const casts = [{ hash: hashOf(1), fid: 1, ts: 60, isReply: false, counts: null }]
  expect(window.join({ kind: 'feed', since: 50, until: 70, casts, recasts: [] }, [])).toBe(false)
  expect(window.join({ kind: 'feed', since: 50, until: Infinity, casts, recasts: [] }, [])).toBe(true)
  expect(window.join({ kind: 'feed', since: 10, until: 40, casts: [], recasts: [] }, [])).toBe(false)
  expect([window.since, window.timeline.length, window.hasFeed]).toEqual([50, 1, false])
  window.reset()
  expect([window.since, window.timeline.length, window.users.size, window.table.size]).toEqual([
    Infinity,
    0,
    0,
    0,
  ])
  expect([window.generation, window.isFilled]).toEqual([1, false])
})

test('likes take at most half of the room', () => {
  const window = createWindow(10)
  window.likesSince = 0
  const likes = Array.from({ length: 6 }, (_, n) => like(2, n, n * 3_600))
  window.join({ kind: 'likes', throughFid: ALL_FIDS, likes: likes.slice(0, 5) }, [])
  expect([window.entries.size, window.likesSince]).toEqual([5, 0])
  window.join({ kind: 'likes', throughFid: ALL_FIDS, likes }, [])
  expect([window.entries.size, window.likesSince]).toEqual([0, 6 * 3_600])
})

const LIKES_END = START + 6 * 3_600
const liked = new TestUser(1).cast('liked', LIKES_END + 5)

/** A window half full of likes from the six hours before `LIKES_END`, of a cast from after them. */
function windowHalfFullOfLikes(users: readonly number[]): RecentWindow {
  const window = createWindow(400_000)
  const cast = { ...castOf(LIKES_END + 5), hash: liked.hash, counts: [200_000, 0, 0, 0] as const }
  window.join({ kind: 'feed', since: 0, until: Infinity, casts: [cast], recasts: [] }, [])
  window.likesSince = START
  const likes = Array.from({ length: 200_000 }, (_, n) => {
    const seconds = LIKES_END - START
    const entry = like(users[n % users.length]!, 1, START + (n % seconds))
    return { ...entry, hash: liked.hash, targetFid: 1 + Math.floor(n / seconds) }
  })
  window.join({ kind: 'likes', throughFid: ALL_FIDS, likes }, [])
  return window
}

test('likes that are too many go a few thousand at a time, and count for no feed from the beginning', () => {
  const users = Array.from({ length: 2_000 }, (_, n) => 10 + n)
  const window = windowHalfFullOfLikes(users)
  const rank = (since: number) => {
    const page = { after: null, count: 5, fid: 2, followed: [10, 11, 3], isHidden: () => false }
    return rankForYou(window, { ...page, ts: since - 1 + 3 * 86_400 })
  }
  expect(rank(START)).toHaveLength(1)
  const before = window.entries.size
  applyMessage(window, new TestUser(3).react(liked, LIKES_END + 6))
  expect(before - window.entries.size).toBeGreaterThan(1_000)
  expect(before - window.entries.size).toBeLessThan(5_000)
  for (let blocks = 1; blocks < 60; blocks += 1) {
    expect(rank(LIKES_END - 1)).toBe('older')
    expect(rank(LIKES_END)).toEqual([
      { hash: Buffer.from(liked.hash).toString('hex'), rank: forYouRank(1, 200_001, 3 * 86_400 - 6) },
    ])
    applyBlock(window)
  }
  expect(users.filter((fid) => window.activityOf(fid))).toEqual([])
  expect([window.likesSince, window.since, window.activityOf(3)!.likes.length]).toEqual([LIKES_END, 0, 1])
})

test('the old likes of one user, and those behind many users without any, all go', () => {
  const ofOne = windowHalfFullOfLikes([7])
  ofOne.dropLikesBefore(LIKES_END)
  expect(ofOne.activityOf(7)!.likes.length).toBeGreaterThan(190_000)
  for (let calls = 0; calls < 60; calls += 1) ofOne.dropOldLikes()
  expect([ofOne.entries.size, ofOne.activityOf(7)]).toEqual([1, undefined])

  const ofMany = createWindow(400_000)
  ofMany.likesSince = START
  const likes = Array.from({ length: 30_000 }, (_, n) => like(10 + n, 1, n === 29_999 ? START : START + 10))
  ofMany.join({ kind: 'likes', throughFid: ALL_FIDS, likes }, [])
  ofMany.dropLikesBefore(START + 5)
  for (let calls = 0; calls < 60; calls += 1) ofMany.dropOldLikes()
  expect([ofMany.entries.size, ofMany.activityOf(30_009)]).toEqual([29_999, undefined])
  // Once more, from the first user on.
  ofMany.dropLikesBefore(START + 20)
  for (let calls = 0; calls < 60; calls += 1) ofMany.dropOldLikes()
  expect(ofMany.users.size).toBe(0)
})

test('likes that became too old while they were read are not joined', () => {
  const window = createWindow(100)
  window.likesSince = 50
  window.join({ kind: 'likes', throughFid: ALL_FIDS, likes: [like(2, 1, 40), like(2, 2, 50)] }, [])
  expect([window.entries.size, window.activityOf(2)!.likes.length]).toEqual([1, 1])
})

test('a feed that takes few of very many entries is left to the tables', () => {
  const window = createWindow(1e5)
  const casts: RecentCast[] = Array.from({ length: 30_000 }, (_, n) => ({
    hash: hashOf(n),
    fid: n < 10 ? 2 : 1,
    ts: START + n,
    isReply: false,
    counts: null,
  }))
  window.join({ kind: 'feed', since: 0, until: Infinity, casts, recasts: [] }, [])
  const page = { before: null, count: 5, isHidden: () => false }
  const read = (fid: number, selection: Omit<WindowSelection, 'users'>) => {
    const found = readWindowFeed(window, { users: new Set([fid]), ...selection }, page)
    return typeof found === 'string' ? found : found.length
  }
  expect(read(1, { casts: 'none', recasts: true })).toBe('sparse')
  expect(read(1, { casts: 'all', recasts: true })).toBe(5)
  expect(read(2, { casts: 'none', recasts: true })).toBe(0)
})

test('of more casts than a for-you feed ranks, those with the most and the latest activity count', () => {
  const window = createWindow(1e5)
  window.likesSince = 0
  const users = Array.from({ length: 150 }, (_, index) => index + 10)
  // Ten casts of each, most of one second, in an order that has nothing to do with their hashes.
  const casts: RecentCast[] = users.flatMap((fid, user) =>
    Array.from({ length: 10 }, (_, n) => {
      const index = 10 * user + n
      const ts = START + (index % 7 === 0 ? 10 : index % 3 === 0 ? 0 : 5)
      return { hash: hashOf(index), fid, ts, isReply: false, counts: [0, 0, 0, 0] as const }
    }),
  )
  window.join({ kind: 'feed', since: 0, until: Infinity, casts, recasts: [] }, [])
  // Old casts that followed users like, one of them twice.
  const liked = casts.filter(({ ts }) => ts === START).slice(0, 40)
  const likes = liked.flatMap(({ hash, fid }, index) => {
    const entry = { kind: entryKind.like, ts: START + 1, hash, targetFid: fid }
    return [{ ...entry, actor: 10 + index }, ...(index === 0 ? [{ ...entry, actor: 100 }] : [])]
  })
  // A like that names another author counts for no cast.
  const wrong = { kind: entryKind.like, ts: START + 20, actor: 120, hash: casts[1]!.hash, targetFid: 3 }
  window.join({ kind: 'likes', throughFid: ALL_FIDS, likes: [...likes, wrong] }, [])
  const ts = START + 30
  const request = { ts, after: null, count: 2_000, fid: 1, followed: users, isHidden: () => false }
  const found = rankForYou(window, request) as { hash: string; rank: number }[]

  const affinityOf = (cast: RecentCast) => 4 + likes.filter(({ hash }) => hash === cast.hash).length
  const latestOf = (cast: RecentCast) => (liked.includes(cast) ? START + 1 : cast.ts)
  const expected = casts
    .map((cast) => ({ cast, affinity: affinityOf(cast), latest: latestOf(cast) }))
    .sort(
      (a, b) =>
        b.affinity - a.affinity ||
        b.latest - a.latest ||
        Buffer.compare(b.cast.hash as Buffer, a.cast.hash as Buffer),
    )
    .slice(0, 1_000)
  expect(new Set(found.map(({ hash }) => hash))).toEqual(
    new Set(expected.map(({ cast }) => Buffer.from(cast.hash).toString('hex'))),
  )
  expect(found[0]).toEqual({
    hash: hashOf(casts.indexOf(liked[0]!)).toString('hex'),
    rank: forYouRank(6, 0, 30),
  })
  const byRank = [...found].sort((a, b) => b.rank - a.rank || (a.hash < b.hash ? 1 : -1))
  expect(found).toEqual(byRank)
  // The next request begins without scores of this one.
  expect(rankForYou(window, request)).toEqual(found)
})

test('what is there already is not added again, and counters that are known stay', () => {
  const window = createWindow(100)
  window.likesSince = 0
  const cast = { hash: hashOf(1), fid: 1, ts: 60, isReply: false, counts: null }
  const recastOfIt = recast(2, 1, 70)
  const feed = {
    kind: 'feed',
    since: 0,
    until: Infinity,
    casts: [cast, cast],
    recasts: [recastOfIt, recastOfIt],
  } as const
  window.join(feed, [])
  for (const throughFid of [5, ALL_FIDS])
    window.join({ kind: 'likes', throughFid, likes: [like(2, 1, 80)] }, [])
  expect([window.entries.size, window.timeline.length]).toEqual([3, 2])
  const id = window.table.find(hashOf(1))
  const counts = (values: readonly [number, number, number, number]) =>
    window.join(
      {
        kind: 'counts',
        counts: [
          { hash: hashOf(9), counts: values },
          { hash: hashOf(1), counts: values },
        ],
      },
      [],
    )
  expect(window.hasCounts(id)).toBe(false)
  counts([1, 1, 0, 0])
  counts([7, 7, 7, 7])
  expect(Object.values(castCounter).map((each) => window.table.count(id, each))).toEqual([1, 1, 0, 0])
})

test('a feed has what was cast in the first second of the network', () => {
  const window = createWindow(100)
  const casts = [0, 0, 1].map((ts, n) => ({ hash: hashOf(n), fid: n, ts, isReply: false, counts: null }))
  window.join({ kind: 'feed', since: 0, until: Infinity, casts, recasts: [] }, [])
  const selection = { users: new Set([0, 1, 2, 3]), casts: 'all', recasts: true } as const
  const read = (count: number) =>
    readWindowFeed(window, selection, { before: null, count, isHidden: () => false })
  const [newest, ...first] = casts.toReversed().map(({ hash }) => hash.toString('hex'))
  const hashes = [newest, ...first.sort().reverse()]
  for (const count of [1, 2, 3, 4])
    expect(read(count)).toMatchObject(hashes.slice(0, count).map((hash) => ({ hash })))
})

test('casts of one rank are in the order of their hashes', () => {
  const window = createWindow(100)
  const casts = Array.from({ length: 20 }, (_, n) => ({
    hash: hashOf(n),
    fid: n,
    ts: START,
    isReply: false,
    counts: [1, 0, 0, 0] as const,
  }))
  window.join({ kind: 'feed', since: 0, until: Infinity, casts, recasts: [] }, [])
  const found = rankTrending(window, { seconds: 60, ts: START, count: 15 }) as { hash: string }[]
  const hashes = casts.map(({ hash }) => hash.toString('hex')).sort()
  expect(found.map(({ hash }) => hash)).toEqual(hashes.reverse().slice(0, 15))
})

test('reactions that name the author of a cast count, those that name another do not', () => {
  const window = createWindow(100)
  window.likesSince = START - 3 * 86_400 + 1
  const cast = { hash: hashOf(1), fid: 9, ts: START, isReply: false, counts: [4, 0, 0, 0] as const }
  window.join({ kind: 'feed', since: 0, until: Infinity, casts: [cast], recasts: [] }, [])
  const likes = [2, 3, 4, 5].map((actor) => ({ ...like(actor, 1, START), targetFid: actor < 4 ? 8 : 9 }))
  window.join({ kind: 'likes', throughFid: ALL_FIDS, likes }, [])
  const request = { ts: START, after: null, count: 5, fid: 1, followed: [2, 3, 4, 5], isHidden: () => false }
  expect(rankForYou(window, request)).toEqual([
    { hash: hashOf(1).toString('hex'), rank: forYouRank(2, 4, 0) },
  ])
  expect(rankForYou(window, { ...request, ts: START - 1 })).toBe('older')
})

test.each([
  ['', 0, [5_000, 30_000]],
  [' some of whose recasts may name another author', 1, [5_000, 15_000]],
])('a page looks through the recasts of a cast%s once, and not beyond a limit', (_, since, [few, many]) => {
  const followed = Array.from({ length: 20 }, (_, n) => 100_000 + n)
  const read = (strangers: number) => {
    const window = createWindow(1e6)
    const counts = [0, strangers + 20, 0, 0] as const
    const casts = [{ hash: hashOf(1), fid: 1, ts: START, isReply: false, counts }]
    const recasts = [
      ...Array.from({ length: strangers }, (_, n) => recast(1_000 + n, 1, START + 1)),
      ...followed.map((fid, n) => recast(fid, 1, START + 10 + n)),
      { ...recast(2, 1, START + 2), targetFid: 8 },
    ]
    window.join({ kind: 'feed', since, until: Infinity, casts, recasts }, [])
    let asked = 0
    const users = {
      size: followed.length,
      has(fid: number) {
        asked += 1
        return followed.includes(fid)
      },
      forEach(visit: (fid: number) => void) {
        for (const fid of followed) visit(fid)
      },
    }
    const page = { before: null, count: 20, isHidden: () => false }
    const found = readWindowFeed(window, { users, casts: 'all', recasts: true }, page) as WindowEntry[]
    return { asked, shown: found.map(({ isShown }) => isShown) }
  }
  const ofFew = read(few!)
  expect(ofFew.shown).toEqual([...followed.slice(1).map(() => false), true])
  expect(ofFew.asked).toBeLessThan(2 * few!)
  // The tables say it.
  const ofMany = read(many!)
  expect(ofMany.shown).toEqual(followed.map(() => null))
  expect(ofMany.asked).toBeLessThan(25_000)
})

/** Counts the entries that lists move. */
function movedBy(run: () => void): number {
  const moving = vi.spyOn(Object.getPrototypeOf(Int32Array.prototype) as Int32Array, 'copyWithin')
  try {
    run()
    return moving.mock.calls.reduce((sum, [, start, end = 0]) => sum + Math.max(0, end - start), 0)
  } finally {
    moving.mockRestore()
  }
}

/** Fills a window from the newest to the oldest, as the loader does, with an entry for each second. */
function fill(
  window: RecentWindow,
  entryAt: (ts: number) => { readonly casts: RecentCast[]; readonly recasts: FeedEntry[] },
): void {
  const partLength = 2_000
  for (let end = window.maxEntries; end > 0; end -= partLength) {
    const part = Array.from({ length: partLength }, (_, n) => entryAt(end - n))
    const casts = part.flatMap((each) => each.casts)
    const recasts = part.flatMap((each) => each.recasts)
    const until = end === window.maxEntries ? Number.POSITIVE_INFINITY : end + 1
    window.join({ kind: 'feed', since: end - partLength + 1, until, casts, recasts }, [])
  }
}

/** Applies a block with one more cast. */
function applyBlock(window: RecentWindow): void {
  applyMessage(window, new TestUser(3).cast('one more', window.maxEntries + 1))
}

function applyMessage(window: RecentWindow, message: SignedMessage): void {
  const body = { type: HubEventType.MERGE_MESSAGE as const, message, deletedMessages: [] }
  window.applyBlock({ shard: 1, height: 1, bodies: [body] })
}

test.each([
  ['casts of one user', (ts: number) => ({ casts: [castOf(ts)], recasts: [] })],
  ['recasts by one user', (ts: number) => ({ casts: [], recasts: [recast(2, ts, ts)] })],
  ['recasts of one cast', (ts: number) => ({ casts: [], recasts: [recast(ts, 1, ts)] })],
])('a window full of %s is loaded, and drops the oldest, without moving what it has', (_, entryAt) => {
  const window = createWindow(20_000)
  expect(movedBy(() => fill(window, entryAt))).toBeLessThan(10 * window.maxEntries)
  expect([window.timeline.length, window.hasDropped]).toEqual([20_000, false])
  expect(movedBy(() => applyBlock(window))).toBeLessThan(window.maxEntries)
  expect([window.timeline.length, window.since]).toEqual([19_000, 1_002])
})

test('a block drops a few thousand of very many entries', () => {
  const window = createWindow(100_000)
  fill(window, (ts) => ({ casts: [castOf(ts)], recasts: [] }))
  applyBlock(window)
  expect([window.timeline.length, window.since]).toEqual([96_001, 4_001])
})
