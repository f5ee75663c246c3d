import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Endorsement, graphOf, type SmallNetwork, smallNetworks } from './testing/endorsements.js'
import { codeWeights, defaultTrustOptions, propagateTrust } from './trust.js'

const exact = { ...defaultTrustOptions, tolerance: 1e-14, maxIterations: 500 }

function flow({ users, endorsements, seeds }: SmallNetwork): Float64Array {
  return propagateTrust(graphOf(users, endorsements), Uint32Array.from(seeds), exact).trust
}

/** The documented equation in dense matrices. */
function plainFlow({ users, endorsements, seeds }: SmallNetwork): number[] {
  const { damping, followWeight, likesWeight, likesHalf } = exact
  const everyone = [...Array(users).keys()]
  const weight = everyone.map((from) =>
    everyone.map((to) => {
      const mine = endorsements.filter((one) => one.from === from && one.to === to && from !== to)
      const likes = Math.min(
        127,
        mine.reduce((sum, one) => sum + Math.min(one.likes, 127), 0),
      )
      const follow = mine.some((one) => one.likes === 0) ? followWeight : 0
      return follow + (likesWeight * likes) / (likes + likesHalf)
    }),
  )
  const start = everyone.map((user) => (seeds.includes(user) ? 1 / seeds.length : 0))
  let trust = start
  for (let round = 0; round < 120; round += 1) {
    trust = everyone.map((to) => {
      const received = everyone.map((from) => {
        const all = weight[from]!.reduce((sum, one) => sum + one, 0)
        return trust[from]! * (all > 0 ? weight[from]![to]! / all : start[to]!)
      })
      return (1 - damping) * start[to]! + damping * received.reduce((sum, one) => sum + one, 0)
    })
  }
  return trust
}

test('propagateTrust: solves its equation', () => {
  fc.assert(
    fc.property(smallNetworks, (network) => {
      const trust = flow(network)
      for (const [user, share] of plainFlow(network).entries()) expect(trust[user]).toBeCloseTo(share, 10)
    }),
    { numRuns: 50 },
  )
})

test('propagateTrust: trust is never negative and never lost', () => {
  fc.assert(
    fc.property(smallNetworks, (network) => {
      const trust = flow(network)
      expect(trust.every((share) => share >= 0)).toBe(true)
      expect(trust.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 10)
    }),
  )
})

test('propagateTrust: another follower never lowers trust', () => {
  const cases = smallNetworks.chain((network) => {
    const user = fc.nat(network.users - 1)
    return fc.tuple(fc.constant(network), fc.record({ from: user, to: user, likes: fc.constant(0) }))
  })
  fc.assert(
    fc.property(cases, ([network, follow]: [SmallNetwork, Endorsement]) => {
      const more = { ...network, endorsements: [...network.endorsements, follow] }
      expect(flow(more)[follow.to]).toBeGreaterThanOrEqual(flow(network)[follow.to]! - 1e-9)
    }),
  )
})

test('propagateTrust: accounts that no seed reaches have none', () => {
  const trust = flow({
    users: 5,
    seeds: [0],
    endorsements: [
      { from: 0, to: 1, likes: 0 },
      { from: 2, to: 3, likes: 0 },
      { from: 3, to: 4, likes: 90 },
      { from: 4, to: 2, likes: 0 },
      { from: 2, to: 0, likes: 0 },
    ],
  })
  expect(Array.from(trust.subarray(2))).toEqual([0, 0, 0])
  expect(trust[1]).toBeGreaterThan(0)
})

test('propagateTrust: likes have diminishing, bounded weight', () => {
  const weights = codeWeights(defaultTrustOptions)
  expect(weights[0]).toBe(0)
  expect(weights[5]).toBe(defaultTrustOptions.likesWeight / 2)
  expect(weights[127]).toBeLessThan(defaultTrustOptions.likesWeight)
  expect(weights[0x80]).toBe(defaultTrustOptions.followWeight)
  expect(weights[0x80 + 5]).toBe(weights[0x80]! + weights[5]!)
})

test('propagateTrust: stops at the tolerance and reports its rounds', () => {
  const graph = graphOf(3, [
    { from: 0, to: 1, likes: 0 },
    { from: 1, to: 2, likes: 0 },
  ])
  const options = { ...defaultTrustOptions, tolerance: 1e-4 }
  const rounds: number[] = []
  const result = propagateTrust(graph, Uint32Array.of(0), options, (round) => rounds.push(round))
  expect(result.residual).toBeLessThanOrEqual(options.tolerance)
  expect(result.iterations).toBeLessThan(options.maxIterations)
  expect(rounds).toEqual(Array.from({ length: result.iterations }, (_, index) => index + 1))
})
