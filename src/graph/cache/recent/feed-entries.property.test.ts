import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CastTable } from './cast-table.js'
import { entryKind, type FeedEntry, FeedEntryList, FeedEntryTable } from './feed-entries.js'
import { Timeline } from './timeline.js'

const hashOf = (n: number) => createHash('sha1').update(String(n)).digest()
const recastOf = (n: number, ts: number, actor: number): FeedEntry => ({
  kind: entryKind.recast,
  ts,
  actor,
  hash: hashOf(n),
  targetFid: 1,
})

/** Newest first, as feeds are. */
function sorted(all: readonly { id: number; entry: FeedEntry }[]) {
  return [...all].sort((a, b) => b.entry.ts - a.entry.ts || Buffer.compare(b.entry.hash, a.entry.hash))
}

test('a timeline has its entries in the order of feeds, whatever is inserted and removed', () => {
  const step = fc.record({
    kind: fc.oneof(
      { weight: 5, arbitrary: fc.constant('insert' as const) },
      { weight: 2, arbitrary: fc.constant('remove' as const) },
      { weight: 1, arbitrary: fc.constant('drop' as const) },
    ),
    n: fc.nat(9),
    ts: fc.nat(30),
    pick: fc.nat(),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120, size: 'max' }), fc.nat(30), (steps, cursorTs) => {
      const entries = new FeedEntryTable(new CastTable())
      const timeline = new Timeline(8)
      let all: { id: number; entry: FeedEntry }[] = []
      for (const [index, { kind, n, ts, pick }] of steps.entries()) {
        if (kind === 'insert') {
          const entry = recastOf(n, ts, index)
          const id = entries.add(entry)
          timeline.insert(entries, id)
          all.push({ id, entry })
        } else if (kind === 'remove' && all.length > 0) {
          const [removed] = all.splice(pick % all.length, 1)
          timeline.remove(entries, removed!.id)
          entries.free(removed!.id)
        } else if (kind === 'drop') {
          const dropped = timeline.removeBefore(entries, ts)
          expect(new Set(dropped)).toEqual(
            new Set(all.filter(({ entry }) => entry.ts < ts).map(({ id }) => id)),
          )
          for (const id of dropped) entries.free(id)
          all = all.filter(({ entry }) => entry.ts >= ts)
        }
      }
      const keysOf = (list: readonly { entry: FeedEntry }[]) =>
        list.map(({ entry }) => `${entry.ts} ${Buffer.from(entry.hash).toString('hex')}`)
      const visited: number[] = []
      timeline.descend(entries, null, (id) => visited.push(id) > 0)
      expect(timeline.length).toBe(all.length)
      expect(visited.map((id) => `${entries.ts(id)} ${entries.table.hex(entries.cast(id))}`)).toEqual(
        keysOf(sorted(all)),
      )
      const cursor = { ts: cursorTs, hash: hashOf(3) }
      const before: number[] = []
      timeline.descend(entries, cursor, (id) => before.push(id) > 0)
      const expected = sorted(all).filter(
        ({ entry }) =>
          entry.ts < cursor.ts || (entry.ts === cursor.ts && Buffer.compare(entry.hash, cursor.hash) < 0),
      )
      expect(before.map((id) => `${entries.ts(id)} ${entries.table.hex(entries.cast(id))}`)).toEqual(
        keysOf(expected),
      )
      const oldestFirst = sorted(all).reverse()
      for (const [count, { entry }] of oldestFirst.entries())
        expect(timeline.timeAt(entries, count)).toBe(entry.ts)
    }),
  )
})

test('a table of entries grows and keeps them', () => {
  const entries = new FeedEntryTable(new CastTable())
  const all = Array.from({ length: 3_000 }, (_, n) => recastOf(n % 700, n, 5_000_000_000 + n))
  const ids = all.map((entry) => entries.add(entry))
  expect(entries.size).toBe(3_000)
  for (const [index, id] of ids.entries()) {
    const { hash, ts, actor } = all[index]!
    expect([entries.kind(id), entries.ts(id), entries.actor(id), entries.targetFid(id)]).toEqual([
      entryKind.recast,
      ts,
      actor,
      1,
    ])
    expect(entries.table.hash(entries.cast(id))).toEqual(hash)
  }
})

test('a list finds the entry of a message among others of the same cast and time', () => {
  const entries = new FeedEntryTable(new CastTable())
  const list = new FeedEntryList()
  const all = [1, 2, 3].flatMap((n) =>
    [10, 20].flatMap((ts) => [7, 8, 9].map((actor) => recastOf(n, ts, actor))),
  )
  const ids = all.map((entry) => entries.add(entry))
  for (const id of ids) list.insert(entries, id)
  const find = (entry: FeedEntry) => list.find(entries, entries.table.find(entry.hash), entry)
  expect(all.map(find)).toEqual(ids)
  const [first] = all as [FeedEntry]
  for (const other of [{ ts: 11 }, { ts: 30 }, { actor: 6 }, { targetFid: 2 }, { kind: entryKind.cast }])
    expect(find({ ...first, ...other })).toBe(-1)
  expect(list.remove(entries, ids[4]!)).toBe(true)
  expect(list.remove(entries, ids[4]!)).toBe(false)
  expect(all.map(find)).toEqual(ids.map((id, index) => (index === 4 ? -1 : id)))
})

test('a list has its entries in order, wherever they are inserted and removed', () => {
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('insert' as const), ts: fc.nat(40) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('append', 'prepend'), ts: fc.nat(12) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('remove', 'removeFirst'), ts: fc.nat(40) }) },
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 150, size: 'max' }), (steps) => {
      const entries = new FeedEntryTable(new CastTable())
      const list = new FeedEntryList()
      let all: number[] = []
      const insert = (ts: number) => {
        const id = entries.add(recastOf(1, ts, 1))
        list.insert(entries, id)
        // Behind those of the same time.
        all.splice(all.filter((other) => entries.ts(other) <= ts).length, 0, id)
      }
      for (const { kind, ts } of steps) {
        if (kind === 'insert') insert(1_000 + ts)
        else if (kind === 'append') for (let n = 0; n < ts; n += 1) insert(2_000 + n)
        else if (kind === 'prepend') for (let n = 0; n < ts; n += 1) insert(500 - n)
        else if (kind === 'removeFirst') {
          const count = Math.min(all.length, ts)
          list.removeFirst(count)
          all = all.slice(count)
        } else if (all.length > 0) {
          const [id] = all.splice(ts % all.length, 1)
          expect(list.remove(entries, id!)).toBe(true)
        }
        expect(Array.from({ length: list.length }, (_, index) => list.at(index))).toEqual(all)
        if (all.length > 0) expect(list.newestTs).toBe(entries.ts(all.at(-1)!))
      }
    }),
  )
})
