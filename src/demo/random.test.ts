import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { apportion, Random, WeightedIndex } from './random.js'

describe('a random stream', () => {
  it('depends only on its name', () => {
    const draw = (name: string) =>
      Array.from(
        { length: 5 },
        (
          (random) => () =>
            random.below(1e9)
        )(new Random(name)),
      )
    expect(draw('a')).toEqual(draw('a'))
    expect(draw('a')).not.toEqual(draw('b'))
  })

  it('does not change from one version to the next', () => {
    const random = new Random('stable')
    expect([random.below(1000), random.below(1000), random.below(1000)]).toMatchInlineSnapshot(`
      [
        650,
        352,
        779,
      ]
    `)
  })

  it('is uniform', () => {
    const random = new Random('even')
    const counts = new Uint32Array(10)
    for (let draws = 0; draws < 100_000; draws += 1) counts[random.below(10)]! += 1
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(500)
  })
})

it('apportion splits a total exactly and in proportion', () => {
  const weights = fc.array(fc.nat(1000), { minLength: 1 }).filter((list) => list.some((weight) => weight > 0))
  fc.assert(
    fc.property(fc.nat(1_000_000), weights, (total, list) => {
      const parts = apportion(total, Float64Array.from(list))
      expect(parts.reduce((sum, part) => sum + part, 0)).toBe(total)
      const weightOfAll = list.reduce((sum, weight) => sum + weight, 0)
      for (const [index, part] of parts.entries()) {
        expect(Math.abs(part - (total * list[index]!) / weightOfAll)).toBeLessThanOrEqual(1.001)
      }
    }),
  )
})

it('WeightedIndex draws the first `count` indices in proportion to their weights', () => {
  const index = new WeightedIndex(Float64Array.from([1, 0, 3, 1000]))
  const random = new Random('weighted')
  const counts = new Uint32Array(4)
  for (let draws = 0; draws < 40_000; draws += 1) counts[index.draw(random, 3)]! += 1
  expect(counts[1]).toBe(0)
  expect(counts[3]).toBe(0)
  expect(counts[2]! / counts[0]!).toBeGreaterThan(2.8)
  expect(counts[2]! / counts[0]!).toBeLessThan(3.2)
})
