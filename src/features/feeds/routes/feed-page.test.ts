import { describe, expect, test } from 'vitest'
import type { FeedCursor, FeedPageRequest, FeedRow } from '../../../graph/query/feeds.js'
import type { Database } from '../../../platform/db/connection.js'
import { type FeedQuery, feedPages } from './feed-page.js'
import { banningCaller, caller, createFeedScene, hashOf, openedCursor } from './testing/feed-scene.js'

const pages = feedPages('a feed', false)
const repeating = feedPages('a feed with recasts', true)

/** Places from the newest to the oldest; each is a letter, which names its cast. */
function feedEntries(letters: string, hiddenLetters = ''): FeedRow[] {
  return [...letters].map((letter, index) => ({
    ts: 1000 - index,
    hash: hashOf(letter),
    isShown: !hiddenLetters.includes(letter),
    recastsUntilMicros: 7,
  }))
}

/** Recasts that are not shown, before all entries of `feedEntries`. */
function hiddenRun(length: number): FeedRow[] {
  return Array.from({ length }, (_, index) => ({
    ts: 9000 - index,
    hash: hashOf('x'),
    isShown: false,
    recastsUntilMicros: 7,
  }))
}

/** A feed that is read as SQL reads it, and remembers how it was asked. */
function feedOf(entries: readonly FeedCursor[]) {
  const pageRequests: FeedPageRequest[] = []
  const read = async (pageRequest: FeedPageRequest) => {
    pageRequests.push(pageRequest)
    const { before } = pageRequest
    const rest = entries.filter(
      ({ ts, hash }) => !before || ts < before.ts || (ts === before.ts && hash < before.hash),
    )
    return rest.slice(0, pageRequest.count)
  }
  return { pageRequests, read }
}

/** All pages, as the letters of their casts. */
async function pagesOf(
  entries: readonly FeedCursor[],
  limit: number,
  { page = pages, hidden = '' }: { page?: typeof pages; hidden?: string } = {},
): Promise<string[]> {
  const scene = createFeedScene()
  for (const letter of hidden) scene.hidden.add(hashOf(letter))
  const { read } = feedOf(entries)
  const found: string[] = []
  for (let cursor: string | undefined; found.length < 20; ) {
    const query = { limit, ...(cursor ? { cursor } : {}) }
    const one = openedCursor(await page(scene.context, caller, query, { read }))
    found.push(one.letters)
    if (one.cursor === null) return found
    cursor = one.cursor
  }
  throw new Error('there is no end of pages')
}

test.each([
  ['', 2, ['']],
  ['ab', 2, ['ab']],
  ['abc', 2, ['ab', 'c']],
  ['abcd', 2, ['ab', 'cd']],
  ['abcde', 2, ['ab', 'cd', 'e']],
])('the places %j are told in pages of %i', async (letters, limit, expected) => {
  expect(await pagesOf(feedEntries(letters), limit)).toEqual(expected)
})

test('deleted or hidden casts shorten a page without ending the feed', async () => {
  expect(await pagesOf(feedEntries('abcdef', 'b'), 2)).toEqual(['ac', 'de', 'f'])
  expect(await pagesOf(feedEntries('abcdef'), 2, { hidden: 'b' })).toEqual(['a', 'cd', 'ef'])
})

test('a run of entries that are not shown -> the page reads on until it has casts', async () => {
  expect(await pagesOf(feedEntries('abcdefg', 'abcd'), 2)).toEqual(['ef', 'g'])
  const run = hiddenRun(150)
  const { pageRequests, read } = feedOf([...run, ...feedEntries('ab')])
  const first = await repeating(createFeedScene().context, caller, { limit: 2 }, { read })
  expect(openedCursor(first)).toEqual({ letters: 'ab', cursor: null })
  expect(pageRequests.map(({ count }) => count)).toEqual([4, 16, 64, 200])
})

test('a longer run -> an empty page with a cursor after 200 entries', async () => {
  const run = hiddenRun(300)
  expect(await pagesOf([...run, ...feedEntries('ab')], 2, { page: repeating })).toEqual(['', 'ab'])
})

test('a cast with several entries -> once on a page, at the newest', async () => {
  const pagesWithRecasts = (letters: string) => pagesOf(feedEntries(letters), 2, { page: repeating })
  expect(await pagesWithRecasts('aba')).toEqual(['ab'])
  expect(await pagesWithRecasts('aabb')).toEqual(['ab', ''])
  expect(await pagesWithRecasts('aabc')).toEqual(['ab', 'c'])
  expect(await pagesWithRecasts('abac')).toEqual(['ab', 'c'])
  expect(await pagesWithRecasts('abcab')).toEqual(['ab', 'ca', 'b'])
  expect(await pagesWithRecasts('aaaaab')).toEqual(['a', 'ab'])
})

test('a page that ends between two entries at one position, of which the second is shown -> the cast is on the next', async () => {
  const run = hiddenRun(199)
  const [wrong] = feedEntries('c', 'c')
  const right = { ...wrong!, isShown: true }
  expect(await pagesOf([...run, wrong!, right], 1, { page: repeating })).toEqual(['', 'c'])
  // The cast that is shown is on the page; its other positions lead nowhere.
  const [cast] = feedEntries('c')
  const recast = { ...cast!, isShown: false }
  expect(await pagesOf([...run, cast!, recast], 2, { page: repeating })).toEqual(['c', ''])
})

test('reads one more entry than fits, and more where casts repeat', async () => {
  const query = { limit: 5, viewer_fid: 3 }
  for (const [page, count] of [
    [pages, 6],
    [repeating, 9],
  ] as const) {
    const { pageRequests, read } = feedOf(feedEntries('abc'))
    await page(createFeedScene().context, banningCaller, query, { read })
    expect(pageRequests).toMatchObject([{ before: null, count, viewerFid: 3, banningAppId: 'banning' }])
  }
})

test('a cursor of another feed -> 400', async () => {
  const { read } = feedOf(feedEntries('abc'))
  const scene = createFeedScene()
  const { cursor } = openedCursor(await pages(scene.context, caller, { limit: 1 }, { read }))
  const query = { limit: 1, cursor: cursor! }
  await expect(repeating(scene.context, caller, query, { read })).rejects.toMatchObject({
    property: 'cursor',
  })
})

describe('a shared first page', () => {
  function singleFlight(letters: string, options = {}) {
    const scene = createFeedScene(options)
    const feed = feedOf(feedEntries(letters))
    const counts: number[] = []
    const firstPageReader = {
      key: 'everybody',
      async read(_db: Database, count: number) {
        counts.push(count)
        return { value: feedEntries(letters).slice(0, count), tags: ['casts'] }
      },
    }
    const ask = async (query: FeedQuery) =>
      openedCursor(await pages(scene.context, caller, query, { read: feed.read, firstPage: firstPageReader }))
    return { ...scene, feed, counts, ask }
  }

  test('is read once with spare entries, and again after a new cast', async () => {
    const { ask, counts, feed, invalidation } = singleFlight('abcdefghijkl')
    const page = await ask({ limit: 2 })
    expect(page.letters).toBe('ab')
    expect(await ask({ limit: 2, viewer_fid: 7 })).toEqual(page)
    expect([counts, feed.pageRequests]).toEqual([[8], []])
    invalidation.apply({ tags: ['casts'] })
    await ask({ limit: 2 })
    await ask({ limit: 3 })
    expect(counts).toEqual([8, 8, 9])
  })

  test('is continued by pages that are read for the viewer', async () => {
    const { ask, feed, counts } = singleFlight('abc')
    const { cursor } = await ask({ limit: 2 })
    expect(await ask({ limit: 2, cursor: cursor! })).toEqual({ letters: 'c', cursor: null })
    expect(feed.pageRequests).toMatchObject([{ before: { ts: 999, hash: hashOf('b') }, count: 3 }])
    expect(counts).toEqual([8])
  })

  test('serves viewers with few hidden casts, and ends correctly', async () => {
    const { ask, hidden, feed } = singleFlight('abcdefgh')
    for (const letter of 'abcde') hidden.add(hashOf(letter))
    expect((await ask({ limit: 2 })).letters).toBe('fg')
    expect(feed.pageRequests).toEqual([])
    const sharedPage = singleFlight('abc')
    sharedPage.hidden.add(hashOf('a'))
    expect(await sharedPage.ask({ limit: 2 })).toEqual({ letters: 'bc', cursor: null })
    expect(sharedPage.feed.pageRequests).toEqual([])
  })

  test('no cache -> read for each request', async () => {
    const { ask, feed, counts } = singleFlight('abc', { cachesViews: false })
    expect((await ask({ limit: 2 })).letters).toBe('ab')
    expect([counts, feed.pageRequests.length]).toEqual([[], 1])
  })

  test('too many hidden casts -> read for the viewer alone', async () => {
    const { ask, hidden, feed } = singleFlight('abcdefghijkl')
    for (const letter of 'abcdef') hidden.add(hashOf(letter))
    await ask({ limit: 2 })
    expect(feed.pageRequests).toHaveLength(1)
  })
})

describe('a first page of one viewer', () => {
  function viewerEntries() {
    const scene = createFeedScene()
    const feed = feedOf(feedEntries('abc'))
    const parts: FeedPageRequest[] = []
    const firstPageReader = {
      key: 'mine',
      async readForViewer(_db: Database, pageRequest: FeedPageRequest) {
        parts.push(pageRequest)
        return { value: feedEntries('xyz'), tags: ['follows'] }
      },
    }
    const ask = async (query: FeedQuery, by = caller) =>
      openedCursor(await pages(scene.context, by, query, { read: feed.read, firstPage: firstPageReader }))
    return { ...scene, feed, parts, ask }
  }

  test('is cached by viewer, app and length', async () => {
    const { ask, parts, feed } = viewerEntries()
    const page = await ask({ limit: 2, viewer_fid: 1 })
    expect(page.letters).toBe('xy')
    expect(await ask({ limit: 2, viewer_fid: 1 })).toEqual(page)
    expect(parts).toMatchObject([{ before: null, count: 3, viewerFid: 1 }])
    await ask({ limit: 2, viewer_fid: 2 })
    await ask({ limit: 2 })
    await ask({ limit: 2, viewer_fid: 1 }, banningCaller)
    await ask({ limit: 1, viewer_fid: 1 })
    await ask({ limit: 2, viewer_fid: 1 }, { ...caller, appId: 'another' })
    expect(parts).toHaveLength(6)
    expect(feed.pageRequests).toEqual([])
    expect((await ask({ limit: 2, viewer_fid: 1, cursor: page.cursor! })).letters).toBe('bc')
    expect(feed.pageRequests).toHaveLength(1)
  })

  test.each([['follows'], ['viewer:1'], ['links'], ['bans:banning'], [`thread:${hashOf('y')}`]])(
    'is read again after %s',
    async (tag) => {
      const { ask, parts, invalidation } = viewerEntries()
      await ask({ limit: 2, viewer_fid: 1 }, banningCaller)
      await ask({ limit: 2 })
      invalidation.apply({ tags: ['other'] })
      await ask({ limit: 2, viewer_fid: 1 }, banningCaller)
      expect(parts).toHaveLength(2)
      invalidation.apply({ tags: [tag] })
      await ask({ limit: 2, viewer_fid: 1 }, banningCaller)
      expect(parts).toHaveLength(3)
      await ask({ limit: 2 })
      // What is of a viewer or an app is nothing to those who ask without.
      expect(parts).toHaveLength(/^(viewer|links|bans)/.test(tag) ? 3 : 4)
    },
  )
})
