import {
  type CastActivity,
  forYouRank,
  forYouWindow,
  MAX_TRENDING_CANDIDATES,
  type RankedCast,
  trendingRank,
} from '../../query/ranks.js'
import { forMostAffine } from './affinity.js'
import { type CastTable, castCounter } from './cast-table.js'
import { entryKind } from './feed-entries.js'
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
  /** The latest follows of the user, as many as count, without those hidden from the viewer. */
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
  forMostAffine(window, request, since, (cast, affinity) => {
    const ts = table.ts(cast)
    const author = table.fid(cast)
    if (ts <= since || ts > request.ts || author === request.fid) return
    if (!window.hasCounts(cast)) {
      if (!request.isHidden(author)) unknownCounts.push(table.hash(cast))
      return
    }
    const rank = forYouRank(affinity, activityOf(table, cast), request.ts - ts)
    // Most are not among the best: whether they are hidden matters to few.
    if (best.takes(rank) && !request.isHidden(author)) best.add(rank, cast)
  })
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
      const rank = trendingRank(countsOf(table, cast), ts - entries.ts(id))
      if (rank > 0) best.add(rank, cast)
    }
    return candidates < MAX_TRENDING_CANDIDATES
  })
  return unknownCounts.length > 0 ? { unknownCounts } : best.casts()
}

function countsOf(table: CastTable, cast: number): CastActivity {
  return {
    likes: table.count(cast, castCounter.likes),
    recasts: table.count(cast, castCounter.recasts),
    replies: table.count(cast, castCounter.replies),
    quotes: table.count(cast, castCounter.quotes),
  }
}

function activityOf(table: CastTable, cast: number): number {
  const { likes, recasts, replies, quotes } = countsOf(table, cast)
  return likes + recasts + replies + quotes
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

  /** Whether a cast of this rank may be among the best. */
  takes(rank: number): boolean {
    return this.#ranks.length < this.#count || rank >= this.#ranks.at(-1)!
  }

  add(rank: number, cast: number): void {
    const [ranks, casts] = [this.#ranks, this.#casts]
    if (!this.takes(rank) || !this.#isAfterCursor(rank, cast)) return
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
