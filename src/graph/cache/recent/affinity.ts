import { forYouWindow, MAX_FOR_YOU_CANDIDATES } from '../../query/ranks.js'
import { entryKind, type FeedEntryList } from './feed-entries.js'
import type { Activity, RecentWindow } from './recent-window.js'

/** A stored cast that followed users wrote or reacted to. */
export interface AffineCast {
  readonly cast: number
  readonly affinity: number
}

/** Users whose activity counts, and until when. */
export interface AffinityRequest {
  /** Farcaster seconds. */
  readonly ts: number
  /** The latest follows of the user, as many as count. */
  readonly followed: ArrayLike<number>
}

const weight = { cast: 4, recast: 2, like: 1 } as const

/** The stored casts among those with the most activity by followed users after `since`, the latest among equals. */
export function mostAffine(window: RecentWindow, request: AffinityRequest, since: number): AffineCast[] {
  const { table } = window
  const scores = new AffinityScores(window, since)
  addAffinities(window, request, since, scores)
  return scores
    .most(MAX_FOR_YOU_CANDIDATES)
    .filter(({ cast, targetFid }) => window.isStored(cast) && table.fids[cast] === targetFid)
}

function addAffinities(
  window: RecentWindow,
  { followed, ts }: AffinityRequest,
  since: number,
  scores: AffinityScores,
): void {
  for (let index = 0; index < followed.length; index += 1) {
    const activity = window.activityOf(followed[index]!)
    if (!activity) continue
    const signals = signalsOf(window, activity, { since, ts })
    for (let at = FIRST_SIGNAL; at < signals.length; at += SIGNAL) {
      if (signals[at + signal.ts]! > since) scores.add(signals, at)
    }
  }
}

/**
 * The signals of a user: what it casted, recasted and liked last. Before them are the times between which they are those of any
 * request; each has the number of the cast, the time, the author that it names, and a weight. Hundreds of users count for one
 * page, and their lists are all over the memory: with the signals of each in one place a page takes 0.64 ms of CPU instead of
 * 1.46.
 */
type Signals = Float64Array

const SINCE = 0
const NEWEST = 1
const FIRST_SIGNAL = 2
const SIGNAL = 4
const signal = { cast: 0, ts: 1, targetFid: 2, weight: 3 } as const

/** Times of a request: activity after the first and up to the second counts. */
interface Times {
  readonly since: number
  readonly ts: number
}

/** A later page has the time of the first page: signals are kept from this long before, in seconds. */
const PAGING_SECONDS = 3_600

/** The signals of a user at some times at least, kept until the user acts. */
function signalsOf(window: RecentWindow, activity: Activity, { since, ts }: Times): Signals {
  const kept = activity.signals
  if (kept !== null && kept[SINCE]! <= since && kept[NEWEST]! <= ts) return kept
  const signals = readSignals(window, activity, { since: since - PAGING_SECONDS, ts })
  // Messages may claim a time to come.
  if (newestIn(activity) <= ts) window.keepSignals(activity, signals)
  return signals
}

function newestIn({ feed, likes }: Activity): number {
  return Math.max(feed.length > 0 ? feed.newestTs : 0, likes.length > 0 ? likes.newestTs : 0)
}

function readSignals(window: RecentWindow, activity: Activity, times: Times): Signals {
  const { entries } = window
  const { feed, recasts, likes } = activity
  const found: number[] = [times.since, newestIn(activity)]
  const add = (id: number, weightOf: number) =>
    found.push(entries.cast(id), entries.ts(id), entries.targetFid(id), weightOf)
  let castsLeft = forYouWindow.casts
  newest(window, feed, times, (id) => {
    if (entries.kind(id) !== entryKind.cast) return true
    // Only casts that start a thread count; replies are among the latest ten.
    if (!window.isReply(entries.cast(id))) add(id, weight.cast)
    castsLeft -= 1
    return castsLeft > 0
  })
  let recastsLeft = forYouWindow.recasts
  newest(window, recasts, times, (id) => {
    add(id, weight.recast)
    recastsLeft -= 1
    return recastsLeft > 0
  })
  let likesLeft = forYouWindow.likes
  newest(window, likes, times, (id) => {
    add(id, weight.like)
    likesLeft -= 1
    return likesLeft > 0
  })
  return Float64Array.from(found)
}

/** Visits the entries of a list between two times, the newest first, until the callback returns false. */
function newest(
  { entries }: RecentWindow,
  list: FeedEntryList,
  { since, ts }: Times,
  visit: (id: number) => boolean,
): void {
  for (let index = list.length - 1; index >= 0; index -= 1) {
    const id = list.at(index)
    const time = entries.ts(id)
    if (time <= since) return
    if (time <= ts && !visit(id)) return
  }
}

/** A cast by the author that its signals name: a reaction may name another author than the cast has. */
interface ScoredCast extends AffineCast {
  readonly targetFid: number
  /** The time of the latest signal. */
  readonly latest: number
}

const WORDS = 4
const NUMBERS = WORDS / 2
const word = { affinity: 0, latest: 1 } as const
const TARGET_FID = 1

/**
 * Scores of casts by the signals of one request: casts, recasts and likes of followed users. They are in the buffer of the
 * window, whose requests do not overlap: nothing here waits.
 */
class AffinityScores {
  readonly #scoredCasts: number[] = []
  /** Scores by signals that name another author than the first signal of their cast. */
  readonly #misnamed = new Map<string, { -readonly [Key in keyof ScoredCast]: ScoredCast[Key] }>()

  constructor(
    private readonly window: RecentWindow,
    private readonly since: number,
  ) {
    const length = WORDS * window.table.capacity
    const buffer = window.affinityBuffer
    if (buffer.words.length >= length) return
    buffer.words = new Uint32Array(length)
    buffer.numbers = new Float64Array(buffer.words.buffer)
  }

  add(signals: Signals, at: number): void {
    const { words, numbers } = this.window.affinityBuffer
    const cast = signals[at + signal.cast]!
    const ts = signals[at + signal.ts]!
    const targetFid = signals[at + signal.targetFid]!
    const addedWeight = signals[at + signal.weight]!
    const start = WORDS * cast
    if (words[start + word.affinity] === 0) {
      this.#scoredCasts.push(cast)
      words[start + word.affinity] = addedWeight
      words[start + word.latest] = ts
      numbers[NUMBERS * cast + TARGET_FID] = targetFid
    } else if (numbers[NUMBERS * cast + TARGET_FID] === targetFid) {
      words[start + word.affinity]! += addedWeight
      if (ts > words[start + word.latest]!) words[start + word.latest] = ts
    } else this.#addMisnamed(cast, targetFid, ts, addedWeight)
  }

  /** The casts with the highest scores, the latest among equals, in no order. It ends the request. */
  most(count: number): ScoredCast[] {
    const { words } = this.window.affinityBuffer
    const least = this.#leastAffinity(count)
    const found: ScoredCast[] = []
    const equals: number[] = []
    for (const cast of this.#scoredCasts) {
      const affinity = words[WORDS * cast + word.affinity]!
      if (affinity > least) found.push(this.#scored(cast, affinity))
      else if (affinity === least) equals.push(cast)
      words[WORDS * cast + word.affinity] = 0
    }
    const misnamedEquals: ScoredCast[] = []
    for (const scored of this.#misnamed.values()) {
      if (scored.affinity > least) found.push(scored)
      else if (scored.affinity === least) misnamedEquals.push(scored)
    }
    this.#addLatest(found, { casts: equals, misnamed: misnamedEquals, affinity: least }, count)
    return found
  }

  #scored(cast: number, affinity: number): ScoredCast {
    const { words, numbers } = this.window.affinityBuffer
    const latest = words[WORDS * cast + word.latest]!
    return { cast, affinity, latest, targetFid: numbers[NUMBERS * cast + TARGET_FID]! }
  }

  /** The affinity of the last cast that counts. */
  #leastAffinity(count: number): number {
    const castsByAffinity: number[] = []
    const add = (affinity: number) => {
      while (castsByAffinity.length <= affinity) castsByAffinity.push(0)
      castsByAffinity[affinity]! += 1
    }
    const { words } = this.window.affinityBuffer
    for (const cast of this.#scoredCasts) add(words[WORDS * cast + word.affinity]!)
    for (const { affinity } of this.#misnamed.values()) add(affinity)
    let left = count
    for (let affinity = castsByAffinity.length - 1; affinity >= 0; affinity -= 1) {
      left -= castsByAffinity[affinity]!
      if (left <= 0) return affinity
    }
    return 0
  }

  /** Adds those of equal affinity with the latest signals, up to a count. Most casts have one like, so they are thousands. */
  #addLatest(
    found: ScoredCast[],
    equals: { casts: readonly number[]; misnamed: readonly ScoredCast[]; affinity: number },
    count: number,
  ): void {
    const { words } = this.window.affinityBuffer
    const { casts, misnamed, affinity } = equals
    const ages = new Uint32Array(casts.length + misnamed.length)
    for (let index = 0; index < casts.length; index += 1)
      ages[index] = words[WORDS * casts[index]! + word.latest]! - this.since
    for (const [index, { latest }] of misnamed.entries()) ages[casts.length + index] = latest - this.since
    const last = this.since + nthLargest(ages, count - found.length)
    const atLast: ScoredCast[] = []
    const take = (scored: ScoredCast) => (scored.latest > last ? found : atLast).push(scored)
    for (const cast of casts)
      if (words[WORDS * cast + word.latest]! >= last) take(this.#scored(cast, affinity))
    for (const scored of misnamed) if (scored.latest >= last) take(scored)
    const { table } = this.window
    atLast.sort((a, b) => table.compare(b.cast, a.cast) || b.targetFid - a.targetFid)
    for (const scored of atLast) {
      if (found.length >= count) return
      found.push(scored)
    }
  }

  #addMisnamed(cast: number, targetFid: number, ts: number, addedWeight: number): void {
    const key = `${cast} ${targetFid}`
    const known = this.#misnamed.get(key)
    if (!known) {
      this.#misnamed.set(key, { cast, targetFid, affinity: addedWeight, latest: ts })
      return
    }
    known.affinity += addedWeight
    known.latest = Math.max(known.latest, ts)
  }
}

/** 2 x 9 bits: as many seconds as the window of a for-you feed has, and some. */
const RADIX_BITS = 9
const RADIX = 2 ** RADIX_BITS

/**
 * The n-th largest of numbers below 2^18, in two passes over them; 0 if there are not as many. Sorting them took five times
 * as long.
 */
export function nthLargest(values: Uint32Array, n: number): number {
  if (values.length < n) return 0
  const counts = new Uint32Array(RADIX)
  for (const value of values) counts[value >>> RADIX_BITS]! += 1
  let left = n
  let high = RADIX - 1
  for (; high > 0 && counts[high]! < left; high -= 1) left -= counts[high]!
  counts.fill(0)
  for (const value of values) if (value >>> RADIX_BITS === high) counts[value & (RADIX - 1)]! += 1
  let low = RADIX - 1
  for (; low > 0 && counts[low]! < left; low -= 1) left -= counts[low]!
  return high * RADIX + low
}
