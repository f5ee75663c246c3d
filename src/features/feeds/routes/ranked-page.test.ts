import { expect, test } from 'vitest'
import type { RankedCast } from '../../../graph/query/ranks.js'
import { isAfterCursor, type RankingPageRequest, rankedPages } from './ranked-feeds.js'
import { banningCaller, caller, createFeedScene, hashOf, openedCursor } from './testing/feed-scene.js'

const pages = rankedPages('a ranking')
const casts = [...'abcdefghijkl'].map((letter, index) => ({ rank: 10 - index / 2, hash: hashOf(letter) }))
const momentTs = 5000

function ranking(of: readonly RankedCast[]) {
  const pageRequests: RankingPageRequest[] = []
  const read = async (pageRequest: RankingPageRequest) => {
    pageRequests.push(pageRequest)
    const castsAfterCursor = of.filter((cast) => isAfterCursor(cast, pageRequest.after))
    return { ts: pageRequest.ts ?? momentTs, casts: castsAfterCursor.slice(0, pageRequest.count) }
  }
  return { pageRequests, read }
}

/** Pages as the letters of their casts. */
async function pagesOf(of: readonly RankedCast[], limit: number, hidden = ''): Promise<string[]> {
  const scene = createFeedScene()
  for (const letter of hidden) scene.hidden.add(hashOf(letter))
  const { read } = ranking(of)
  const found: string[] = []
  for (let cursor: string | undefined; found.length < 20; ) {
    const page = await pages(scene.context, caller, { limit, ...(cursor ? { cursor } : {}) }, read)
    const one = openedCursor(page)
    found.push(one.letters)
    if (one.cursor === null) return found
    cursor = one.cursor
  }
  throw new Error('there is no end of pages')
}

test('pages through a ranking to its end', async () => {
  expect(await pagesOf([], 2)).toEqual([''])
  expect(await pagesOf(casts.slice(0, 5), 5)).toEqual(['abcde'])
  expect(await pagesOf(casts.slice(0, 5), 2)).toEqual(['ab', 'cd', 'e'])
  expect(await pagesOf(casts, 5)).toEqual(['abcde', 'fghij', 'kl'])
})

test('hidden casts do not end a ranking early', async () => {
  expect(await pagesOf(casts, 2, 'ac')).toEqual(['bd', 'ef', 'gh', 'ij', 'kl'])
  expect(await pagesOf(casts, 2, 'abcdefgh')).toEqual(['', 'ij', 'kl'])
  expect(await pagesOf(casts.slice(0, 8), 2, 'abcdefg')).toEqual(['h', ''])
})

test('all pages use the time of the first page', async () => {
  const scene = createFeedScene()
  const { pageRequests, read } = ranking(casts)
  const query = { limit: 2, viewer_fid: 3 }
  const { cursor } = openedCursor(await pages(scene.context, banningCaller, query, read))
  await pages(scene.context, banningCaller, { ...query, cursor: cursor! }, read)
  const viewer = { viewerFid: 3, banningAppId: 'banning' }
  expect(pageRequests).toMatchObject([
    { ts: null, after: null, count: 8, ...viewer },
    { ts: momentTs, after: { rank: 9.5, hash: hashOf('b') }, count: 8, ...viewer },
  ])
})

test('equal ranks are ordered by hash', () => {
  const seen = { rank: 5, hash: 'bb' }
  const castsAfterCursor = [
    { rank: 4, hash: 'cc' },
    { rank: 5, hash: 'aa' },
  ]
  const before = [
    { rank: 6, hash: 'aa' },
    { rank: 5, hash: 'bb' },
    { rank: 5, hash: 'cc' },
  ]
  expect(castsAfterCursor.map((cast) => isAfterCursor(cast, seen))).toEqual([true, true])
  expect(before.map((cast) => isAfterCursor(cast, seen))).toEqual([false, false, false])
  expect(isAfterCursor(seen, null)).toBe(true)
})
