import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { TestUser, testNow, testNowUnix } from '../../../../test/network.js'
import { hubEventBody } from '../../../hub/log/hub-event.js'
import type { ShardRange } from '../../../hub/log/log-range.js'
import { ensurePartitions } from '../../../hub/log/partitions.js'
import { readEvents, readLogEnds } from '../../../hub/log/read.js'
import type { LoggedEvent } from '../../../hub/log/write.js'
import { type MergeHook, mergeBatch } from '../../../hub/merge/merge.js'
import { resultWithin } from '../../../platform/process/pause.js'
import { ReactionType } from '../../../protocol/definitions.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { projectEvents } from '../../project/project.js'
import type { FeedPageRequest, FeedRow } from '../../query/feeds.js'
import { readAuthorFeed } from '../../query/feeds-by-author.js'
import { readFollowingFeed } from '../../query/feeds-following.js'
import { readForYouFeed, readTrending } from '../../query/feeds-ranked.js'
import { Hydrator } from '../hydrator.js'
import { startAtNextBlock } from '../local-commits.js'
import { fillWindow } from './window-loader.js'

const { db } = await createTestDatabase()
const SHARDS = [1, 2]
const USERS = [1, 2, 3, 4, 5, 6]
const users = USERS.map((fid) => new TestUser(fid))
const clock = () => testNowUnix * 1000
const startMs = Date.now()
/** Goes on: recasts that were stored after a page was read do not count for its feed. */
const runningClock = () => clock() + Date.now() - startMs
const shardOf = (fid: number) => 1 + (fid % SHARDS.length)
/** Longer than pages take that wait for nothing. */
const WAIT_MS = 1_000
const neverStopped = new AbortController().signal

async function commit(
  shard: number,
  batch: Partial<Parameters<typeof mergeBatch>[2]>,
): Promise<LoggedEvent[]> {
  const committed: LoggedEvent[] = []
  const remember: MergeHook = async (_db, events) => void committed.push(...events)
  const transaction = { messages: [], chainEvents: [], nameTransfers: [], ...batch }
  await mergeBatch(
    db,
    shard,
    transaction,
    { shards: SHARDS.length, hooks: [projectEvents, remember] },
    clock(),
  )
  return committed
}

beforeAll(async () => {
  await ensurePartitions(db, clock())
  for (const shard of SHARDS) await db`insert into hub.shards (shard) values (${shard})`
  for (const user of users) await commit(shardOf(user.fid), { chainEvents: user.onChain({ units: 20 }) })
})

/** A process with its own memory over the one database. It reads the log when it is told to. */
class Process {
  readonly hydrator: Hydrator
  #ranges: ShardRange[] = []
  #filling: Promise<void> = Promise.resolve()

  constructor(maxRecentEntries: number) {
    this.hydrator = new Hydrator({
      db,
      clock: runningClock,
      locationOf: () => null,
      maxViews: 0,
      maxViewerSetsBytes: 1e7,
      maxRecentEntries,
    })
  }

  get blocks() {
    return this.hydrator.invalidation.blocks
  }

  async startAtEnd(): Promise<void> {
    const ends = await readLogEnds(db, SHARDS)
    this.#ranges = ends.map(({ shard, lastId }) =>
      startAtNextBlock({ shard, from: lastId + 1, stop: Number.MAX_SAFE_INTEGER }),
    )
    this.blocks.start(
      new Map(ends.map(({ shard, lastId }) => [shard, Math.max(0, Math.floor(lastId / 2 ** 14))])),
    )
  }

  /** Reads a page of the log; a page may end within a block. */
  async readLog(limit: number): Promise<boolean> {
    const page = await readEvents(db, this.#ranges, { limit, reverse: false })
    const events = page.events.map(({ shard, id, event }) => ({ shard, id, body: hubEventBody(event) }))
    this.blocks.read(events, page.next === null)
    this.#ranges = [...page.remaining]
    if (page.next === null) this.#ranges = this.#ranges.map(startAtNextBlock)
    return page.next !== null
  }

  /** Begins to fill the window, beside whatever happens next. */
  fill(): void {
    const { window } = this.hydrator
    this.#filling = Promise.all([
      this.#filling,
      fillWindow(
        { db, blocks: this.blocks, window, clock: runningClock, log: console as never },
        neverStopped,
      ),
    ]).then(() => {})
  }

  async settle(): Promise<void> {
    await this.#readWhileFilling()
    while (await this.readLog(100));
    this.fill()
    await this.#readWhileFilling()
  }

  /** A page waits for sets of its viewer that are being loaded, and these for the log, which a process always reads. */
  async readIfItWaits(pages: Promise<void>): Promise<void> {
    let isWaiting = true
    const done = pages.finally(() => {
      isWaiting = false
    })
    while (isWaiting) {
      await resultWithin(WAIT_MS, done)
      if (isWaiting) await this.readLog(100)
    }
    await done
  }

  /** Reads on until the window is filled, as a process does. */
  async #readWhileFilling(): Promise<void> {
    let isReading = true
    const filling = this.#filling.finally(() => {
      isReading = false
    })
    while (isReading) {
      await this.readLog(100)
      await Promise.race([filling, new Promise((resolve) => setImmediate(resolve))])
    }
  }
}

const step = fc.record({
  kind: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('cast', 'reply', 'recast', 'like', 'follow') },
    { weight: 2, arbitrary: fc.constantFrom('quote', 'readLog', 'fill', 'sets', 'pages') },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        'remove',
        'unlike',
        'unrecast',
        'unfollow',
        'block',
        'unblock',
        'compact',
        'lose',
      ),
    },
  ),
  process: fc.nat(2),
  fid: fc.constantFrom(...USERS),
  other: fc.constantFrom(...USERS),
  pick: fc.nat(1000),
  /** Seconds that a message claims to be older. */
  back: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(60) }),
})
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

let second = testNow - 80_000
const casts: SignedMessage[] = []

/** The message of a step; null if it needs a cast and there is none. */
function messageOf({ kind, fid, other, pick, back }: Step): SignedMessage | null {
  const user = users[fid - 1]!
  const target = casts[casts.length - 1 - (pick % Math.max(1, Math.min(casts.length, 30)))]
  const at = second - back
  const targetId = target && { fid: target.data.fid, hash: target.hash }
  switch (kind) {
    case 'cast':
      return user.cast(`cast ${second}`, at)
    case 'reply':
      return targetId ? user.cast(`reply ${second}`, at, { parentCastId: targetId }) : null
    case 'quote':
      return targetId ? user.cast(`quote ${second}`, at, { embeds: [{ castId: targetId }] }) : null
    case 'remove':
      return target ? users[target.data.fid - 1]!.removeCast(target.hash, second) : null
    case 'recast':
    case 'unrecast':
      return target
        ? user.react(target, at, { type: ReactionType.RECAST, remove: kind === 'unrecast' })
        : null
    case 'like':
    case 'unlike':
      return target ? user.react(target, at, { remove: kind === 'unlike' }) : null
    case 'follow':
    case 'unfollow':
      return fid === other ? null : user.link(other, at, { remove: kind === 'unfollow' })
    case 'block':
    case 'unblock':
      return fid === other ? null : user.link(other, at, { type: 'block', remove: kind === 'unblock' })
    case 'compact':
      return user.compactLinks(pick % 2 ? [other] : [], second)
    default:
      return null
  }
}

async function perform(one: Step, processes: readonly Process[]): Promise<void> {
  const process = processes[one.process]!
  second += 1
  if (one.kind === 'readLog') return void (await process.readLog(1 + (one.pick % 5)))
  if (one.kind === 'fill') return process.fill()
  if (one.kind === 'sets') return void process.hydrator.viewerSets.load(one.fid)
  if (one.kind === 'pages')
    return await process.readIfItWaits(differencesOf(process, one.fid, one.other, false))
  if (one.kind === 'lose') {
    process.blocks.lose()
    return await process.startAtEnd()
  }
  const message = messageOf(one)
  if (!message) return
  const events = await commit(shardOf(message.data.fid), { messages: [message] })
  process.blocks.commit(events)
  if (message.data.castAddBody) casts.push(message)
}

let answered = 0
let asked = 0

/** Compares what the window says with what the tables say. */
async function differencesOf(
  process: Process,
  fid: number,
  viewerFid: number,
  isSettled: boolean,
): Promise<void> {
  const { recent } = process.hydrator
  for (const before of [null, { ts: second - 20, hash: 'ff'.repeat(20) }]) {
    const page = { before, count: 6, viewerFid }
    for (const recasts of [true, false]) {
      const found = await recent.following({ fid, recasts }, page)
      if (!isSettled) continue
      await expectSame(found, () => readFollowingFeed(db, { fid, recasts }, page))
      if (recasts) await expectSameNext(found, page, (next) => readFollowingFeed(db, { fid, recasts }, next))
    }
    for (const kinds of ['all', 'replies', 'without replies'] as const) {
      const selection = { fids: [fid, viewerFid], casts: kinds, recasts: kinds !== 'without replies' }
      const found = await recent.author(selection, page)
      if (!isSettled) continue
      await expectSame(found, () => readAuthorFeed(db, selection, page))
      if (selection.recasts) await expectSameNext(found, page, (next) => readAuthorFeed(db, selection, next))
    }
  }
  const ranking = { ts: second, after: null, count: 5, viewerFid }
  const forYou = await recent.forYou(fid, ranking)
  if (isSettled) await expectSame(forYou, () => readForYouFeed(db, fid, ranking))
  const trending = { seconds: 3_600, ts: second } as const
  const found = await recent.trending(trending, { ts: second, count: 20 })
  if (isSettled) await expectSame(found, () => readTrending(db, trending, { ts: second, count: 20 }))
}

async function expectSame(
  found: readonly object[] | null,
  read: () => Promise<readonly object[]>,
): Promise<void> {
  asked += 1
  if (found === null) return
  answered += 1
  expect(untimed(found)).toEqual(untimed(await read()))
}

/** Compares the page after a first one with what it is when all recasts count: they were stored before the first page was read. */
async function expectSameNext(
  found: readonly FeedRow[] | null,
  page: FeedPageRequest,
  read: (pageRequest: FeedPageRequest) => Promise<readonly FeedRow[]>,
): Promise<void> {
  const last = found?.at(-1)
  if (last === undefined) return
  const next = { ...page, before: last }
  const rows = await read({ ...next, recastsUntilMicros: last.recastsUntilMicros })
  expect(untimed(rows)).toEqual(untimed(await read(next)))
}

/** Rows without the time at which they were read. */
function untimed(rows: readonly object[]): object[] {
  return rows.map((row) => ({ ...row, recastsUntilMicros: 0 }))
}

test.each([
  ['everything', 100_000, 0.7],
  // By chance 0.06 to 0.31 of the pages in 25 runs: what is certain is that some are answered.
  ['little', 40, 0],
])(
  'three processes whose windows hold %s answer what the tables say, whatever is written and read in between',
  async (_, maxEntries, share) => {
    answered = 0
    asked = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
        second += 100
        const processes = Array.from({ length: 3 }, () => new Process(maxEntries))
        for (const process of processes) await process.startAtEnd()
        // Windows that are full change with each block; an empty one is filled beside the blocks.
        for (const process of processes.slice(1)) await process.settle()
        for (const one of steps) await perform(one, processes)
        for (const process of processes) {
          await process.settle()
          for (const fid of [1, 4]) await differencesOf(process, fid, 2, true)
        }
      }),
      { numRuns: Number(process.env.WINDOW_RUNS ?? 5), endOnFailure: true },
    )
    expect(answered / asked).toBeGreaterThan(share)
  },
)

test('a process that hears nothing more of the log -> ranked feeds come from the tables', async () => {
  second += 100
  const send = async (message: SignedMessage) => {
    await commit(shardOf(message.data.fid), { messages: [message] })
    return Buffer.from(message.hash).toString('hex')
  }
  await send(users[0]!.link(4, second))
  const process = new Process(100_000)
  await process.startAtEnd()
  await process.settle()
  // The window does not know how many reactions it has: it reads them, and they are of the newest block.
  const newest = await send(users[3]!.cast('heard of', second + 1))
  while (await process.readLog(100));
  await send(users[4]!.cast('not heard of', second + 2))
  const page = { ts: second + 60, after: null, count: 1_000 }
  expect(await process.hydrator.recent.forYou(1, page)).toBeNull()
  while (await process.readLog(100));
  // A window that waits for the counters of reactions for a second leaves the page to the tables.
  const heardOf = async () => (await process.hydrator.recent.forYou(1, page))?.map(({ hash }) => hash) ?? []
  await expect.poll(heardOf).toContain(newest)
})
