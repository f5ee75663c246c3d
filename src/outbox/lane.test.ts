import { expect, it } from 'vitest'
import { Lane } from './lane.js'

it('a lane starts items in order, no more than its concurrency at once', () => {
  const lane = new Lane<number>('target', { concurrency: 2, countsUnsettled: false })
  lane.addPending(3)
  for (const item of [1, 2, 3]) lane.addPrepared(item)
  expect([lane.startNext(), lane.startNext(), lane.startNext()]).toEqual([1, 2, undefined])
  lane.endSending(true)
  expect([lane.startNext(), lane.startNext()]).toEqual([3, undefined])
})

it('a lane claims as many items as it sends at once, and as many for afterwards', () => {
  const lane = new Lane<number>('target', { concurrency: 4, countsUnsettled: false })
  expect(lane.capacity).toBe(8)
  lane.addPending(6)
  expect(lane.capacity).toBe(2)
  lane.addPending(1)
  // One item is not worth a statement.
  expect(lane.capacity).toBe(0)
})

it('items in hand are those to prepare, those that wait and those that are being sent', () => {
  const lane = new Lane<number>('target', { concurrency: 2, countsUnsettled: false })
  lane.addPending(5)
  for (const item of [1, 2, 3, 4]) lane.addPrepared(item)
  lane.startNext()
  expect([lane.occupied, lane.capacity]).toEqual([5, 0])
  lane.endSending(true)
  expect(lane.occupied).toBe(4)
  lane.clear()
  expect([lane.occupied, lane.capacity]).toEqual([0, 4])
})

it('a result that is not settled takes up capacity only where the queue asks for it', () => {
  const capacityAfterSending = (countsUnsettled: boolean) => {
    const lane = new Lane<number>('target', { concurrency: 1, countsUnsettled })
    lane.addPending(1)
    lane.addPrepared(1)
    lane.startNext()
    lane.endSending(true)
    return lane.capacity
  }
  expect(capacityAfterSending(false)).toBe(2)
  expect(capacityAfterSending(true)).toBe(1)
})

it('a lane is forgotten when every result is settled and the database has no more', () => {
  const lane = new Lane<number>('target', { concurrency: 1, countsUnsettled: true })
  lane.addPending(1)
  expect(lane.isFinished).toBe(false)
  lane.endPending()
  expect([lane.isFinished, lane.isForgettable]).toEqual([true, false])
  lane.endUnsettled()
  expect(lane.isForgettable).toBe(true)
  lane.mayHaveMore = true
  expect([lane.isFinished, lane.isForgettable]).toEqual([false, false])
})
