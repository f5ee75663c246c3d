import {
  forYouRank,
  forYouWindow,
  MAX_FOR_YOU_CANDIDATES,
  MAX_TRENDING_CANDIDATES,
  type RankedCast,
  trendingRank,
} from '../../query/ranks.js'
import type { CastTable } from './cast-table.js'
import { entryKind, type FeedEntryList } from './feed-entries.js'
import { ALL_FIDS, type RecentWindow } from './recent-window.js'
import type { WindowGap } from './window-feed.js'

/** Casts whose counters are not known: they are read, and the ranking is asked for again. */
export interface UnknownCounts {
  readonly unknownCounts: readonly Buffer[]
}

/** The page of a ranking. */
export interface WindowRankingRequest {
  /** The time that ages are relative to, in Farcaster seconds. */
  readonly ts: number
  /** The last cast of the previous page; null on the first page. */
  readonly after: RankedCast | null
  readonly count: number
}

/** The page of a for-you feed, its user and viewer. */
export interface ForYouRequest extends WindowRankingRequest {
  readonly fid: number
  /** The latest follows of the user, as many as count. */
  readonly followed: ArrayLike<number>
  isHidden(fid: number): boolean
}

/** The for-you feed as `readForYouFeed` reads it. */
export function rankForYou(
  window: RecentWindow,
  request: ForYouRequest,
): RankedCast[] | WindowGap | UnknownCounts {
  const since = request.ts - forYouWindow.seconds
  if (window.since > since + 1 || window.likesSince > since + 1) return 'older'
  if (window.likesThroughFid < ALL_FIDS) return 'older'
  const { table } = window
  const best = new BestCasts(table, request)
  const unknownCounts: Buffer[] = []
  for (const { cast, affinity } of mostAffine(window, request, since)) {
    const ts = table.times[cast]!
    const author = table.fids[cast]!
    if (ts <= since || ts > request.ts || author === request.fid || request.isHidden(author)) continue
    if (window.hasCounts(cast))
      best.add(forYouRank(affinity, activityOf(window, cast), request.ts - ts), cast)
    else unknownCounts.push(table.hash(cast))
  }
  return unknownCounts.length > 0 ? { unknownCounts } : best.casts()
}

/** The trending casts of everywhere as `readTrending` reads them. */
export function rankTrending(
  window: RecentWindow,
  { seconds, ts, count }: { readonly seconds: number; readonly ts: number; readonly count: number },
): RankedCast[] | WindowGap | UnknownCounts {
  const since = ts - seconds
  if (window.since > since + 1) return 'older'
  const { entries, table, timeline } = window
  const best = new BestCasts(table, { after: null, count })
  const unknownCounts: Buffer[] = []
  let candidates = 0
  timeline.descend(entries, { ts: ts + 1, hash: new Uint8Array(0) }, (id) => {
    if (entries.ts(id) <= since) return false
    const cast = entries.cast(id)
    if (entries.kind(id) !== entryKind.cast || window.isReply(cast)) return true
    candidates += 1
    if (!window.hasCounts(cast)) unknownCounts.push(table.hash(cast))
    else {
      const [likes, recasts, replies, quotes] = countsOf(window, cast)
      const rank = trendingRank({ likes, recasts, replies, quotes }, ts - entries.ts(id))
      if (rank > 0) best.add(rank, cast)
    }
    return candidates < MAX_TRENDING_CANDIDATES
  })
  return unknownCounts.length > 0 ? { unknownCounts } : best.casts()
}

/** A stored cast that followed users wrote or reacted to. */
interface Candidate {
  readonly cast: number
  readonly affinity: number
}

/** The stored casts among those with the most activity by followed users, the latest among equals. */
function mostAffine(window: RecentWindow, request: ForYouRequest, since: number): Candidate[] {
  const { table } = window
  const scores = new AffinityScores(window)
  addAffinities(window, request, since, scores)
  return scores
    .most(MAX_FOR_YOU_CANDIDATES)
    .filter(({ cast, targetFid }) => window.isStored(cast) && table.fids[cast] === targetFid)
}

function addAffinities(
  window: RecentWindow,
  { followed, ts }: ForYouRequest,
  since: number,
  scores: AffinityScores,
): void {
  const { entries } = window
  const { casts, likes, recasts } = forYouWindow
  for (let index = 0; index < followed.length; index += 1) {
    const activity = window.activityOf(followed[index]!)
    if (!activity) continue
    let castsLeft = casts
    newest(window, activity.feed, since, ts, (id) => {
      if (entries.kind(id) !== entryKind.cast) return true
      if (!window.isReply(entries.cast(id))) scores.add(id, 4)
      castsLeft -= 1
      return castsLeft > 0
    })
    let recastsLeft = recasts
    newest(window, activity.recasts, since, ts, (id) => {
      scores.add(id, 2)
      recastsLeft -= 1
      return recastsLeft > 0
    })
    let likesLeft = likes
    newest(window, activity.likes, since, ts, (id) => {
      scores.add(id, 1)
      likesLeft -= 1
      return likesLeft > 0
    })
  }
}

/** A cast by the author that its signals name: a reaction may name another author than the cast has. */
interface ScoredCast extends Candidate {
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

  constructor(private readonly window: RecentWindow) {
    const length = WORDS * window.table.capacity
    const buffer = window.affinityBuffer
    if (buffer.words.length >= length) return
    buffer.words = new Uint32Array(length)
    buffer.numbers = new Float64Array(buffer.words.buffer)
  }

  add(id: number, weight: number): void {
    const { words, numbers } = this.window.affinityBuffer
    const { entries } = this.window
    const cast = entries.cast(id)
    const ts = entries.ts(id)
    const targetFid = entries.targetFid(id)
    const at = WORDS * cast
    if (words[at + word.affinity] === 0) {
      this.#scoredCasts.push(cast)
      words[at + word.affinity] = weight
      words[at + word.latest] = ts
      numbers[NUMBERS * cast + TARGET_FID] = targetFid
    } else if (numbers[NUMBERS * cast + TARGET_FID] === targetFid) {
      words[at + word.affinity]! += weight
      if (ts > words[at + word.latest]!) words[at + word.latest] = ts
    } else this.#addMisnamed(cast, targetFid, ts, weight)
  }

  /** The casts with the highest scores, the latest among equals, in no order. It ends the request. */
  most(count: number): ScoredCast[] {
    const { words, numbers } = this.window.affinityBuffer
    const least = this.#leastAffinity(count)
    const found: ScoredCast[] = []
    const equals: ScoredCast[] = []
    const take = (scored: ScoredCast) => (scored.affinity > least ? found : equals).push(scored)
    for (const cast of this.#scoredCasts) {
      const affinity = words[WORDS * cast + word.affinity]!
      if (affinity >= least) {
        const latest = words[WORDS * cast + word.latest]!
        take({ cast, affinity, latest, targetFid: numbers[NUMBERS * cast + TARGET_FID]! })
      }
      words[WORDS * cast + word.affinity] = 0
    }
    for (const scored of this.#misnamed.values()) if (scored.affinity >= least) take(scored)
    return [...found, ...this.#latest(equals, count - found.length)]
  }

  /** The affinity of the last cast that counts. */
  #leastAffinity(count: number): number {
    const castsByAffinity = new Map<number, number>()
    const add = (affinity: number) => castsByAffinity.set(affinity, (castsByAffinity.get(affinity) ?? 0) + 1)
    const { words } = this.window.affinityBuffer
    for (const cast of this.#scoredCasts) add(words[WORDS * cast + word.affinity]!)
    for (const { affinity } of this.#misnamed.values()) add(affinity)
    let left = count
    for (const [affinity, casts] of [...castsByAffinity].sort(([a], [b]) => b - a)) {
      left -= casts
      if (left <= 0) return affinity
    }
    return 0
  }

  /** Those with the latest signals. Most have one like: times are sorted as numbers, and casts only within the last second. */
  #latest(equals: readonly ScoredCast[], count: number): readonly ScoredCast[] {
    if (equals.length <= count) return equals
    const times = Uint32Array.from(equals, ({ latest }) => latest).sort()
    const last = times[times.length - count]!
    const later = equals.filter(({ latest }) => latest > last)
    const { table } = this.window
    const atLast = equals
      .filter(({ latest }) => latest === last)
      .sort((a, b) => table.compare(b.cast, a.cast) || b.targetFid - a.targetFid)
    return [...later, ...atLast.slice(0, count - later.length)]
  }

  #addMisnamed(cast: number, targetFid: number, ts: number, weight: number): void {
    const key = `${cast} ${targetFid}`
    const known = this.#misnamed.get(key)
    if (!known) {
      this.#misnamed.set(key, { cast, targetFid, affinity: weight, latest: ts })
      return
    }
    known.affinity += weight
    known.latest = Math.max(known.latest, ts)
  }
}

/** Visits the entries of a list after `since` and up to `ts`, the newest first, until the callback returns false. */
function newest(
  { entries }: RecentWindow,
  list: FeedEntryList,
  since: number,
  ts: number,
  visit: (id: number) => boolean,
): void {
  for (let index = list.length - 1; index >= 0; index -= 1) {
    const id = list.at(index)
    const time = entries.ts(id)
    if (time <= since) return
    if (time <= ts && !visit(id)) return
  }
}

function countsOf({ table }: RecentWindow, cast: number): [number, number, number, number] {
  const at = 4 * cast
  return [table.counts[at]!, table.counts[at + 1]!, table.counts[at + 2]!, table.counts[at + 3]!]
}

function activityOf(window: RecentWindow, cast: number): number {
  return countsOf(window, cast).reduce((sum, count) => sum + count)
}

/** Keeps the best casts after a cursor while all are ranked: the few that count are sorted, not the thousands. */
class BestCasts {
  readonly #ranks: number[] = []
  readonly #casts: number[] = []
  readonly #after: { readonly rank: number; readonly hash: Buffer } | null
  readonly #count: number

  constructor(
    private readonly table: CastTable,
    { after, count }: Pick<WindowRankingRequest, 'after' | 'count'>,
  ) {
    this.#after = after && { rank: after.rank, hash: Buffer.from(after.hash, 'hex') }
    this.#count = count
  }

  add(rank: number, cast: number): void {
    const [ranks, casts] = [this.#ranks, this.#casts]
    if (ranks.length === this.#count && rank < ranks.at(-1)!) return
    if (!this.#isAfterCursor(rank, cast)) return
    let index = ranks.length
    while (index > 0 && this.#isBetter(rank, cast, index - 1)) index -= 1
    ranks.splice(index, 0, rank)
    casts.splice(index, 0, cast)
    if (ranks.length > this.#count) {
      ranks.pop()
      casts.pop()
    }
  }

  casts(): RankedCast[] {
    return this.#ranks.map((rank, index) => ({ rank, hash: this.table.hex(this.#casts[index]!) }))
  }

  #isBetter(rank: number, cast: number, index: number): boolean {
    const other = this.#ranks[index]!
    return rank > other || (rank === other && this.table.compare(cast, this.#casts[index]!) > 0)
  }

  #isAfterCursor(rank: number, cast: number): boolean {
    const after = this.#after
    if (after === null || rank < after.rank) return true
    return rank === after.rank && this.table.compareTo(cast, after.hash) < 0
  }
}
