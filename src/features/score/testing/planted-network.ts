import { Random, WeightedIndex } from '../../../demo/random.js'
import { EdgeList } from '../graph.js'
import type { AccountFeatures } from '../spam-signals.js'

export interface PlantedOptions {
  /** Seed of the random network. */
  readonly name: string
  readonly honest: number
  /** Spam accounts, in rings of 20 to 150. */
  readonly spam: number
  /** Share of ring members that bought one to three links from honest accounts. */
  readonly buyers: number
  /** False when spam and honest accounts have the same features, so that only the graph separates them. */
  readonly hasSpamSignals: boolean
  /** Whether ring members follow only higher numbers, so that no tie in a ring is mutual. */
  readonly isOneWay?: boolean
}

export interface PlantedNetwork {
  readonly users: number
  readonly edges: EdgeList
  readonly accounts: AccountFeatures
  /** 1 for spam. Spam and honest accounts are mixed by number and age. */
  readonly isSpam: Uint8Array
}

export const NOW_UNIX = 1_700_000_000
const YEAR_SECONDS = 365 * 24 * 60 * 60
const COMMUNITIES = 12

/**
 * Builds a network with planted spam rings.
 *
 * Ring members follow and like each other, follow well-known honest accounts, are followed back by one in
 * sixty of them, and some buy links.
 */
export function plantedNetwork(options: PlantedOptions): PlantedNetwork {
  const random = new Random(`planted network ${options.name}`)
  const users = options.honest + options.spam
  const order = shuffled(users, random)
  const isSpam = new Uint8Array(users)
  const spam = order.slice(options.honest)
  for (const user of spam) isSpam[user] = 1
  const honest = order.slice(0, options.honest)
  const edges = new EdgeList()
  const crowd = linkHonest(edges, honest, random)
  plantRings(edges, spam, crowd, options, random)
  return { users, edges, isSpam, accounts: describe(isSpam, options.hasSpamSignals, random) }
}

function shuffled(count: number, random: Random): Uint32Array {
  const order = Uint32Array.from({ length: count }, (_, index) => index)
  for (let last = count - 1; last > 0; last -= 1) {
    const other = random.below(last + 1)
    const swapped = order[last]!
    order[last] = order[other]!
    order[other] = swapped
  }
  return order
}

/** Honest accounts that spam follows and buys links from. */
export interface Crowd {
  readonly members: Uint32Array
  readonly popularityIndex: WeightedIndex
}

/**
 * Links honest accounts: communities with few famous and many unknown members, mostly inside and often
 * mutual.
 */
function linkHonest(edges: EdgeList, honest: Uint32Array, random: Random): Crowd {
  const popularity = Float64Array.from(honest, () => random.pareto(1.1))
  const everyone = { members: honest, popularityIndex: new WeightedIndex(popularity) }
  const communities = Array.from({ length: COMMUNITIES }, (_, community) => {
    const places = Array.from(honest.keys()).filter((place) => place % COMMUNITIES === community)
    return {
      members: Uint32Array.from(places, (place) => honest[place]!),
      popularityIndex: new WeightedIndex(Float64Array.from(places, (place) => popularity[place]!)),
    }
  })
  for (const [place, user] of honest.entries()) {
    const follows = Math.ceil(random.exponential(30))
    for (let made = 0; made < follows; made += 1) {
      const crowd = random.chance(0.75) ? communities[place % COMMUNITIES]! : everyone
      const target = crowd.members[crowd.popularityIndex.draw(random, crowd.members.length)]!
      edges.addFollow(user, target)
      if (random.chance(0.4)) edges.addLikes(user, target, Math.ceil(random.exponential(6)))
      if (random.chance(0.15)) edges.addFollow(target, user)
    }
  }
  return everyone
}

/** Splits accounts into rings and links them among themselves and with the crowd. */
export function plantRings(
  edges: EdgeList,
  spam: Uint32Array,
  crowd: Crowd,
  { buyers, isOneWay = false }: Pick<PlantedOptions, 'buyers' | 'isOneWay'>,
  random: Random,
): void {
  for (let start = 0; start < spam.length; ) {
    const ring = spam.slice(start, start + random.between(20, 150))
    start += ring.length
    for (const member of ring) {
      for (const fellow of ring) {
        if (isOneWay && fellow < member) continue
        if (random.chance(0.6)) edges.addFollow(member, fellow)
        if (random.chance(0.5)) edges.addLikes(member, fellow, random.between(1, 20))
      }
      linkOutside(edges, member, crowd, buyers, random)
    }
  }
}

function linkOutside(edges: EdgeList, member: number, crowd: Crowd, buyers: number, random: Random): void {
  const baits = random.between(10, 200)
  for (let bait = 0; bait < baits; bait += 1) {
    const target = crowd.members[crowd.popularityIndex.draw(random, crowd.members.length)]!
    edges.addFollow(member, target)
    if (random.chance(1 / 60)) edges.addFollow(target, member)
  }
  if (!random.chance(buyers)) return
  for (let bought = random.between(1, 3); bought > 0; bought -= 1) {
    const seller = crowd.members[random.below(crowd.members.length)]!
    edges.addFollow(seller, member)
    edges.addLikes(seller, member, random.between(1, 5))
  }
}

/** Sets the features. Spam only tends to differ: half of it behaves like honest accounts. */
function describe(isSpam: Uint8Array, hasSpamSignals: boolean, random: Random): AccountFeatures {
  const accounts = emptyAccountFeatures(isSpam.length)
  for (let user = 0; user < isSpam.length; user += 1) {
    const hasSignals = hasSpamSignals && isSpam[user] === 1 && random.chance(0.5)
    const casts = Math.floor(random.exponential(20))
    accounts.registeredAt[user] = NOW_UNIX - random.fraction() * 3 * YEAR_SECONDS
    accounts.profileParts[user] = hasSignals ? random.below(4) : random.between(2, 4)
    accounts.peakFollows[user] = Math.ceil(random.exponential(hasSignals ? 200 : 15))
    accounts.casts[user] = casts
    accounts.linkCasts[user] = Math.floor(casts * random.fraction() * (hasSignals ? 1 : 0.3))
    accounts.wordyCasts[user] = Math.floor(casts * 0.6)
    const different = hasSignals ? random.fraction() : 1 - 0.1 * random.fraction()
    accounts.differentWordyCasts[user] = Math.ceil(accounts.wordyCasts[user]! * different)
  }
  return accounts
}

/** Accounts without known features. */
export function emptyAccountFeatures(users: number): AccountFeatures {
  return {
    registeredAt: new Float64Array(users),
    profileParts: new Uint8Array(users),
    peakFollows: new Uint32Array(users),
    casts: new Uint32Array(users),
    linkCasts: new Uint32Array(users),
    wordyCasts: new Uint32Array(users),
    differentWordyCasts: new Uint32Array(users),
  }
}
