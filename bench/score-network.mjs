import { Random } from '../dist/demo/random.js'
import { EdgeList } from '../dist/features/score/graph.js'

/**
 * A large network with planted rings of spam, made in memory. Accounts stand in a random order, so that
 * neither numbers nor neighbours in memory tell anything.
 */

/**
 * @typedef {object} NetworkOptions
 * @property {string} seed
 * @property {number} users One in twenty of them in rings.
 * @property {number} follows What an honest account sets out to follow, on average.
 * @property {number} [buyers] Share of a ring's members that bought one to three links; 0.3 unless told.
 * @property {boolean} [isOneWay] Whether nobody in a ring follows back.
 */

/**
 * @typedef {object} Network
 * @property {number} users
 * @property {EdgeList} edges
 * @property {import('../dist/features/score/spam-signals.js').AccountFeatures} accounts
 * @property {Uint8Array} isSpam
 */

export const NOW_UNIX = 1_700_000_000
const YEAR_SECONDS = 365 * 24 * 60 * 60
const SPAM_PART = 0.05
const COMMUNITY_USERS = 20_000
/** The larger, the more the famous ones are followed. */
const FAME = 6

/**
 * @param {NetworkOptions} options
 * @returns {Network}
 */
export function generateNetwork({ seed, users, follows, buyers = 0.3, isOneWay = false }) {
  const random = new Random(`score bench ${seed}`)
  const order = shuffled(users, random)
  const honest = order.subarray(0, Math.round(users * (1 - SPAM_PART)))
  const spam = order.subarray(honest.length)
  const isSpam = new Uint8Array(users)
  for (const user of spam) isSpam[user] = 1
  const edges = new EdgeList()
  for (let place = 0; place < honest.length; place++) linkHonest(edges, honest, place, follows, random)
  for (let start = 0; start < spam.length; ) {
    const ring = spam.subarray(start, start + random.between(20, 150))
    start += ring.length
    for (const member of ring) {
      const fellows = isOneWay ? ring.filter((fellow) => fellow > member) : ring
      linkRing(edges, member, fellows, random)
      linkOutside(edges, member, honest, buyers, random)
    }
  }
  return { users, edges, isSpam, accounts: describe(users, random) }
}

/**
 * @param {number} count
 * @param {Random} random
 */
function shuffled(count, random) {
  const order = Uint32Array.from({ length: count }, (_, index) => index)
  for (let last = count - 1; last > 0; last--) {
    const other = random.below(last + 1)
    const swapped = order[last]
    order[last] = order[other]
    order[other] = swapped
  }
  return order
}

/**
 * Somebody from `count` places beginning with `first`, the sooner the more famous.
 *
 * @param {number} first
 * @param {number} count
 * @param {Random} random
 */
function famous(first, count, random) {
  return first + Math.floor(count * random.fraction() ** FAME)
}

/**
 * Three in four follows go to the own community, one in seven is returned, two in five come with likes.
 *
 * @param {EdgeList} edges
 * @param {Uint32Array} honest
 * @param {number} place
 * @param {number} follows
 * @param {Random} random
 */
function linkHonest(edges, honest, place, follows, random) {
  const user = honest[place]
  const first = place - (place % COMMUNITY_USERS)
  const community = Math.min(COMMUNITY_USERS, honest.length - first)
  for (let left = Math.ceil(random.exponential(follows)); left > 0; left--) {
    const target = random.chance(0.75)
      ? honest[famous(first, community, random)]
      : honest[famous(0, honest.length, random)]
    edges.addFollow(user, target)
    if (random.chance(0.4)) edges.addLikes(user, target, Math.ceil(random.exponential(6)))
    if (random.chance(0.15)) edges.addFollow(target, user)
  }
}

/**
 * @param {EdgeList} edges
 * @param {number} member
 * @param {Uint32Array} fellows
 * @param {Random} random
 */
function linkRing(edges, member, fellows, random) {
  for (const fellow of fellows) {
    if (random.chance(0.6)) edges.addFollow(member, fellow)
    if (random.chance(0.5)) edges.addLikes(member, fellow, random.between(1, 20))
  }
}

/**
 * Baits that one in sixty of the honest takes, and links that were bought.
 *
 * @param {EdgeList} edges
 * @param {number} member
 * @param {Uint32Array} honest
 * @param {number} buyers
 * @param {Random} random
 */
function linkOutside(edges, member, honest, buyers, random) {
  for (let left = random.between(10, 200); left > 0; left--) {
    const target = honest[famous(0, honest.length, random)]
    edges.addFollow(member, target)
    if (random.chance(1 / 60)) edges.addFollow(target, member)
  }
  for (let left = random.chance(buyers) ? random.between(1, 3) : 0; left > 0; left--) {
    edges.addFollow(honest[random.below(honest.length)], member)
  }
}

/**
 * Spam behaves like anybody here: only the graph tells.
 *
 * @param {number} users
 * @param {Random} random
 */
function describe(users, random) {
  return {
    registeredAt: Float64Array.from({ length: users }, () =>
      Math.floor(NOW_UNIX - random.fraction() * 3 * YEAR_SECONDS),
    ),
    profileParts: new Uint8Array(users).fill(4),
    peakFollows: new Uint32Array(users),
    casts: new Uint32Array(users),
    linkCasts: new Uint32Array(users),
    wordyCasts: new Uint32Array(users),
    differentWordyCasts: new Uint32Array(users),
  }
}
