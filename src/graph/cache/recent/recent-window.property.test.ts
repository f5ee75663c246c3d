import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TestUser, testNow } from '../../../../test/network.js'
import type { HubEventBody } from '../../../hub/log/hub-event.js'
import { HubEventType, ReactionType } from '../../../protocol/definitions.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { forYouWindow } from '../../query/ranks.js'
import type { CommittedBlock } from '../block-sequence.js'
import { entryKind } from './feed-entries.js'
import { ALL_FIDS, RecentWindow } from './recent-window.js'
import { type NamedCast, WindowModel } from './testing/window-model.js'
import { readWindowFeed, type WindowGap, type WindowSelection } from './window-feed.js'
import { rankForYou, rankTrending } from './window-ranking.js'

const FIDS = [1, 2, 3, 4, 5, 6]
const users = FIDS.map((fid) => new TestUser(fid))
/** A for-you feed looks back 36 steps of time, a trending feed 25. */
const STEP_SECONDS = 7_200
const STEPS = 41
const START = testNow - STEPS * STEP_SECONDS
const timeOf = (at: number) => START + at * STEP_SECONDS

const step = fc.record({
  kind: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom('cast', 'recast', 'like') },
    { weight: 2, arbitrary: fc.constantFrom('reply', 'quote', 'remove', 'unreact', 'misname') },
  ),
  fid: fc.constantFrom(...FIDS),
  pick: fc.nat(1000),
  /** Several messages of one time; others claim to be older. */
  at: fc.nat(STEPS - 1),
})
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

let texts = 0

/** Makes what the hub logs for a step, and changes the model. */
function bodyOf({ kind, fid, pick, at }: Step, model: WindowModel): HubEventBody | null {
  const user = users[fid - 1]!
  const ts = timeOf(at)
  const casts = model.everyCast
  const picked = casts[pick % Math.max(1, casts.length)]
  const target = picked && { fid: picked.data.fid, hash: picked.hash }
  if (kind === 'cast') {
    texts += 1
    return added(model, user.cast(`cast ${texts}`, ts))
  }
  if (picked === undefined || target === undefined) return null
  texts += 1
  switch (kind) {
    case 'reply':
      return added(model, user.cast(`reply ${texts}`, ts, { parentCastId: target }))
    case 'quote':
      return added(model, user.cast(`quote ${texts}`, ts, { embeds: [{ castId: target }] }))
    case 'remove':
      return removed(model, model.stored(target.hash))
    case 'unreact':
      return removed(model, model.reactions[pick % Math.max(1, model.reactions.length)])
    default: {
      const type = kind === 'like' || (kind === 'misname' && pick % 2 === 0) ? 'LIKE' : 'RECAST'
      const named = kind === 'misname' ? { ...picked, data: { ...picked.data, fid: 1 + (pick % 6) } } : picked
      return added(model, user.react(named, ts, { type: ReactionType[type] }))
    }
  }
}

function added(model: WindowModel, message: SignedMessage): HubEventBody {
  return { type: HubEventType.MERGE_MESSAGE, message, deletedMessages: model.add(message) }
}

function removed(model: WindowModel, message: SignedMessage | undefined): HubEventBody | null {
  if (message === undefined) return null
  model.remove(message)
  return { type: HubEventType.REVOKE_MESSAGE, message }
}

const block = (bodies: readonly HubEventBody[]): CommittedBlock => ({ shard: 1, height: 1, bodies })

/** Reads the counters that a ranking lacks, and ranks again. */
function ranked(
  window: RecentWindow,
  model: WindowModel,
  rank: () => ReturnType<typeof rankForYou>,
): readonly NamedCast[] | WindowGap {
  const first = rank()
  if (!('unknownCounts' in Object(first))) return first as Exclude<typeof first, object>
  const { unknownCounts } = first as { unknownCounts: readonly Buffer[] }
  const counts = unknownCounts.map((hash) => ({ hash, counts: model.countsOf(hash) }))
  window.join({ kind: 'counts', counts }, [])
  return rank() as readonly NamedCast[]
}

function expectSameForYou(
  window: RecentWindow,
  model: WindowModel,
  { count, isHidden }: Pick<Parameters<typeof rankForYou>[1], 'count' | 'isHidden'>,
): void {
  for (const request of [
    { ts: timeOf(40), after: null },
    { ts: timeOf(30), after: { rank: 1, hash: '80'.repeat(20) } },
  ]) {
    const forYou = { ...request, count, fid: 2, followed: [1, 3, 4], isHidden }
    const found = ranked(window, model, () => rankForYou(window, forYou))
    const begins = request.ts - forYouWindow.seconds + 1
    const isIn = window.since <= begins && window.likesSince <= begins && window.likesThroughFid === ALL_FIDS
    expect(found).toEqual(isIn ? model.forYou(forYou) : 'older')
  }
}

/** Compares everything that a window says with what the model says. */
function expectSame(window: RecentWindow, model: WindowModel, hidden: ReadonlySet<number>): void {
  const isHidden = (fid: number) => hidden.has(fid)
  for (const count of [3, 40]) {
    expectSameForYou(window, model, { count, isHidden })
    const trending = { seconds: 25 * STEP_SECONDS, ts: timeOf(30), count }
    const found = ranked(window, model, () => rankTrending(window, trending))
    expect(found).toEqual(window.since <= timeOf(5) + 1 ? model.trending(trending) : 'older')
    for (const fids of [[1], [1, 2], FIDS]) {
      for (const casts of ['all', 'none', 'replies', 'without replies'] as const) {
        const selection: WindowSelection = { users: new Set(fids), casts, recasts: casts !== 'replies' }
        for (const before of [null, { ts: timeOf(20), hash: Buffer.alloc(20, 0x80) }]) {
          expectSameFeed(window, model, selection, { before, count, isHidden })
        }
      }
    }
  }
}

function expectSameFeed(
  window: RecentWindow,
  model: WindowModel,
  selection: WindowSelection,
  request: Parameters<typeof readWindowFeed>[2],
): void {
  const found = readWindowFeed(window, selection, request)
  const expected = model.feed(selection, request)
  if (typeof found === 'string') {
    expect(found).toBe('older')
    expect(window.since).toBeGreaterThan(0)
    return
  }
  expect(found.map(({ ts, hash }) => ({ ts, hash }))).toEqual(expected.map(({ ts, hash }) => ({ ts, hash })))
  for (const [index, { isShown }] of found.entries()) {
    if (isShown !== null) expect(isShown).toBe(expected[index]!.isShown)
    else expect(window.since).toBeGreaterThan(0)
  }
}

/** A window whose clock stands still. */
const createWindow = (maxEntries: number) => new RecentWindow({ maxEntries, clock: () => 0 })

const steps = fc.array(step, { minLength: 10, maxLength: 120, size: 'max' })
const parts = fc.record({
  /** Which steps came before the window was read, and which while it was. */
  read: fc.nat(60),
  later: fc.nat(10),
  /** Where the first part begins, in seconds after the start; the second has everything. */
  since: fc.integer({ min: -1, max: 30 }),
  likesSince: fc.integer({ min: -20, max: 6 }),
  throughFid: fc.integer({ min: 0, max: 6 }),
  joinsSecond: fc.boolean(),
  hidden: fc.subarray(FIDS, { maxLength: 2 }),
})

test('a window that is read in parts and changed by blocks says what the messages say', () => {
  fc.assert(
    fc.property(steps, parts, (all, { read, later, since, likesSince, throughFid, joinsSecond, hidden }) => {
      const model = new WindowModel()
      const window = createWindow(1e6)
      const change = (some: readonly Step[]) =>
        some.map((each) => bodyOf(each, model)).filter((body) => body !== null)
      change(all.slice(0, read))
      const first = model.feedPart(timeOf(since), Number.POSITIVE_INFINITY)
      const laterBodies = change(all.slice(read, read + later))
      expect(window.join(first, [block(laterBodies)])).toBe(true)
      window.likesSince = timeOf(likesSince)
      window.join(model.likesPart(-1, throughFid, window.likesSince), [])
      if (joinsSecond) {
        const second = model.feedPart(0, timeOf(since))
        const bodies = change(all.slice(read + later, read + 2 * later))
        window.applyBlock(block(bodies))
        expect(window.join(second, [block(bodies)])).toBe(true)
      }
      const rest = all.slice(read + (joinsSecond ? 2 : 1) * later)
      const middle = rest.length >> 1
      for (const each of rest.slice(0, middle)) {
        window.applyBlock(block(change([each])))
        expectSameForYou(window, model, { count: 40, isHidden: (fid) => hidden.includes(fid) })
      }
      expectSame(window, model, new Set(hidden))

      const likes = model.likesPart(throughFid, ALL_FIDS, window.likesSince)
      const bodies = change(rest.slice(middle))
      window.applyBlock(block(bodies))
      window.join(likes, [block(bodies)])
      expectSame(window, model, new Set(hidden))
      expect([...likesOf(window)].sort()).toEqual(model.likeNames(window.likesSince))
      expect(window.users.size).toBe(model.activeUsers(window.since, window.likesSince))
    }),
    { numRuns: 25 },
  )
})

function* likesOf(window: RecentWindow): Iterable<string> {
  const { entries } = window
  for (const fid of FIDS) {
    const likes = window.activityOf(fid)?.likes
    for (let index = 0; index < (likes?.length ?? 0); index += 1) {
      const id = likes!.at(index)
      expect([entries.kind(id), entries.actor(id)]).toEqual([entryKind.like, fid])
      yield `${fid} ${entries.targetFid(id)} ${entries.table.hex(entries.cast(id))} ${entries.ts(id)}`
    }
  }
}

test('a window without room drops the oldest, and says the same of what it has', () => {
  fc.assert(
    fc.property(steps, fc.integer({ min: 4, max: 40 }), (all, maxEntries) => {
      const model = new WindowModel()
      const window = createWindow(maxEntries)
      window.likesSince = START
      window.join(model.feedPart(0, Number.POSITIVE_INFINITY), [])
      window.join(model.likesPart(-1, ALL_FIDS, window.likesSince), [])
      for (const each of all) {
        const body = bodyOf(each, model)
        if (body !== null) window.applyBlock(block([body]))
        if (window.timeline.length > 0) expect(window.entries.size).toBeLessThanOrEqual(maxEntries)
        expect(window.hasDropped).toBe(window.since > 0)
        // After each step: what is kept of a user between pages is dropped when the user acts.
        expectSameForYou(window, model, { count: 40, isHidden: () => false })
      }
      expectSame(window, model, new Set())
    }),
    { numRuns: 20 },
  )
})
