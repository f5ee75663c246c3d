import { expect, test } from 'vitest'
import { buildGraph } from './graph.js'
import { defaultSeeds } from './seeds.js'
import { graphOf } from './testing/endorsements.js'
import { plantedNetwork } from './testing/planted-network.js'

test('defaultSeeds: old, well-followed and almost only honest accounts', () => {
  for (const name of ['one', 'two', 'three']) {
    const network = plantedNetwork({ name, honest: 4000, spam: 800, buyers: 0.3, hasSpamSignals: false })
    const graph = buildGraph(network.users, network.edges)
    const seeds = defaultSeeds(graph, network.accounts.registeredAt)
    expect(seeds).toHaveLength(24)
    expect(seeds.filter((seed) => network.isSpam[seed] === 1).length).toBeLessThanOrEqual(1)
    const ages = Array.from(network.accounts.registeredAt).sort((a, b) => a - b)
    for (const seed of seeds) {
      expect(network.accounts.registeredAt[seed]).toBeLessThanOrEqual(ages[ages.length / 4]!)
    }
  }
})

test('defaultSeeds: without mutual follows the most followed, without follows the oldest', () => {
  const age = Float64Array.of(30, 10, 20)
  const oneWay = graphOf(3, [
    { from: 0, to: 2, likes: 0 },
    { from: 1, to: 2, likes: 0 },
  ])
  expect(Array.from(defaultSeeds(oneWay, age))).toEqual([2])
  expect(Array.from(defaultSeeds(graphOf(3, []), age))).toEqual([0, 1, 2])
  expect(Array.from(defaultSeeds(graphOf(0, []), new Float64Array(0)))).toEqual([])
})
