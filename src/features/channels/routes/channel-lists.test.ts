import { expect, test } from 'vitest'
import type { Hydrator } from '../../../graph/cache/hydrator.js'
import { Json } from '../../../graph/view/json.js'
import { channelCursor, channelPage } from './channel-lists.js'

const cursors = channelCursor('channels by rank')
const keys = ['a', 'b', 'c'].map((id, index) => ({ id, rank: 9 - index }))

test('channelPage: the channels that fit -> in their order, as the viewer sees them, and the cursor of the last one', async () => {
  const requestedIds: unknown[] = []
  const hydrator = {
    async channels(ids: readonly string[], viewerFid?: number) {
      requestedIds.push([ids, viewerFid])
      return new Map(ids.filter((id) => id !== 'b').map((id) => [id, Json.of(id)]))
    },
  } as unknown as Hydrator
  const page = (await channelPage(hydrator, keys, 2, cursors, 7)).parse<{
    channels: string[]
    next: { cursor: string }
  }>()
  expect([page.channels, cursors.decode(page.next.cursor)]).toEqual([['a'], [8, 'b']])
  const last = (await channelPage(hydrator, keys, 3, cursors)).parse()
  expect(last).toEqual({ channels: ['a', 'c'], next: { cursor: null } })
  expect(requestedIds).toEqual([
    [['a', 'b'], 7],
    [['a', 'b', 'c'], undefined],
  ])
})
