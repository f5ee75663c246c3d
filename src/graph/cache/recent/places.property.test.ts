import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CastTable } from './cast-table.js'
import { type Place, Places, placeKind, Timeline } from './places.js'

const hashOf = (n: number) => createHash('sha1').update(String(n)).digest()
const placeOf = (n: number, ts: number, actor: number): Place => ({
  kind: placeKind.recast,
  ts,
  actor,
  hash: hashOf(n),
  targetFid: 1,
})

/** Newest first, as feeds are. */
function sorted(all: readonly { id: number; place: Place }[]) {
  return [...all].sort((a, b) => b.place.ts - a.place.ts || Buffer.compare(b.place.hash, a.place.hash))
}

test('a timeline has its places in the order of feeds, whatever is inserted and removed', () => {
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
    fc.property(fc.array(step, { maxLength: 120 }), fc.nat(30), (steps, cursorTs) => {
      const places = new Places(new CastTable())
      const timeline = new Timeline(8)
      let all: { id: number; place: Place }[] = []
      for (const [index, { kind, n, ts, pick }] of steps.entries()) {
        if (kind === 'insert') {
          const place = placeOf(n, ts, index)
          const id = places.add(place)
          timeline.insert(places, id)
          all.push({ id, place })
        } else if (kind === 'remove' && all.length > 0) {
          const [removed] = all.splice(pick % all.length, 1)
          timeline.remove(places, removed!.id)
          places.free(removed!.id)
        } else if (kind === 'drop') {
          const dropped = timeline.removeBefore(places, ts % 10)
          expect(new Set(dropped)).toEqual(
            new Set(all.filter(({ place }) => place.ts < ts % 10).map(({ id }) => id)),
          )
          for (const id of dropped) places.free(id)
          all = all.filter(({ place }) => place.ts >= ts % 10)
        }
      }
      const keysOf = (list: readonly { place: Place }[]) =>
        list.map(({ place }) => `${place.ts} ${Buffer.from(place.hash).toString('hex')}`)
      const visited: number[] = []
      timeline.descend(places, null, (id) => visited.push(id) > 0)
      expect(timeline.length).toBe(all.length)
      expect(visited.map((id) => `${places.ts(id)} ${places.table.hex(places.cast(id))}`)).toEqual(
        keysOf(sorted(all)),
      )
      const cursor = { ts: cursorTs, hash: hashOf(3) }
      const before: number[] = []
      timeline.descend(places, cursor, (id) => before.push(id) > 0)
      const expected = sorted(all).filter(
        ({ place }) =>
          place.ts < cursor.ts || (place.ts === cursor.ts && Buffer.compare(place.hash, cursor.hash) < 0),
      )
      expect(before.map((id) => `${places.ts(id)} ${places.table.hex(places.cast(id))}`)).toEqual(
        keysOf(expected),
      )
      const oldestFirst = sorted(all).reverse()
      for (const [count, { place }] of oldestFirst.entries())
        expect(timeline.timeAt(places, count)).toBe(place.ts)
    }),
  )
})
