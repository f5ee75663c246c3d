import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CastTable } from './cast-table.js'

const hashOf = (n: number) => createHash('sha1').update(String(n)).digest()

test('a cast has one number for as long as somebody holds it', () => {
  const step = fc.record({ isHold: fc.boolean(), n: fc.nat(60) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400, size: 'max' }), (steps) => {
      const table = new CastTable()
      const holders = new Map<number, { id: number; count: number }>()
      for (const { isHold, n } of steps) {
        const held = holders.get(n)
        if (isHold) {
          const id = table.hold(hashOf(n))
          if (held) expect(id).toBe(held.id)
          holders.set(n, { id, count: (held?.count ?? 0) + 1 })
        } else if (held) {
          table.release(held.id)
          if (held.count === 1) holders.delete(n)
          else holders.set(n, { ...held, count: held.count - 1 })
        }
      }
      expect(table.size).toBe(holders.size)
      expect(new Set([...holders.values()].map(({ id }) => id)).size).toBe(holders.size)
      for (let n = 0; n <= 60; n += 1) expect(table.find(hashOf(n))).toBe(holders.get(n)?.id ?? -1)
      for (const [n, { id }] of holders) expect(table.hex(id)).toBe(hashOf(n).toString('hex'))
    }),
  )
})

test('a table grows and keeps its casts, and is empty after a clear', () => {
  const table = new CastTable()
  const ids = Array.from({ length: 5_000 }, (_, n) => table.hold(hashOf(n)))
  for (const [n, id] of ids.entries()) expect(table.find(hashOf(n))).toBe(id)
  expect(Math.sign(table.compare(ids[1]!, ids[2]!))).toBe(Math.sign(Buffer.compare(hashOf(1), hashOf(2))))
  expect(Math.sign(table.compareTo(ids[1]!, hashOf(2)))).toBe(Math.sign(Buffer.compare(hashOf(1), hashOf(2))))
  table.clear()
  expect(table.find(hashOf(1))).toBe(-1)
  expect(table.hold(hashOf(2))).toBeGreaterThanOrEqual(0)
})

test('a full table finds what is left when the casts between are released', () => {
  const table = new CastTable()
  const ids = Array.from({ length: 1_000 }, (_, n) => table.hold(hashOf(n)))
  const isReleased = (n: number) => n % 3 !== 0
  for (const [n, id] of ids.entries()) if (isReleased(n)) table.release(id)
  for (const [n, id] of ids.entries()) expect(table.find(hashOf(n))).toBe(isReleased(n) ? -1 : id)
  const again = Array.from({ length: 600 }, (_, n) => table.hold(hashOf(2_000 + n)))
  expect(table.capacity).toBe(1_024)
  for (const [n, id] of again.entries()) expect(table.hash(id)).toEqual(hashOf(2_000 + n))
})

test('a hash of another length is no cast', () => {
  const table = new CastTable()
  table.hold(hashOf(1))
  expect(table.find(hashOf(1).subarray(0, 4))).toBe(-1)
  expect(table.find(Buffer.concat([hashOf(1), Buffer.alloc(4)]))).toBe(-1)
})
