import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { TestUser, testNow } from '../../../test/network.js'
import type { SignedMessage } from '../../protocol/message.js'
import { moveWaitingThreads } from '../refresh/waiting-threads.js'
import { recount } from './recount.js'
import { merged, project, projectWith, pruned } from './testing/project-messages.js'

const { db } = await createTestDatabase()
const users = [1, 2].map((fid) => new TestUser(fid))
const urls = ['https://example.com/a', 'https://example.com/b']

/** Casts that reply to the one or two before, few with the wrong author, or start a thread. */
const castTrees = (minLength: number) =>
  fc
    .array(
      fc.record({
        author: fc.constantFrom(...users),
        parent: fc.option(fc.nat(3), { freq: 20 }),
        hasWrongParent: fc.nat(19).map((n) => n === 0),
        parentUrl: fc.constantFrom(...urls, undefined),
      }),
      { minLength, maxLength: 12 },
    )
    .map((steps) => {
      const made: SignedMessage[] = []
      for (const [index, { author, parent, hasWrongParent, parentUrl }] of steps.entries()) {
        const parentCast = parent === null ? undefined : made[index - 1 - (parent === 0 && index > 1 ? 1 : 0)]
        const body = parentCast
          ? { parentCastId: { fid: parentCast.data.fid + (hasWrongParent ? 7 : 0), hash: parentCast.hash } }
          : { parentUrl }
        made.push(author.cast(`cast ${index}`, testNow - index, body))
      }
      return made
    })
const casts = castTrees(6)

/** Each batch adds the casts of these indexes that are missing and removes those that are stored. */
const batches = fc.array(fc.array(fc.nat(11), { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 8 })

/** Removes the casts of these indexes that are stored, and stores the others. Returns both. */
function toggle(
  storedCastsByName: Map<string, SignedMessage>,
  batch: readonly number[],
  allCasts: readonly SignedMessage[],
): [removed: SignedMessage[], added: SignedMessage[]] {
  const affected = [...new Set(batch.map((place) => allCasts[place % allCasts.length]!))]
  const removedCasts = affected.filter((cast) => storedCastsByName.delete(nameOf(cast)))
  const addedCasts = affected.filter((cast) => !removedCasts.includes(cast))
  for (const cast of addedCasts) storedCastsByName.set(nameOf(cast), cast)
  return [removedCasts, addedCasts]
}

test('the thread of a cast depends on the stored casts, not on their history', async () => {
  await fc.assert(
    fc.asyncProperty(casts, batches, async (allCasts, castIndexes) => {
      await db`delete from social.casts`
      await db`delete from social.url_activity`
      const storedCastsByName = new Map<string, SignedMessage>()
      for (const batch of castIndexes) {
        const [removedCasts, addedCasts] = toggle(storedCastsByName, batch, allCasts)
        await project(db, ...pruned(...removedCasts), ...merged(...addedCasts))
        expect(await storedThreads()).toEqual(expected(storedCastsByName))
        expect(await activity()).toEqual(expectedActivity(storedCastsByName))
      }
    }),
    { numRuns: 60 },
  )
})

/** All casts in any order, some removed and added again, in small batches; the scheduled job runs after few of them. */
const histories = fc
  .tuple(
    fc.shuffledSubarray([...Array(12).keys()], { minLength: 12 }),
    fc.array(fc.nat(11), { maxLength: 4 }),
    fc.array(fc.record({ size: fc.integer({ min: 1, max: 3 }), moves: fc.nat(9).map((n) => n === 0) }), {
      minLength: 16,
      maxLength: 16,
    }),
  )
  .map(([all, again, cuts]) => {
    const rest = [...all, ...again]
    return cuts.map(({ size, moves }) => ({ casts: rest.splice(0, size), moves: moves || rest.length === 0 }))
  })

test('casts that have waited get their threads, however few may move at once', async () => {
  await fc.assert(
    fc.asyncProperty(
      castTrees(12),
      histories,
      fc.nat(2),
      fc.nat(2),
      fc.nat(2),
      async (allCasts, history, ...most) => {
        const [maxMovedToMissing, maxMovedByRemoval, maxMovedByArrival] = most
        await db`truncate social.casts, social.url_activity, social.waiting_threads`
        const storedCastsByName = new Map<string, SignedMessage>()
        for (const step of history) {
          if (step.casts.length === 0) break
          const [removedCasts, addedCasts] = toggle(storedCastsByName, step.casts, allCasts)
          await projectWith(
            { maxMovedToMissing, maxMovedByRemoval, maxMovedByArrival },
            db,
            ...pruned(...removedCasts),
            ...merged(...addedCasts),
          )
          if (!step.moves) continue
          await moveWaitingThreads(db, '0 seconds', { onThreadsMoved: async () => {} })
          expect(await storedThreads()).toEqual(expected(storedCastsByName))
          expect(await activity()).toEqual(expectedActivity(storedCastsByName))
        }
      },
    ),
    { numRuns: 100 },
  )
})

/** Casts of these indexes get the thread of another cast, and a URL that may be wrong as well. */
const corruptions = fc.array(
  fc.record({ place: fc.nat(11), thread: fc.nat(11), url: fc.constantFrom(...urls, null) }),
  { maxLength: 8 },
)

test('a recount finds and repairs every wrong thread', async () => {
  await fc.assert(
    fc.asyncProperty(
      casts,
      fc.uniqueArray(fc.nat(11), { maxLength: 3 }),
      corruptions,
      fc.constantFrom(1, 3, 20_000),
      async (allCasts, missingIndexes, corruptedThreads, chunkRows) => {
        await db`delete from social.casts`
        await db`delete from social.url_activity`
        const storedCasts = allCasts.filter((_cast, place) => !missingIndexes.includes(place))
        const storedCastsByName = new Map(storedCasts.map((cast) => [nameOf(cast), cast]))
        await project(db, ...merged(...storedCasts))
        for (const { place, thread, url } of corruptedThreads) {
          const [one, other] = [allCasts[place % allCasts.length]!, allCasts[thread % allCasts.length]!]
          await db`
            update social.casts set thread_hash = ${other.hash}, root_parent_url = ${url} where hash = ${one.hash}
          `
        }
        const right = expected(storedCastsByName)
        const wrong = [...(await storedThreads())].filter(
          ([hash, place]) => !isDeepStrictEqual(place, right.get(hash)),
        )
        const [threads] = await recount(db, { shards: 1, chunkRows })
        expect(threads).toEqual({ name: 'threads of casts', wrong: wrong.length })
        expect(await storedThreads()).toEqual(right)
        expect(await activity()).toEqual(expectedActivity(storedCastsByName))
      },
    ),
    { numRuns: 25 },
  )
})

function nameOf({ data, hash }: SignedMessage): string {
  return `${data.fid}/${Buffer.from(hash).toString('hex')}`
}

type ThreadKey = [thread: string, url: string | null]

/** The expected thread, by definition: up to the first cast without a parent, or the first missing one. */
function expectedThread(
  cast: SignedMessage,
  storedCastsByName: ReadonlyMap<string, SignedMessage>,
): ThreadKey {
  const { parentCastId, parentUrl } = cast.data.castAddBody!
  if (!parentCastId) return [hex(cast.hash), parentUrl ?? null]
  const parentCast = storedCastsByName.get(`${parentCastId.fid}/${hex(parentCastId.hash)}`)
  return parentCast ? expectedThread(parentCast, storedCastsByName) : [hex(parentCastId.hash), null]
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

function expected(storedCastsByName: ReadonlyMap<string, SignedMessage>): Map<string, ThreadKey> {
  return new Map(
    [...storedCastsByName.values()].map((cast) => [hex(cast.hash), expectedThread(cast, storedCastsByName)]),
  )
}

function expectedActivity(storedCastsByName: ReadonlyMap<string, SignedMessage>): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const cast of storedCastsByName.values()) {
    const [, url] = expectedThread(cast, storedCastsByName)
    if (url !== null) counts[url] = (counts[url] ?? 0) + 1
  }
  return counts
}

async function storedThreads(): Promise<Map<string, ThreadKey>> {
  const rows = await db<{ hash: Buffer; thread: Buffer; url: string | null }[]>`
    select hash, thread_hash as thread, root_parent_url as url from social.casts
  `
  return new Map(rows.map((row) => [hex(row.hash), [hex(row.thread), row.url]]))
}

async function activity(): Promise<Record<string, number>> {
  const rows = await db<{ url: string; casts: number }[]>`
    select url, sum(casts)::integer as casts from social.url_activity group by url
  `
  return Object.fromEntries(rows.map(({ url, casts }) => [url, casts]))
}
