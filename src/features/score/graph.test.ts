import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildGraph, EdgeList, FOLLOW, follows, MAX_LIKES, type TrustGraph } from './graph.js'
import { graphOf, smallNetworks } from './testing/endorsements.js'

function edgesOf(graph: TrustGraph): [from: number, to: number, code: number][] {
  return Array.from({ length: graph.users }, (_, to) =>
    Array.from(graph.source.subarray(graph.start[to]!, graph.start[to + 1]!), (from, place) => {
      return [from, to, graph.code[graph.start[to]! + place]!] as [number, number, number]
    }),
  ).flat()
}

test('buildGraph: one edge per pair, follows and likes merged, no loops', () => {
  fc.assert(
    fc.property(smallNetworks, ({ users, endorsements }) => {
      const pairs = new Map<string, { follows: boolean; likes: number }>()
      for (const { from, to, likes } of endorsements) {
        if (from === to) continue
        const pair = pairs.get(`${from} ${to}`) ?? { follows: false, likes: 0 }
        if (likes === 0) pair.follows = true
        else pair.likes = Math.min(MAX_LIKES, pair.likes + likes)
        pairs.set(`${from} ${to}`, pair)
      }
      const graph = graphOf(users, endorsements)
      const found = edgesOf(graph).map(([from, to, code]) => [`${from} ${to}`, code] as const)
      expect(new Map(found)).toEqual(
        new Map([...pairs].map(([key, pair]) => [key, (pair.follows ? FOLLOW : 0) + pair.likes])),
      )
      expect(found).toHaveLength(pairs.size)
      for (let from = 0; from < users; from += 1) {
        const targets = [...pairs].filter(([key, pair]) => pair.follows && key.startsWith(`${from} `))
        expect(graph.following[from]).toBe(targets.length)
        for (let to = 0; to < users; to += 1) {
          expect(follows(graph, from, to)).toBe(pairs.get(`${from} ${to}`)?.follows ?? false)
        }
      }
      expect(graph.followers.reduce((sum, count) => sum + count, 0)).toBe(
        graph.following.reduce((sum, count) => sum + count, 0),
      )
    }),
  )
})

test('buildGraph: the order of endorsements does not change a bit', () => {
  const shuffled = smallNetworks.chain((network) =>
    fc.tuple(
      fc.constant(network),
      fc.shuffledSubarray([...network.endorsements], { minLength: network.endorsements.length }),
    ),
  )
  fc.assert(
    fc.property(shuffled, ([{ users, endorsements }, other]) => {
      expect(graphOf(users, other)).toEqual(graphOf(users, endorsements))
    }),
  )
})

test('buildGraph: keeps every edge of lists longer than a chunk', () => {
  const users = 1_500
  const edges = new EdgeList()
  for (let from = 0; from < users; from += 1) {
    for (let to = 0; to < users; to += 1) edges.addFollow(from, to)
  }
  expect(edges.length).toBe(users * (users - 1))
  const graph = buildGraph(users, edges)
  expect(graph.edges).toBe(users * (users - 1))
  expect(edges.length).toBe(0)
  expect(new Set(graph.followers)).toEqual(new Set([users - 1]))
})
