import fc from 'fast-check'
import { expect, test } from 'vitest'
import { eventId, type HubEventBody } from '../../hub/log/hub-event.js'
import { HubEventType } from '../../protocol/definitions.js'
import { BlockSequence, type CommittedBlock, type SequencedBody } from './block-sequence.js'

/** An event that names its block and position. */
const event = (shard: number, height: number, sequence: number): SequencedBody => ({
  shard,
  id: eventId(height, sequence),
  body: { name: `${shard}/${height}/${sequence}` } as unknown as HubEventBody,
})

/** Blocks of two shards: how many events each has. */
const sizes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 12 })

const nameOf = ({ body }: SequencedBody) => (body as unknown as { name: string }).name

function recorder(sequence: BlockSequence) {
  const blocks: CommittedBlock[] = []
  let resets = 0
  sequence.add({
    applyBlock: (block) => {
      blocks.push(block)
    },
    reset: () => {
      resets += 1
    },
  })
  return { blocks, resets: () => resets }
}

test('own commits and pages of the log in any interleaving -> each block once, whole and in order', () => {
  fc.assert(
    fc.property(
      fc.tuple(sizes, sizes),
      fc.array(fc.boolean(), { minLength: 24, maxLength: 24 }),
      fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 40, size: 'max' }),
      fc.nat(12),
      fc.array(fc.boolean(), { minLength: 60, maxLength: 60 }),
      (shards, isOwn, pageSizes, start, order) => {
        const log = shards
          .flatMap((heights, shard) =>
            heights.flatMap((size, height) =>
              Array.from({ length: size }, (_, n) => event(shard + 1, height + 1, n)),
            ),
          )
          .sort((a, b) => a.id - b.id || a.shard - b.shard)
        const startsAt = new Map(shards.map(({ length }, index) => [index + 1, Math.min(start, length)]))
        const isAfterStart = ({ shard, id }: SequencedBody) => id >= eventId(startsAt.get(shard)! + 1, 0)
        const sequence = new BlockSequence()
        const { blocks } = recorder(sequence)
        sequence.start(startsAt)

        const ownBlocks = shards.flatMap((heights, shard) =>
          heights.flatMap((_, height) =>
            isOwn[shard * 12 + height] ? [[shard + 1, height + 1] as const] : [],
          ),
        )
        let unread = log.filter(isAfterStart)
        const commitNext = () => {
          const own = ownBlocks.shift()
          if (!own) return
          sequence.commit(
            log.filter(({ shard, id }) => shard === own[0] && Math.floor(id / eventId(1, 0)) === own[1]),
          )
        }
        const readNext = () => {
          const page = unread.slice(0, pageSizes.shift() ?? 3)
          unread = unread.slice(page.length)
          sequence.read(page, unread.length === 0)
        }
        for (const commits of order) {
          if (commits) commitNext()
          else readNext()
        }
        while (ownBlocks.length > 0) commitNext()
        do readNext()
        while (unread.length > 0)

        for (const shard of [1, 2]) {
          const applied = blocks.filter((block) => block.shard === shard)
          expect(applied.map(({ height }) => height)).toEqual(
            shards[shard - 1]!.map((_, index) => index + 1).filter((height) => height > startsAt.get(shard)!),
          )
          expect(
            applied.flatMap(({ bodies }) => bodies.map((body) => nameOf({ body, shard, id: 0 }))),
          ).toEqual(log.filter((each) => each.shard === shard && isAfterStart(each)).map(nameOf))
        }
        expect(sequence.isCurrent()).toBe(true)
        expect(sequence.hasReached(new Map(shards.map(({ length }, index) => [index + 1, length])))).toBe(
          true,
        )
      },
    ),
    { numRuns: 300 },
  )
})

test('an own block before one of another process -> waits for the log and is not current', () => {
  const sequence = new BlockSequence()
  const { blocks } = recorder(sequence)
  sequence.start(new Map([[1, 4]]))
  sequence.commit([event(1, 6, 0)])
  expect([blocks.length, sequence.isCurrent()]).toEqual([0, false])
  sequence.read([event(1, 5, 0), event(1, 5, 1)], false)
  expect(blocks.length).toBe(0)
  sequence.read([event(1, 5, 2), event(1, 6, 0)], true)
  expect(blocks.map(({ height, bodies }) => [height, bodies.length])).toEqual([
    [5, 3],
    [6, 1],
  ])
  expect(sequence.isCurrent()).toBe(true)
})

test('a load gets the blocks that its snapshot lacks; null if the snapshot is older or the position was lost', () => {
  const sequence = new BlockSequence()
  const { resets } = recorder(sequence)
  expect(sequence.load().blocksAfter(new Map([[1, 9]]))).toBeNull()
  sequence.start(new Map([[1, 4]]))
  const load = sequence.load()
  sequence.commit([event(1, 5, 0)])
  sequence.commit([event(1, 6, 0)])
  const heights = (snapshot: number) =>
    load.blocksAfter(new Map([[1, snapshot]]))?.map(({ height }) => height)
  expect([4, 5, 6, 9].map(heights)).toEqual([[5, 6], [6], [], []])
  expect(heights(3)).toBeUndefined()
  const before = resets()
  sequence.resetStates()
  expect([resets() - before, heights(6)]).toEqual([1, undefined])
})

test('before a reader of the log prepares, blocks are not kept; after it they are', () => {
  const sequence = new BlockSequence()
  const { blocks } = recorder(sequence)
  sequence.commit([event(1, 5, 0)])
  sequence.start(new Map([[1, 4]]))
  expect(blocks).toEqual([])
  sequence.lose()
  expect(sequence.isLost()).toBe(true)
  sequence.prepare()
  sequence.commit([event(1, 6, 0)])
  sequence.commit([event(1, 7, 0)])
  sequence.start(new Map([[1, 6]]))
  expect(blocks.map(({ height }) => height)).toEqual([7])
})

/** A block that this process committed, with its hash and that of the block before. */
const committed = (height: number, hash: string, parent: string): SequencedBody => ({
  shard: 1,
  id: eventId(height, 0),
  body: {
    type: HubEventType.BLOCK_CONFIRMED,
    blockNumber: height,
    shardIndex: 1,
    timestamp: 0,
    blockHash: Buffer.from(hash.padEnd(8)),
    totalEvents: 1,
    eventCountsByType: {},
  },
  parentHash: Buffer.from(parent.padEnd(8)),
})

test('a commit that does not continue what was applied -> the position is lost', () => {
  const started = () => {
    const sequence = new BlockSequence()
    sequence.start(new Map([[1, 4]]))
    expect(sequence.commit([committed(5, 'five', 'four')])).toBe(true)
    sequence.read([committed(6, 'six', 'five')], true)
    return sequence
  }
  for (const other of [committed(6, 'six of another branch', 'five'), committed(7, 'seven', 'another six')]) {
    const sequence = started()
    expect([sequence.commit([other]), sequence.isLost()]).toEqual([false, true])
  }
  const sequence = started()
  expect([sequence.commit([committed(6, 'six', 'five')]), sequence.isLost()]).toEqual([true, false])
  expect([sequence.commit([committed(7, 'seven', 'six')]), sequence.isLost()]).toEqual([true, false])
})
