import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildGraph } from './graph.js'
import { computeScores, defaultScoreOptions } from './scores.js'
import { defaultSeeds } from './seeds.js'
import type { AccountFeatures } from './spam-signals.js'
import { graphOf, smallNetworks } from './testing/endorsements.js'
import {
  emptyAccountFeatures,
  NOW_UNIX,
  type PlantedOptions,
  plantedNetwork,
} from './testing/planted-network.js'
import { areaUnderCurve } from './testing/ranking.js'

const exact = {
  ...defaultScoreOptions,
  trust: { ...defaultScoreOptions.trust, tolerance: 1e-13, maxIterations: 300 },
  neighborhoodPenalty: { ...defaultScoreOptions.neighborhoodPenalty, tolerance: 1e-10, maxRounds: 500 },
}

test('computeScores: between 0 and 1 for any network, and deterministic', () => {
  fc.assert(
    fc.property(smallNetworks, ({ users, endorsements, seeds }) => {
      const run = () =>
        computeScores(
          graphOf(users, endorsements),
          emptyAccountFeatures(users),
          Uint32Array.from(seeds),
          NOW_UNIX,
        )
      const { scores } = run()
      expect(scores).toHaveLength(users)
      expect(scores.every((score) => score > 0 && score < 1)).toBe(true)
      expect(run().scores).toEqual(scores)
    }),
  )
})

test('computeScores: an empty network', () => {
  expect(
    computeScores(graphOf(0, []), emptyAccountFeatures(0), new Uint32Array(0), NOW_UNIX).scores,
  ).toHaveLength(0)
})

test('computeScores: account numbers do not matter', () => {
  const network = plantedNetwork({ name: 'labels', honest: 300, spam: 60, buyers: 0.3, hasSpamSignals: true })
  const renamed = Uint32Array.from({ length: network.users }, (_, user) => network.users - 1 - user)
  const pairs = network.edges
    .chunks()
    .flatMap(({ from, to, code, length }) =>
      Array.from({ length }, (_, edge) => ({ from: from[edge]!, to: to[edge]!, likes: code[edge]! & 0x7f })),
    )
  const seeds = Uint32Array.of(1, 20, 300)
  const before = computeScores(graphOf(network.users, pairs), network.accounts, seeds, NOW_UNIX, exact)
  const after = computeScores(
    graphOf(
      network.users,
      pairs.map(({ from, to, likes }) => ({ from: renamed[from]!, to: renamed[to]!, likes })),
    ),
    relabelled(network.accounts),
    seeds.map((seed) => renamed[seed]!),
    NOW_UNIX,
    exact,
  )
  for (const [user, score] of before.scores.entries()) {
    expect(after.scores[renamed[user]!]).toBeCloseTo(score, 9)
  }
})

/** The features in reverse order. */
function relabelled(accounts: AccountFeatures): AccountFeatures {
  const reversed = Object.entries(accounts).map(([fact, values]) => [fact, values.slice().reverse()] as const)
  return { ...accounts, ...Object.fromEntries(reversed) }
}

test('computeScores: a new follow by a trusted account never lowers the score', () => {
  const options = { name: 'monotone', honest: 400, spam: 80, buyers: 0.3, hasSpamSignals: true }
  const seeds = Uint32Array.of(3, 50, 111, 222)
  const scoresWith = (from: number, to: number) => {
    const network = plantedNetwork(options)
    if (from >= 0) network.edges.addFollow(from, to)
    return computeScores(buildGraph(network.users, network.edges), network.accounts, seeds, NOW_UNIX, exact)
      .scores
  }
  const before = scoresWith(-1, -1)
  const trusted = [...before.keys()].filter((user) => before[user]! >= 0.9)
  expect(trusted.length).toBeGreaterThan(20)
  for (let round = 0; round < 40; round += 1) {
    const from = trusted[(round * 7) % trusted.length]!
    const to = (round * 37) % before.length
    expect(scoresWith(from, to)[to]).toBeGreaterThanOrEqual(before[to]! - 1e-6)
  }
})

test('computeScores: unknown accounts change nobody else, in any number', () => {
  const crowd = 100_000
  const network = () =>
    plantedNetwork({ name: 'crowd', honest: 400, spam: 80, buyers: 0.3, hasSpamSignals: false })
  const small = network()
  const seeds = Uint32Array.of(3, 50, 111, 222)
  const before = computeScores(buildGraph(small.users, small.edges), small.accounts, seeds, NOW_UNIX)
  const large = network()
  for (let extra = 0; extra < crowd; extra += 1) {
    large.edges.addFollow(large.users + extra, large.users + ((extra + 1) % crowd))
    large.edges.addFollow(large.users + extra, extra % large.users)
  }
  const accounts = emptyAccountFeatures(large.users + crowd)
  for (const [fact, values] of Object.entries(large.accounts))
    accounts[fact as keyof AccountFeatures].set(values)
  const graph = buildGraph(large.users + crowd, large.edges)
  const after = computeScores(graph, accounts, seeds, NOW_UNIX)
  // Each one is followed by 200 further unknown accounts.
  expect(after.flow.trust.subarray(0, large.users)).toEqual(before.flow.trust)
  for (let user = 0; user < large.users; user += 1) {
    expect(after.scores[user]).toBeGreaterThanOrEqual(before.scores[user]! - 1e-6)
  }
  expect(Math.max(...after.scores.subarray(large.users))).toBeLessThan(0.1)
})

function separation(options: PlantedOptions): number {
  const network = plantedNetwork(options)
  const graph = buildGraph(network.users, network.edges)
  const seeds = defaultSeeds(graph, network.accounts.registeredAt)
  return areaUnderCurve(computeScores(graph, network.accounts, seeds, NOW_UNIX).scores, network.isSpam)
}

test.each(['one', 'two', 'three', 'four'])(
  'planted rings score below honest accounts: network %s',
  (name) => {
    const size = { name, honest: 4000, spam: 800 }
    expect(separation({ ...size, buyers: 0.3, hasSpamSignals: true })).toBeGreaterThan(0.98)
    // By the graph alone, and with every ring member buying links.
    expect(separation({ ...size, buyers: 0.3, hasSpamSignals: false })).toBeGreaterThan(0.97)
    expect(separation({ ...size, buyers: 1, hasSpamSignals: false })).toBeGreaterThan(0.95)
    // And with rings that have no mutual follows.
    expect(separation({ ...size, buyers: 0.3, hasSpamSignals: true, isOneWay: true })).toBeGreaterThan(0.95)
  },
)
