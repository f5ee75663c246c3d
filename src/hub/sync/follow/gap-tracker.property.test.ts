import fc from 'fast-check'
import { expect, it } from 'vitest'
import { eventId } from '../../log/hub-event.js'
import { GapTracker } from './gap-tracker.js'

interface LogEvent {
  readonly id: number
  /** Number of events of the block; null if the event does not say it. */
  readonly total: number | null
}

/** A block with events that are logged, and events without an id, which its total counts and no log has. */
interface BlockSize {
  readonly logged: number
  readonly unlogged: number
}

/** A log of consecutive blocks. */
function logOf(sizes: readonly BlockSize[]): LogEvent[] {
  return sizes.flatMap(({ logged, unlogged }, block) =>
    Array.from({ length: logged }, (_, sequence) => ({
      id: eventId(block + 1, sequence),
      total: sequence === 0 ? logged + unlogged : null,
    })),
  )
}

const blockSize = fc.record({ logged: fc.integer({ min: 1, max: 5 }), unlogged: fc.nat({ max: 2 }) })

/** Fate of an event: lost, delivered once, or twice, each time with a delay. */
const fate = fc.array(fc.nat({ max: 6 }), { maxLength: 2 })

it('lost, late and repeated events -> each event is taken once, none is skipped', () => {
  const sizes = fc.array(blockSize, { minLength: 1, maxLength: 24 })
  const way = sizes.chain((each) => {
    const length = logOf(each).length
    return fc.tuple(fc.constant(each), fc.array(fate, { minLength: length, maxLength: length }))
  })
  fc.assert(
    fc.property(way, fc.integer({ min: 1, max: 4 }), ([each, fates], pageSize) => {
      const log = logOf(each)
      const arriving = log
        .flatMap((event, index) => (fates[index] ?? []).map((late) => ({ event, at: index + late })))
        .sort((a, b) => a.at - b.at)
      const gapTracker = new GapTracker(0)
      const taken: number[] = []
      const take = ({ id, total }: LogEvent) => {
        const isNew = gapTracker.add(id, total)
        if (isNew) taken.push(id)
        return isNew
      }
      const expectAllTaken = () => {
        const end = gapTracker.advance()
        for (const { id } of log.filter(({ id }) => id < end)) expect(taken).toContain(id)
      }
      /** Fetches a part of each range at a time: the end of it may be within a block. */
      const fetchMissing = (endId: number | null = null) => {
        for (const range of gapTracker.missingRanges(endId)) {
          const events = log.filter(({ id }) => id >= range.from && id < range.stop)
          let found = 0
          for (let next = 0; next < events.length; next += pageSize) {
            const page = events.slice(next, next + pageSize)
            found += page.filter(take).length
            gapTracker.resolve(page.at(-1)!.id + 1)
            expectAllTaken()
          }
          gapTracker.resolve(range.stop)
          gapTracker.recordFound(range, found)
        }
      }
      for (const { event } of arriving) {
        take(event)
        fetchMissing()
        expectAllTaken()
      }
      fetchMissing(log.at(-1)!.id)
      expect([...taken].sort((a, b) => a - b)).toEqual(log.map(({ id }) => id))
      expect(gapTracker.advance()).toBe(eventId(each.length + 1, 0))
    }),
  )
})

it('an upstream that leaves out numbers is asked a few times only', () => {
  const gapTracker = new GapTracker(eventId(1, 0))
  let asked = 0
  for (let block = 1; block < 200; block += 2) {
    gapTracker.add(eventId(block, 0), 1)
    for (const range of gapTracker.missingRanges()) {
      asked += 1
      gapTracker.resolve(range.stop)
      gapTracker.recordFound(range, 0)
    }
  }
  expect(asked).toBeLessThan(20)
  expect(gapTracker.isReliable).toBe(false)
})

it('a log of which very many blocks are missing is asked for in one range', () => {
  const gapTracker = new GapTracker(eventId(1, 0))
  const far = 1_000_000_000
  expect(gapTracker.add(eventId(2, 0), 1)).toBe(true)
  expect(gapTracker.add(eventId(far, 0), 1)).toBe(true)
  expect(gapTracker.missingRanges()).toEqual([
    { from: eventId(1, 0), stop: eventId(2, 0) },
    { from: eventId(3, 0), stop: eventId(far, 0) },
  ])
  gapTracker.resolve(eventId(far, 0))
  expect(gapTracker.missingRanges()).toEqual([])
  expect(gapTracker.advance()).toBe(eventId(far + 1, 0))
  expect(gapTracker.add(eventId(far, 0), 1)).toBe(false)
})
