import type { Database } from '../../../platform/db/connection.js'
import type { FeedPageRequest, FeedRecast, FeedRow } from '../../query/feeds.js'
import { type AuthorSelection, readShownInAuthorFeed } from '../../query/feeds-by-author.js'
import { type FollowingSelection, readShownInFollowing } from '../../query/feeds-following.js'
import type { RankedPageRequest, TrendingSelection } from '../../query/feeds-ranked.js'
import { forYouWindow, type RankedCast } from '../../query/ranks.js'
import type { BlockSequence } from '../block-sequence.js'
import type { ViewerSets } from '../viewer-sets.js'
import type { RecentWindow } from './recent-window.js'
import { readWindowFeed, type WindowGap, type WindowSelection } from './window-feed.js'
import { joinPart, readCounts } from './window-loader.js'
import { rankForYou, rankTrending, type UnknownCounts } from './window-ranking.js'

/** Why a feed was read from the tables. */
export type TableReason =
  /** Nothing is kept in this process. */
  | 'off'
  /** The window is empty: the server has just started, or lost its position in the log. */
  | 'filling'
  /** A block of this process waits for one of another, or the process hears nothing of the log. */
  | 'behind'
  /** The selection depends on channels, members or apps. */
  | 'selection'
  /** A later page of a feed with recasts: recasts count as of the first page. */
  | 'later_page'
  /** A user with too many relations for the viewers' sets. */
  | 'large_user'
  | WindowGap

export interface RecentFeedsOptions {
  readonly db: Database
  readonly window: RecentWindow
  readonly blocks: BlockSequence
  readonly viewerSets: ViewerSets
  /** Counts where feeds were read: null is the window. */
  readonly onRead?: ((feed: FeedName, reason: TableReason | null) => void) | undefined
}

/** The feeds that may come from the window. */
export type FeedName = 'following' | 'author' | 'for_you' | 'trending'

/** Rounds of reading unknown counters before the tables rank. New casts arrive meanwhile. */
const MAX_COUNT_READS = 2

/**
 * A page waits so long, and up to a second more, until this process has heard of the blocks that the counters contain. It hears
 * within milliseconds, unless it cannot follow the log: then the tables answer, long before the request's deadline.
 */
const MAX_COUNT_WAIT_MS = 1_000

/**
 * Answers feeds from the window of recent casts, and returns null where it cannot, so that the tables answer. Both give the same
 * rows; only this class chooses.
 */
export class RecentFeeds {
  /** Casts whose counters are being read for the recasts of them. */
  readonly #counted = new Set<string>()

  constructor(private readonly options: RecentFeedsOptions) {}

  /**
   * The casts of the users that a user follows.
   *
   * @returns Null if the window cannot answer.
   */
  async following(
    selection: FollowingSelection,
    pageRequest: FeedPageRequest,
  ): Promise<readonly FeedRow[] | null> {
    const { fid, recasts, ...conditions } = selection
    const { db } = this.options
    return await this.#answer('following', async () => {
      if (recasts && pageRequest.before) return 'later_page'
      if (Object.values(conditions).some((condition) => condition)) return 'selection'
      const sets = await this.options.viewerSets.load(fid)
      if (!sets) return 'large_user'
      return await this.#feed(
        { users: sets.following, casts: 'all', recasts },
        pageRequest,
        (unknown, asOf) => readShownInFollowing(db, selection, unknown, asOf),
      )
    })
  }

  /** The casts of some authors; as `following`. */
  async author(selection: AuthorSelection, pageRequest: FeedPageRequest): Promise<readonly FeedRow[] | null> {
    const { fids, casts, recasts, ...conditions } = selection
    const { db } = this.options
    return await this.#answer('author', async () => {
      if (recasts && pageRequest.before) return 'later_page'
      if (Object.values(conditions).some((condition) => condition)) return 'selection'
      return await this.#feed({ users: new Set(fids), casts, recasts }, pageRequest, (unknown, asOf) =>
        readShownInAuthorFeed(db, selection, unknown, asOf),
      )
    })
  }

  /** The for-you feed of a user; as `following`. */
  async forYou(fid: number, pageRequest: RankedPageRequest): Promise<readonly RankedCast[] | null> {
    return await this.#answer('for_you', async () => {
      const [sets, isHidden] = await Promise.all([
        this.options.viewerSets.load(fid),
        this.#hiddenFrom(pageRequest),
      ])
      if (!sets || !isHidden) return 'large_user'
      const { followedInOrder } = sets
      const followed: number[] = []
      for (let index = followedInOrder.size - 1; index >= 0; index -= 1) {
        if (followed.length === forYouWindow.followed) break
        const each = followedInOrder.at(index)!
        if (!isHidden(each)) followed.push(each)
      }
      return await this.#ranked(() =>
        rankForYou(this.options.window, { ...pageRequest, fid, followed, isHidden }),
      )
    })
  }

  /** The trending casts of everywhere; as `following`. */
  async trending(
    { seconds, channelId, parentUrl }: TrendingSelection,
    { ts, count }: { readonly ts: number; readonly count: number },
  ): Promise<readonly RankedCast[] | null> {
    return await this.#answer('trending', async () => {
      if (channelId !== undefined || parentUrl !== undefined) return 'selection'
      return await this.#ranked(() => rankTrending(this.options.window, { seconds, ts, count }))
    })
  }

  /**
   * @param readShown Reads from the tables whether recasts are shown about which the window cannot decide: mostly of casts from
   * before the window. It counts the recasts that later pages count.
   */
  async #feed(
    selection: WindowSelection,
    pageRequest: FeedPageRequest,
    readShown: (recasts: readonly FeedRecast[], asOf: FeedPageRequest) => Promise<boolean[]>,
  ): Promise<FeedRow[] | TableReason> {
    const isHidden = await this.#hiddenFrom(pageRequest)
    if (!isHidden) return 'large_user'
    const { blocks, window } = this.options
    // The sets were awaited: the state may have moved on, or been lost.
    if (!blocks.isCurrent()) return 'behind'
    const { before, count } = pageRequest
    const position = before && { ts: before.ts, hash: Buffer.from(before.hash, 'hex') }
    const found = readWindowFeed(window, selection, { before: position, count, isHidden })
    if (typeof found === 'string') return found
    const recastsUntilMicros = selection.recasts ? window.recastsUntilMicros : 0
    const unknown = found.filter(({ isShown }) => isShown === null)
    this.#readCountsOf(unknown)
    const areShown =
      unknown.length === 0 ? [] : await readShown(unknown, { ...pageRequest, recastsUntilMicros })
    let next = 0
    return found.map(({ ts, hash, isShown }) => ({
      ts,
      hash,
      isShown: isShown ?? areShown[next++]!,
      recastsUntilMicros,
    }))
  }

  /**
   * Reads the counters of casts that arrived since the window was filled, for the next page: without them the window does not know
   * whether it has all recasts of a cast, and after some hours most recasts on first pages are of such casts.
   */
  #readCountsOf(recasts: readonly FeedRecast[]): void {
    const { db, window } = this.options
    const isWanted = (hash: string) => {
      const cast = window.table.find(Buffer.from(hash, 'hex'))
      return cast >= 0 && window.isStored(cast) && !window.hasCounts(cast) && !this.#counted.has(hash)
    }
    const hashes = [...new Set(recasts.map(({ hash }) => hash))].filter(isWanted)
    if (hashes.length === 0) return
    for (const hash of hashes) this.#counted.add(hash)
    const read = () =>
      readCounts(
        db,
        hashes.map((hash) => Buffer.from(hash, 'hex')),
      )
    // A failure is that of a page that asks the tables again.
    joinPart(this.options, read, AbortSignal.timeout(MAX_COUNT_WAIT_MS))
      .catch(() => {})
      .finally(() => {
        for (const hash of hashes) this.#counted.delete(hash)
      })
  }

  /** Ranks, and reads the counters that are not known. */
  async #ranked(rank: () => RankedCast[] | WindowGap | UnknownCounts): Promise<RankedCast[] | TableReason> {
    const { db, blocks } = this.options
    for (let reads = 0; ; reads += 1) {
      if (!blocks.isCurrent()) return 'behind'
      const ranked = rank()
      if (!(typeof ranked === 'object' && 'unknownCounts' in ranked)) return ranked
      if (reads === MAX_COUNT_READS) return 'unknown_counts'
      const { unknownCounts } = ranked
      const waiting = AbortSignal.timeout(MAX_COUNT_WAIT_MS)
      await joinPart(this.options, () => readCounts(db, unknownCounts), waiting)
      if (waiting.aborted) return 'behind'
    }
  }

  /** Reads the users that the viewer of a request does not see; null if the viewer has too many relations. */
  async #hiddenFrom({ viewerFid, ignoresMutes, banned }: FeedPageRequest | RankedPageRequest) {
    const isBanned = (fid: number) => banned?.has(fid) ?? false
    if (viewerFid === undefined) return isBanned
    const sets = await this.options.viewerSets.load(viewerFid)
    return sets && ((fid: number) => sets.isHidden(fid, { ignoresMutes }) || isBanned(fid))
  }

  async #answer<Rows extends object>(
    feed: FeedName,
    read: () => Promise<Rows | TableReason>,
  ): Promise<Rows | null> {
    const found = this.#outage() ?? (await read())
    const { onRead } = this.options
    const isFound = typeof found === 'object'
    onRead?.(feed, isFound ? null : found)
    return isFound ? found : null
  }

  /** Returns why the window cannot answer now; null if it can. */
  #outage(): TableReason | null {
    const { blocks, window } = this.options
    if (window.maxEntries === 0) return 'off'
    if (window.since === Number.POSITIVE_INFINITY) return 'filling'
    return blocks.isCurrent() ? null : 'behind'
  }
}
