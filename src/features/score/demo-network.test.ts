import { expect, test } from 'vitest'
import { demoOptions } from '../../demo/options.js'
import { Random, WeightedIndex } from '../../demo/random.js'
import { generateDemo } from '../../demo/simulation.js'
import { MessageType, UserDataType } from '../../protocol/definitions.js'
import { buildGraph, EdgeList } from './graph.js'
import { computeScores } from './scores.js'
import { defaultSeeds } from './seeds.js'
import { emptyAccountFeatures, plantRings } from './testing/planted-network.js'
import { areaUnderCurve } from './testing/ranking.js'

const END_UNIX = 1_793_491_200
const HONEST = 500
const SPAM = 100
const PROFILE = [UserDataType.USERNAME, UserDataType.DISPLAY, UserDataType.PFP, UserDataType.BIO]

/**
 * Reads follows, likes and profiles of a demo network; its accounts come first, followed by as many free
 * numbers.
 */
async function readDemo(seed: string) {
  const options = { users: HONEST, casts: 500, reactions: 6_000, follows: 15_000, seed, end: END_UNIX }
  const edges = new EdgeList()
  const accounts = emptyAccountFeatures(HONEST + SPAM)
  accounts.registeredAt.fill(END_UNIX - 10 * 86_400)
  const users = new Map<number, number>()
  const userOf = (fid: number) => {
    const user = users.get(fid) ?? users.size
    users.set(fid, user)
    return user
  }
  const fame = new Float64Array(HONEST).fill(1)
  for await (const item of generateDemo(demoOptions(options))) {
    if (item.kind === 'chainEvent' && item.event.idRegisterEventBody) {
      accounts.registeredAt[userOf(item.event.fid)] = item.event.blockTimestamp
    }
    if (item.kind !== 'message') continue
    const { data } = item.message
    const user = userOf(data.fid)
    if (data.type === MessageType.LINK_ADD) {
      const target = userOf(data.linkBody!.targetFid!)
      fame[target]! += 1
      edges.addFollow(user, target)
    } else if (data.type === MessageType.REACTION_ADD && data.reactionBody!.targetCastId) {
      edges.addLikes(user, userOf(data.reactionBody!.targetCastId.fid), 1)
    } else if (data.type === MessageType.USER_DATA_ADD && PROFILE.includes(data.userDataBody!.type)) {
      accounts.profileParts[user] = Math.min(PROFILE.length, accounts.profileParts[user]! + 1)
    }
  }
  expect(users.size).toBe(HONEST)
  return { edges, accounts, fame }
}

test('computeScores: rings planted in a demo network score below its users', async () => {
  const { edges, accounts, fame } = await readDemo('rings')
  const random = new Random('rings in a demo network')
  const spam = Uint32Array.from({ length: SPAM }, (_, place) => HONEST + place)
  const crowd = {
    members: Uint32Array.from({ length: HONEST }, (_, user) => user),
    popularityIndex: new WeightedIndex(fame),
  }
  plantRings(edges, spam, crowd, { buyers: 0.3 }, random)
  // Spam has profiles and ages like other accounts.
  for (const user of spam) {
    accounts.profileParts[user] = PROFILE.length
    accounts.registeredAt[user] = accounts.registeredAt[random.below(HONEST)]!
  }
  const isSpam = new Uint8Array(HONEST + SPAM).fill(1, HONEST)
  const graph = buildGraph(HONEST + SPAM, edges)
  const seeds = defaultSeeds(graph, accounts.registeredAt)
  const { scores } = computeScores(graph, accounts, seeds, END_UNIX)
  expect(areaUnderCurve(scores, isSpam)).toBeGreaterThan(0.95)
})
