import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { TestUser, testNow } from '../../../test/network.js'
import type { Transaction } from '../../platform/db/connection.js'
import { inPipeline } from '../../platform/db/pipeline.js'
import type { SignedMessage } from '../../protocol/message.js'
import { projectChanges, projectInto } from '../project/project.js'
import { recount } from '../project/recount.js'
import { merged, project, projectWith, pruned } from '../project/testing/project-messages.js'
import { moveWaitingThreads } from './waiting-threads.js'

const { db } = await createTestDatabase()
const user = new TestUser(1)
const url = 'https://example.com/a'
const BATCH = 30

/** A chain of replies, the first cast first. */
function chainOf(length: number): SignedMessage[] {
  const chain: SignedMessage[] = []
  for (let index = 0; index < length; index += 1) {
    const parent = chain.at(-1)
    const body = parent ? { parentCastId: { fid: 1, hash: parent.hash } } : { parentUrl: url }
    chain.push(user.cast(`cast ${length} ${index}`, testNow + index, body))
  }
  return chain
}

/** Batches from the end of a list to its start. */
function fromTheEnd(casts: readonly SignedMessage[]): SignedMessage[][] {
  const batches: SignedMessage[][] = []
  for (let end = casts.length; end > 0; end -= BATCH) batches.push(casts.slice(Math.max(0, end - BATCH), end))
  return batches
}

/** Moves what waits. Returns the threads that casts may have had. */
async function move(minWait = '0 seconds'): Promise<string[]> {
  const hashes: string[] = []
  await moveWaitingThreads(db, minWait, { onThreadsMoved: async (_, moved) => void hashes.push(...moved) })
  return hashes
}

const threadsBelow = async (hash: Uint8Array) => {
  const [row] = await db<{ casts: number }[]>`
    select count(*)::integer as casts from social.casts where thread_hash = ${Buffer.from(hash)}`
  return row!.casts
}
const waiting = async () => (await db`select from social.waiting_threads`).length
/** The transaction that wrote the last cast of a chain. */
const writerOf = async ({ hash }: SignedMessage) =>
  (await db`select xmin::text as id from social.casts where hash = ${Buffer.from(hash)}`)[0]!.id

test('a long thread from its end: moved once, when its first cast arrives', async () => {
  const chain = chainOf(600)
  const batches = fromTheEnd(chain)
  const writers = new Set<string>()
  for (const batch of batches.slice(0, -1)) {
    await project(db, ...merged(...batch))
    writers.add(await writerOf(chain.at(-1)!))
  }
  // Its own batch, and those after it until 200 casts are below.
  expect(writers.size).toBe(Math.ceil(200 / BATCH))
  expect(await waiting()).toBeGreaterThan(0)
  const [last] = await db<{ thread: Buffer }[]>`
    select thread_hash as thread from social.casts where hash = ${chain.at(-1)!.hash}`
  await project(db, ...merged(...batches.at(-1)!))
  expect(await threadsBelow(chain[0]!.hash)).toBe(600)
  const writer = await writerOf(chain.at(-1)!)
  // A cached cast has the tag of its thread.
  expect(await move()).toContain(last!.thread.toString('hex'))
  expect([await waiting(), await writerOf(chain.at(-1)!)]).toEqual([0, writer])
  expect(await db`select sum(casts)::integer as casts from social.url_activity`).toEqual([{ casts: 600 }])
  await db`truncate social.casts, social.url_activity`
})

test('its first cast stays away -> the job moves it to the missing cast', async () => {
  const chain = chainOf(400)
  for (const batch of fromTheEnd(chain.slice(1))) await project(db, ...merged(...batch))
  expect(await threadsBelow(chain[0]!.hash)).toBeLessThan(399)
  await move('1 hour')
  expect(await threadsBelow(chain[0]!.hash)).toBeLessThan(399)
  await move()
  expect([await threadsBelow(chain[0]!.hash), await waiting()]).toEqual([399, 0])
  // A part that waits is no reason to find other parts wrong.
  await project(db, ...pruned(chain[50]!))
  expect(await threadsBelow(chain[50]!.hash)).toBe(349)
  const [threads] = await recount(db, { shards: 1, chunkRows: 20_000 })
  expect(threads).toEqual({ name: 'threads of casts', wrong: 0 })
})

test('a waiting cast is removed -> nothing waits for it', async () => {
  await db`truncate social.casts`
  const chain = chainOf(300)
  for (const batch of fromTheEnd(chain.slice(1))) await project(db, ...merged(...batch))
  const [top] = await db<
    { hash: Buffer }[]
  >`select hash from social.waiting_threads order by waiting_since desc`
  const removed = chain.find(({ hash }) => top!.hash.equals(hash))!
  await project(db, ...pruned(removed))
  await move()
  expect(await waiting()).toBe(0)
  const below = chain.length - 1 - chain.indexOf(removed)
  expect(await threadsBelow(removed.hash)).toBe(below)
})

test('the first cast and one below a waiting cast in one batch -> one thread', async () => {
  await db`truncate social.casts, social.url_activity`
  const chain = chainOf(6)
  const [first, waits, parent, late, ...last] = chain
  const add = (...casts: SignedMessage[]) => projectWith({ maxMovedToMissing: 0 }, db, ...merged(...casts))
  await add(parent!, ...last)
  await add(waits!)
  await add(first!, late!)
  expect(await move()).not.toEqual([])
  expect(await threadsBelow(first!.hash)).toBe(6)
  expect(await db`select sum(casts)::integer as casts from social.url_activity`).toEqual([{ casts: 6 }])
})

test('the first cast of a thread with many casts below leaves them to the job', async () => {
  await db`truncate social.casts, social.url_activity, social.waiting_threads`
  const url = 'https://example.com/~/channel/late'
  const first = user.cast('first', testNow, { parentUrl: url })
  const parentCastId = { fid: 1, hash: first.hash }
  const replies = [1, 2, 3].map((index) => user.cast(`reply ${index}`, testNow + index, { parentCastId }))
  await project(db, ...merged(...replies))
  await projectWith({ maxMovedByArrival: 2 }, db, ...merged(first))
  const inChannel = async () => (await db`select from social.casts where root_parent_url = ${url}`).length
  expect([await inChannel(), await waiting()]).toEqual([1, 1])
  await move()
  expect([await inChannel(), await waiting()]).toEqual([4, 0])
  expect(await db`select sum(casts)::integer as casts from social.url_activity`).toEqual([{ casts: 4 }])
})

test('a removed cast with many casts below leaves them to the job, with what is added below meanwhile', async () => {
  await db`truncate social.casts, social.url_activity`
  const chain = chainOf(8)
  const late = user.cast('late', testNow + 8, { parentCastId: { fid: 1, hash: chain.at(-1)!.hash } })
  await project(db, ...merged(...chain))
  const remove = (cast: SignedMessage, maxMovedByRemoval: number) =>
    projectWith({ maxMovedByRemoval }, db, ...pruned(cast))
  await remove(chain[1]!, 5)
  await project(db, ...merged(late))
  expect([await threadsBelow(chain[0]!.hash), await waiting()]).toEqual([8, 1])
  const [first, removed] = chain.map(({ hash }) => hash.toString('hex'))
  // A cached cast has the tag of the thread that it had.
  expect(await move()).toEqual([removed, first])
  expect([await threadsBelow(chain[0]!.hash), await threadsBelow(chain[1]!.hash)]).toEqual([1, 7])
  expect(await db`select sum(casts)::integer as casts from social.url_activity`).toEqual([{ casts: 1 }])
  await remove(chain[2]!, 6)
  expect([await threadsBelow(chain[2]!.hash), await waiting()]).toEqual([6, 0])
})

test('many removed casts, together with many casts below -> the job moves what is too much for one batch', async () => {
  await db`truncate social.casts, social.url_activity, social.waiting_threads`
  const chains = [chainOf(4), chainOf(5), chainOf(6)]
  await project(db, ...merged(...chains.flat()))
  const removed = chains.map(([first]) => first!)
  await projectWith({ maxMovedByRemoval: 8 }, db, ...pruned(...removed))
  const below = () => Promise.all(removed.map(({ hash }) => threadsBelow(hash)))
  expect(await waiting()).toBe(1)
  await move()
  expect([await below(), await waiting()]).toEqual([[3, 4, 5], 0])
})

test('a thread that cannot be moved delays no other, and fails the job', async () => {
  await db`truncate social.casts, social.url_activity, social.waiting_threads`
  const chains = [5, 6, 7].map((length) => chainOf(length).slice(1))
  for (const [first, ...others] of chains) {
    await project(db, ...merged(...others))
    await projectWith({ maxMovedToMissing: 0 }, db, ...merged(first!))
  }
  const limits = new Set<string>()
  const moving = moveWaitingThreads(db, '0 seconds', {
    onThreadsMoved: async (transaction, [hash]) => {
      const [limit] = await transaction`show statement_timeout`
      limits.add(limit!.statement_timeout)
      if (hash === chains[2]![0]!.hash.toString('hex')) throw new Error('too large')
    },
  })
  await expect(moving).rejects.toThrow('too large')
  // Merges wait for a thread that moves.
  expect([...limits]).toEqual(['5s'])
  expect(await waiting()).toBe(1)
})

test('while another holds what the hooks lock, none is moved, and merges do not wait', async () => {
  await db`truncate social.casts, social.url_activity, social.waiting_threads`
  for (const chain of [chainOf(4), chainOf(5)]) {
    const [first, ...others] = chain.slice(1)
    await project(db, ...merged(...others))
    await projectWith({ maxMovedToMissing: 0 }, db, ...merged(first!))
  }
  let tries = 0
  const moving = moveWaitingThreads(db, '0 seconds', {
    beforeMove: async (transaction) => {
      tries += 1
      const locks =
        await transaction`select from pg_locks where pid = pg_backend_pid() and locktype = 'advisory'`
      expect(locks).toEqual([])
      throw Object.assign(new Error('locked'), { code: '55P03' })
    },
    onThreadsMoved: async () => {},
  })
  await expect(moving).rejects.toThrow('locked')
  expect([tries, await waiting()]).toEqual([1, 2])
})

test('a thread that takes too long is tried again later, with more time', async () => {
  await db`truncate social.casts, social.url_activity, social.waiting_threads`
  const [first, ...others] = chainOf(5).slice(1)
  await project(db, ...merged(...others))
  await projectWith({ maxMovedToMissing: 0 }, db, ...merged(first!))
  const times: string[] = []
  const postponed = new Map<string, number>()
  let isSlow = true
  const moveOnce = () =>
    moveWaitingThreads(
      db,
      '0 seconds',
      {
        onThreadsMoved: async (transaction) => {
          const [limit] = await transaction`show statement_timeout`
          times.push(limit!.statement_timeout)
          if (!isSlow) return
          await transaction`set local statement_timeout to '10ms'`
          await transaction`select pg_sleep(10)`
        },
      },
      postponed,
    )
  await expect(moveOnce()).rejects.toThrow('statement timeout')
  // Merges would wait for it each minute.
  await moveOnce()
  expect([times, await waiting()]).toEqual([['5s'], 1])
  const name = first!.hash.toString('hex')
  expect(postponed.get(name)).toBeGreaterThan(performance.now() + 3_500_000)
  postponed.set(name, 0)
  isSlow = false
  await moveOnce()
  expect([times, await waiting(), postponed.size]).toEqual([['5s', '1min'], 0, 1])
  await moveOnce()
  expect(postponed.size).toBe(0)
})

test.each([
  { arrives: 'a first cast', body: { parentUrl: url } },
  { arrives: 'a cast without its parent', body: { parentCastId: { fid: 1, hash: Buffer.alloc(20, 7) } } },
])('$arrives below which many replies wait -> each reply is read a few times', async ({ body }) => {
  await db`truncate social.casts, social.url_activity, social.waiting_threads`
  const popular = user.cast('popular', testNow, body)
  const replies = Array.from({ length: 600 }, (_, index) =>
    user.cast(`reply ${index}`, testNow, { parentCastId: { fid: 1, hash: popular.hash } }),
  )
  await project(db, ...merged(...replies))
  await db`analyze social.casts`
  const rowsRead = async (transaction: Transaction) => {
    const [row] = await transaction<{ count: number }[]>`
      select (seq_tup_read + idx_tup_fetch)::integer as count
      from pg_stat_xact_user_tables where relid = 'social.casts'::regclass`
    return row!.count
  }
  const reads = await db.begin(async (transaction) => {
    await projectInto(transaction, 'social')
    // The server counts the transactions of the last second of this connection, too.
    const before = await rowsRead(transaction)
    await inPipeline(
      await projectChanges(transaction, { added: [popular], removed: [] }, { mode: 'exclusive' }),
    )
    return (await rowsRead(transaction)) - before
  })
  expect(reads).toBeLessThan(50 * replies.length)
})
