import { expect, it } from 'vitest'
import type { PublicApi } from './public-api.js'
import { readPublicFollowers } from './public-channels.js'

type Page = readonly [fids: readonly number[], next?: string]

/** Reads the followers of an API that has these pages, by cursor. */
function read(pages: Readonly<Record<string, Page>>) {
  const api = {
    async get(_path: string, { cursor = '' }: Readonly<Record<string, unknown>>) {
      const [fids, next] = pages[String(cursor)]!
      return {
        result: { users: fids.map((fid) => ({ fid, followedAt: fid })) },
        ...(next !== undefined && { next: { cursor: next } }),
      }
    },
    wellFormed: (entries: readonly unknown[]) => entries,
  }
  return readPublicFollowers(api as unknown as PublicApi, 'garden')
}

it('all pages are read, the last of which may be empty', async () => {
  const found = [1, 2].map((fid) => ({ fid, followed_at: fid }))
  expect(await read({ '': [[1], 'a'], a: [[2]] })).toEqual(found)
  expect(await read({ '': [[1], 'a'], a: [[2], 'b'], b: [[]] })).toEqual(found)
  expect(await read({ '': [[1], 'a'], a: [[2], 'a'] })).toEqual(found)
  expect(await read({ '': [[]] })).toEqual([])
})

it('an empty page with a cursor -> no list, rather than a short one', async () => {
  await expect(read({ '': [[1], 'a'], a: [[], 'b'], b: [[2]] })).rejects.toThrow(
    'an empty page before its end',
  )
})

it('a cursor that comes again -> no list, rather than a short one', async () => {
  await expect(read({ '': [[1], 'a'], a: [[2], 'b'], b: [[3], 'a'] })).rejects.toThrow('repeats the cursor a')
})
