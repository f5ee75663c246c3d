import fc from 'fast-check'
import { expect, test } from 'vitest'
import { blockOf, eventId } from '../../hub/log/hub-event.js'
import { HubEventType } from '../../protocol/definitions.js'
import { LocalCommits, startAtNextBlock } from './local-commits.js'

const stop = Number.MAX_SAFE_INTEGER
const rangeFrom = (block: number, shard = 1) => ({ shard, from: eventId(block, 0), stop })

test('skip: local blocks are skipped, other blocks are not', () => {
  const localCommits = new LocalCommits()
  expect(localCommits.skip([rangeFrom(1)])).toEqual([rangeFrom(1)])
  localCommits.record([
    { shard: 1, id: eventId(1, 0) },
    { shard: 1, id: eventId(1, 1) },
    { shard: 2, id: eventId(7, 0) },
  ])
  localCommits.record([{ shard: 1, id: eventId(2, 0) }])
  expect(localCommits.skip([rangeFrom(1), rangeFrom(6, 2)])).toEqual([rangeFrom(3), rangeFrom(6, 2)])
  expect(localCommits.skip([rangeFrom(2), rangeFrom(7, 2)])).toEqual([rangeFrom(3), rangeFrom(8, 2)])
  // Another process merged the third block.
  localCommits.record([{ shard: 1, id: eventId(4, 0) }])
  expect(localCommits.skip([rangeFrom(3)])).toEqual([rangeFrom(3)])
  expect(localCommits.skip([rangeFrom(4)])).toEqual([rangeFrom(5)])
  // Beyond the local blocks nothing changes.
  const beyond = [rangeFrom(5), rangeFrom(9, 2)]
  expect(localCommits.skip(beyond)).toBe(beyond)
})

test('skip: every block is either read or local, in any order', () => {
  const readNext = 'look' as const
  const steps = fc.array(fc.constantFrom('own', 'other', readNext), { maxLength: 60, size: 'max' })
  fc.assert(
    fc.property(steps, (all) => {
      const localCommits = new LocalCommits()
      const mergedLocally = new Set<number>()
      const read = new Set<number>()
      let height = 0
      let range = rangeFrom(1)
      for (const step of [...all, readNext]) {
        if (step === readNext) {
          ;[range] = localCommits.skip([range]) as [typeof range]
          for (let block = blockOf(range.from); block <= height; block += 1) read.add(block)
          if (blockOf(range.from) <= height) range = startAtNextBlock({ ...range, from: eventId(height, 1) })
        } else {
          height += 1
          if (step === 'own') {
            mergedLocally.add(height)
            localCommits.record([{ shard: 1, id: eventId(height, 0) }])
          }
        }
      }
      const blocks = Array.from({ length: height }, (_, index) => index + 1)
      expect(blocks.filter((block) => !read.has(block) && !mergedLocally.has(block))).toEqual([])
      if (mergedLocally.size === height) expect(read.size).toBe(0)
    }),
  )
})

const committed = (height: number, hash: string, parent: string) => ({
  shard: 1,
  id: eventId(height, 0),
  body: {
    type: HubEventType.BLOCK_CONFIRMED as const,
    blockNumber: height,
    shardIndex: 1,
    timestamp: 0,
    blockHash: Buffer.from(hash.padEnd(8)),
    totalEvents: 1,
    eventCountsByType: {},
  },
  parentHash: Buffer.from(parent.padEnd(8)),
})
const hashOf = (hash: string) => Buffer.from(hash.padEnd(8)).subarray(0, 8).toString('hex')

test('skip: local blocks of another branch than what was read are not skipped', () => {
  const localCommits = new LocalCommits()
  localCommits.record([committed(5, 'five', 'four')])
  const read = (hash: string) => ({ ...rangeFrom(5), history: [{ height: 4, hash: hashOf(hash) }] })
  expect(localCommits.skip([read('other')])).toEqual([read('other')])
  const skipped = { ...rangeFrom(6), history: [{ height: 5, hash: hashOf('five') }] }
  expect(localCommits.skip([read('four')])).toEqual([skipped])
  // The log went back to block 4, and this process merged on.
  localCommits.record([committed(5, 'another five', 'four'), committed(6, 'six', 'another five')])
  expect(localCommits.skip([skipped])).toEqual([skipped])
  localCommits.clear()
  expect(localCommits.skip([read('four')])).toEqual([read('four')])
})
