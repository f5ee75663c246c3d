import { Matcher } from '../dist/features/webhooks/matching/matcher.js'
import { seeded } from './chance.mjs'

/** How many events a second are held against many subscriptions, on one core. */

const SECONDS = 2
const words = 'garden tulip rain code degen base moon coffee music train paper river cloud stone apple'.split(
  ' ',
)

/**
 * Subscriptions as apps have them: most name users, some threads and channels, some words, a few take all casts of good
 * authors.
 *
 * @param {number} count
 * @param {() => number} random
 */
function createSubscriptions(count, random) {
  const fid = () => 1 + Math.floor(random() * 1_000_000)
  const fids = (most) => Array.from({ length: 1 + Math.floor(random() * most) }, fid)
  const hash = () =>
    `0x${Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(40, '0')}`
  return Array.from({ length: count }, (_, index) => ({
    webhookId: `webhook ${index}`,
    filters: filters(index % 20),
  }))

  /** @param {number} kind */
  function filters(kind) {
    if (kind < 8) return { 'cast.created': { author_fids: fids(50) } }
    if (kind < 11) return { 'cast.created': { mentioned_fids: fids(3), parent_author_fids: fids(3) } }
    if (kind < 12) return { 'cast.created': { parent_hashes: [hash()], embedded_cast_hashes: [hash()] } }
    if (kind < 14) return { 'cast.created': { root_parent_urls: [`https://channel.example/${fid()}`] } }
    if (kind < 15)
      return {
        'cast.created': { text: `(?i)\\b(bot${fid()}|\\$token${fid()})\\b`, exclude_author_fids: fids(3) },
      }
    if (kind < 16) return { 'cast.created': { embeds: `shop${fid()}\\.example` } }
    if (kind < 17)
      return { 'reaction.created': { target_fids: fids(5) }, 'follow.created': { target_fids: fids(5) } }
    if (kind < 18)
      return { 'follow.created': { target_fids: fids(5) }, 'follow.deleted': { target_fids: fids(5) } }
    if (kind < 19) return { 'reaction.created': { target_cast_hashes: [hash(), hash()] } }
    return { 'user.updated': { fids: fids(20) }, 'cast.deleted': { author_fids: fids(20) } }
  }
}

/**
 * @param {number} count
 * @param {() => number} random
 * @param {number} firstFid Above all that are subscribed to, so that nothing matches; or 1.
 */
function createEvents(count, random, firstFid) {
  const fid = () => firstFid + Math.floor(random() * 1_000_000)
  const text = () => Array.from({ length: 20 }, () => words[Math.floor(random() * words.length)]).join(' ')
  return Array.from({ length: count }, (_, index) => {
    if (index % 10 < 5)
      return { kind: 'reaction.created', fid: fid(), targetFid: fid(), targetHash: `0x${'9'.repeat(40)}` }
    if (index % 10 < 6) return { kind: 'follow.created', fid: fid(), targetFid: fid() }
    return {
      kind: 'cast.created',
      authorFid: fid(),
      authorScore: random(),
      mentionedFids: random() < 0.3 ? [fid()] : [],
      parentFid: fid(),
      parentHash: `0x${'8'.repeat(40)}`,
      parentUrl: null,
      rootParentUrl: `https://channel.example/${fid()}`,
      embeddedFids: [],
      embeddedHashes: [],
      embeddedUrls: random() < 0.4 ? [`https://site${fid()}.example/page`] : [],
      text: text(),
    }
  })
}

/**
 * Events a second, and how many webhooks they were for.
 *
 * @param {number} subscriptions
 * @param {number} firstFid
 */
export function measureMatching(subscriptions, firstFid) {
  const random = seeded(1)
  const matcher = new Matcher()
  for (const subscription of createSubscriptions(subscriptions, random)) matcher.set(subscription)
  const events = createEvents(10_000, random, firstFid)
  for (const event of events) matcher.match(event)
  let done = 0
  let matched = 0
  // CPU time of this thread, which others at work on the machine do not change by much.
  const cpuSeconds = () => process.cpuUsage().user / 1e6
  const start = cpuSeconds()
  while (cpuSeconds() - start < SECONDS) {
    for (const event of events) matched += matcher.match(event).length
    done += events.length
  }
  return { perSecond: done / (cpuSeconds() - start), perEvent: matched / done }
}
