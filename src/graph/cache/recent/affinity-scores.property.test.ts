import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AffinityScores } from './affinity-scores.js'

const anySignal = fc.record({
  cast: fc.nat(12),
  fid: fc.constantFrom(1, 2, 2 ** 32 + 1, 2 ** 53 - 1),
  weight: fc.constantFrom(1, 2, 4),
  time: fc.constantFrom(1, 2, 100, 259_200),
})

test('the highest scores are those of the most activity, the latest among equals, then by their order', () => {
  const scores = new AffinityScores()
  fc.assert(
    fc.property(fc.array(anySignal, { maxLength: 60 }), fc.integer({ min: 1, max: 20 }), (signals, count) => {
      scores.clear()
      const sums = new Map<string, { cast: number; fid: number; affinity: number; latest: number }>()
      for (const { cast, fid, weight, time } of signals) {
        scores.add(cast, fid >>> 0, Math.floor(fid / 2 ** 32), weight, time)
        const known = sums.get(`${cast} ${fid}`) ?? { cast, fid, affinity: 0, latest: 0 }
        const latest = Math.max(known.latest, time)
        sums.set(`${cast} ${fid}`, { ...known, affinity: known.affinity + weight, latest })
      }
      const best = [...sums.values()]
        .sort((a, b) => b.affinity - a.affinity || b.latest - a.latest || b.cast - a.cast || b.fid - a.fid)
        .slice(0, count)
        .map(({ cast, fid, affinity }) => `${cast} ${fid} ${affinity}`)
      const found = scores
        .most(count, (cast, fid, otherCast, otherFid) => cast - otherCast || fid - otherFid)
        .map((at) => `${scores.castAt(at)} ${scores.fidAt(at)} ${scores.affinityAt(at)}`)
      expect(found.sort()).toEqual(best.sort())
    }),
  )
})

test('as many signals as a page may have find their place, also those of one cast', () => {
  const scores = new AffinityScores()
  for (let fid = 1; fid <= 7_500; fid += 1) scores.add(7, fid, 0, 1, 1)
  expect(scores.most(10_000, () => 0)).toHaveLength(7_500)
})
