import fc from 'fast-check'
import { buildGraph, EdgeList, type TrustGraph } from '../graph.js'

/** One row of the loader: a follow, or a number of likes. */
export interface Endorsement {
  readonly from: number
  readonly to: number
  readonly likes: number
}

export interface SmallNetwork {
  readonly users: number
  readonly endorsements: readonly Endorsement[]
  readonly seeds: readonly number[]
}

/** Random networks of up to 30 accounts, with repeated endorsements, loops and idle accounts. */
export const smallNetworks: fc.Arbitrary<SmallNetwork> = fc.integer({ min: 1, max: 30 }).chain((users) => {
  const user = fc.nat(users - 1)
  const endorsement = fc.record({
    from: user,
    to: user,
    likes: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 200 })),
  })
  return fc.record({
    users: fc.constant(users),
    endorsements: fc.array(endorsement, { maxLength: 120 }),
    seeds: fc.uniqueArray(user, { minLength: 1, maxLength: 5 }),
  })
})

/** Builds the trust graph of endorsements; one without likes is a follow. */
export function graphOf(users: number, endorsements: readonly Endorsement[]): TrustGraph {
  const edges = new EdgeList()
  for (const { from, to, likes } of endorsements) {
    if (likes === 0) edges.addFollow(from, to)
    else edges.addLikes(from, to, likes)
  }
  return buildGraph(users, edges)
}
