import { expect, test } from 'vitest'
import type { Hydrator } from '../../../graph/cache/hydrator.js'
import { channelCursor, channelPage, nextJson } from './channel-page.js'

const cursors = channelCursor('channels by rank')
const keys = ['a', 'b', 'c'].map((id, index) => ({ id, rank: 9.5 - index }))

test('a page of channels ends with the cursor of its last one, where there are more', () => {
  const nextOf = (limit: number) => JSON.parse(nextJson(keys, limit, cursors)).cursor
  expect(cursors.decode(nextOf(1))).toEqual([9.5, 'a'])
  expect(cursors.decode(nextOf(2))).toEqual([8.5, 'b'])
  expect([nextOf(3), nextOf(4), JSON.parse(nextJson([], 1, cursors)).cursor]).toEqual([null, null, null])
})

test('a page shows the channels that fit, in their order, as its viewer sees them', async () => {
  const requestedIds: unknown[] = []
  const hydrator = {
    async channels(ids: readonly string[], viewerFid?: number) {
      requestedIds.push([ids, viewerFid])
      return new Map(ids.filter((id) => id !== 'b').map((id) => [id, JSON.stringify(id)]))
    },
  } as unknown as Hydrator
  const page = await channelPage(hydrator, keys, 2, cursors, 7)
  expect(JSON.parse(page.channels)).toEqual(['a'])
  expect(page.next).toBe(nextJson(keys, 2, cursors))
  expect(JSON.parse((await channelPage(hydrator, keys, 3, cursors)).channels)).toEqual(['a', 'c'])
  expect(requestedIds).toEqual([
    [['a', 'b'], 7],
    [['a', 'b', 'c'], undefined],
  ])
})
