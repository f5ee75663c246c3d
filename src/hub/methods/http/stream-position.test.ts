import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { withBlocks } from '../../log/block-history.js'
import { eventId } from '../../log/hub-event.js'
import { formatPosition, parsePosition, positionAfter, type StreamPosition } from './stream-position.js'

const hashAt = (height: number) => (height * 2_654_435_761).toString(16).padStart(16, 'f').slice(-16)
const refs = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => ({ height: from + index, hash: hashAt(from + index) }))

describe('the id of a stream', () => {
  test('is the event id with hashes behind it: of its block, and of blocks before it', () => {
    const history = withBlocks([], refs(1, 300))
    const position = { shard: 1, lastId: eventId(300, 2), history }
    const id = formatPosition([position])!
    expect(id).toMatch(/^4915202\.[0-9a-f]{8}-8\.[0-9a-f]{8}-\d{3}\.[0-9a-f]{8}$/)
    expect(formatPosition([position, { shard: 2, lastId: 5, history: [] }])).toBe(`1:${id},2:5`)
    expect(formatPosition([{ shard: 1, lastId: -1, history: [] }])).toBeNull()
  })

  test('any position -> the same id and blocks after formatting and parsing', () => {
    const position = fc.record({
      height: fc.integer({ min: 1, max: 5_000 }),
      known: fc.nat(400),
      behind: fc.nat(3),
    })
    fc.assert(
      fc.property(fc.array(position, { minLength: 1, maxLength: 3 }), (each) => {
        const positions = each.map(({ height, known, behind }, index) => ({
          shard: index + 1,
          lastId: eventId(height + behind, 1),
          history: withBlocks([], refs(Math.max(1, height - known), height)),
        }))
        const shards = positions.map(({ shard }) => shard)
        const parsed = parsePosition(formatPosition(positions)!, shards)
        for (const { shard, lastId, history } of positions) {
          const found = parsed.get(shard)!
          expect(found.lastId).toBe(lastId)
          expect(found.history[0]).toEqual({ height: history[0]!.height, hash: history[0]!.hash.slice(0, 8) })
          for (const { height, hash } of found.history) expect(hash).toBe(hashAt(height).slice(0, 8))
        }
        // What is parsed is formatted again when the stream resumes.
        expect(formatPosition([...parsed.values()])).toBe(formatPosition(positions))
      }),
    )
  })

  test('moves with each event, and changes its hashes with each block', () => {
    const start: StreamPosition = { shard: 1, lastId: -1, history: [] }
    const [first, second] = refs(1, 2)
    const ids = [
      positionAfter(start, eventId(1, 0), first!),
      positionAfter(positionAfter(start, eventId(1, 0), first!), eventId(1, 1), first!),
      positionAfter(positionAfter(start, eventId(1, 0), first!), eventId(2, 0), second!),
    ].map((position) => formatPosition([position]))
    const [one, two] = [hashAt(1), hashAt(2)].map((hash) => hash.slice(0, 8))
    expect(ids).toEqual([`16384.${one}`, `16385.${one}`, `32768.${two}`])
  })

  test.each(['81920.9f', '81920.9f1c02ab-0.9f1c02ab', '81920-9.9f1c02ab', '81920.9f1c02ab-8', '5.XXXXXXXX'])(
    '%s -> refused',
    (text) => {
      expect(() => parsePosition(text, [1])).toThrow('Last-Event-ID')
    },
  )
})
