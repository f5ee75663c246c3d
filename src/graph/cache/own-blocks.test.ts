import fc from 'fast-check'
import { expect, test } from 'vitest'
import { blockOf, eventId } from '../../hub/log/hub-event.js'
import { fromNextBlock, OwnBlocks } from './own-blocks.js'

const stop = Number.MAX_SAFE_INTEGER
const at = (block: number, shard = 1) => ({ shard, from: eventId(block, 0), stop })

test('a reader passes over what was merged here, and reads what was merged elsewhere', () => {
  const own = new OwnBlocks()
  expect(own.passOver([at(1)])).toEqual([at(1)])
  own.note([
    { shard: 1, id: eventId(1, 0) },
    { shard: 1, id: eventId(1, 1) },
    { shard: 2, id: eventId(7, 0) },
  ])
  own.note([{ shard: 1, id: eventId(2, 0) }])
  expect(own.passOver([at(1), at(6, 2)])).toEqual([at(3), at(6, 2)])
  expect(own.passOver([at(2), at(7, 2)])).toEqual([at(3), at(8, 2)])
  // Another process has merged the third.
  own.note([{ shard: 1, id: eventId(4, 0) }])
  expect(own.passOver([at(3)])).toEqual([at(3)])
  expect(own.passOver([at(4)])).toEqual([at(5)])
})

test('whoever merges what, in whatever order a reader looks: every block is read or was merged here', () => {
  const look = 'look' as const
  const steps = fc.array(fc.constantFrom('own', 'other', look), { maxLength: 60 })
  fc.assert(
    fc.property(steps, (all) => {
      const own = new OwnBlocks()
      const mergedHere = new Set<number>()
      const read = new Set<number>()
      let height = 0
      let range = at(1)
      for (const step of [...all, look]) {
        if (step === look) {
          ;[range] = own.passOver([range]) as [typeof range]
          for (let block = blockOf(range.from); block <= height; block += 1) read.add(block)
          if (blockOf(range.from) <= height) range = fromNextBlock({ ...range, from: eventId(height, 1) })
        } else {
          height += 1
          if (step === 'own') {
            mergedHere.add(height)
            own.note([{ shard: 1, id: eventId(height, 0) }])
          }
        }
      }
      const blocks = Array.from({ length: height }, (_, index) => index + 1)
      expect(blocks.filter((block) => !read.has(block) && !mergedHere.has(block))).toEqual([])
      if (mergedHere.size === height) expect(read.size).toBe(0)
    }),
  )
})
