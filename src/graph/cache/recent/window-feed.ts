import type { FeedRecast } from '../../query/feeds.js'
import type { AuthorSelection } from '../../query/feeds-by-author.js'
import { MAX_SCANNED } from '../../query/feeds-following.js'
import { castCounter, castFlag } from './cast-table.js'
import { entryKind, type FeedEntryList, type FeedEntryPosition } from './feed-entries.js'
import { nthLargest } from './nth-largest.js'
import type { RecentWindow } from './recent-window.js'

/** Users of a feed. */
export interface FeedUsers {
  readonly size: number
  has(fid: number): boolean
  forEach(visit: (fid: number) => void): void
}

/** Selection of a feed by users. */
export interface WindowSelection extends Pick<AuthorSelection, 'casts' | 'recasts'> {
  readonly users: FeedUsers
}

/** The page of a feed, and what its viewer does not see. */
export interface WindowPageRequest {
  /** The last position of the page before; null on the first page. */
  readonly before: FeedEntryPosition | null
  /** The maximum number of entries. */
  readonly count: number
  /** Whether the viewer does not see a user. */
  isHidden(fid: number): boolean
}

/** An entry of a feed, as `FeedRow` has it. */
export interface WindowEntry extends FeedRecast {
  /** Null if the window lacks the data to decide; the tables decide. */
  readonly isShown: boolean | null
}

/** The reason why the window cannot answer a feed. */
export type WindowGap = 'older' | 'sparse' | 'unknown_counts'

/**
 * Entries of the lists of users, and recasts of the casts on it, that a page may look at: a bot has hundreds of thousands in the
 * window, and a feed that takes few of them would walk over all on the thread of every request. The tables have bounds of their own.
 */
const MAX_WALKED = 20_000

/**
 * The newest entries of users: the rows that `readFollowingFeed` and `readAuthorFeed` read. For many users it walks over
 * the newest of everybody, for few over the lists of each, merged; 250 followed of 10,000 users take about 0.05 ms.
 */
export function readWindowFeed(
  window: RecentWindow,
  selection: WindowSelection,
  pageRequest: WindowPageRequest,
): WindowEntry[] | WindowGap {
  const keeps = keepsIn(window, selection)
  const walk = { keeps, left: MAX_WALKED }
  const found =
    scanEveryone(window, selection, pageRequest, keeps) ?? mergeUsers(window, selection, pageRequest, walk)
  if (walk.left === 0) return 'sparse'
  if (found.length < pageRequest.count && window.since > 0) return 'older'
  const { entries, table } = window
  // Of each cast once, however many entries of the page recast it.
  const firstRecasts = new Map<number, number | null>()
  const firstRecastOf = (cast: number) => {
    let first = firstRecasts.get(cast)
    if (first === undefined) {
      first = findFirstRecast(window, cast, selection, pageRequest, walk)
      firstRecasts.set(cast, first)
    }
    return first
  }
  return found.map((id) => ({
    ts: entries.ts(id),
    hash: table.hex(entries.cast(id)),
    targetFid: entries.targetFid(id),
    isShown: isShownIn(window, id, selection, pageRequest, firstRecastOf),
  }))
}

type Keeps = (id: number) => boolean

/** How far lists may be walked on. */
interface Walk {
  readonly keeps: Keeps
  left: number
}

/** Whether the selection takes an entry of a user that is not hidden. */
function keepsIn(window: RecentWindow, { casts, recasts }: WindowSelection): Keeps {
  if (casts === 'all' && recasts) return () => true
  const { entries } = window
  return (id) => {
    if (entries.kind(id) === entryKind.recast) return recasts
    if (casts === 'all' || casts === 'none') return casts === 'all'
    return window.isReply(entries.cast(id)) === (casts === 'replies')
  }
}

/** Takes the newest of everybody; null if that would be, or was, too many to look at. */
function scanEveryone(
  { entries, timeline, users: known }: RecentWindow,
  { users }: WindowSelection,
  { before, count, isHidden }: WindowPageRequest,
  keeps: Keeps,
): number[] | null {
  if (2 * users.size * users.size < count * known.size) return null
  const found: number[] = []
  let left = Math.min(MAX_SCANNED, 2 * users.size)
  timeline.descend(entries, before, (id) => {
    const actor = entries.actor(id)
    if (users.has(actor) && keeps(id) && !isHidden(actor)) found.push(id)
    left -= 1
    return found.length < count && left > 0
  })
  return found.length === count ? found : null
}

/** A list of a user, and the entry that reading has reached. */
interface Head {
  readonly list: FeedEntryList
  index: number
  id: number
}

/** Merges the lists of the users by a heap, the newest on top. */
function mergeUsers(
  window: RecentWindow,
  selection: WindowSelection,
  pageRequest: WindowPageRequest,
  walk: Walk,
): number[] {
  const { entries } = window
  const { count } = pageRequest
  const isNewer = (a: Head, b: Head) => entries.compare(a.id, b.id) > 0
  const heap = newestHeads(window, selection, pageRequest, walk)
  for (let index = heap.length >> 1; index >= 0; index -= 1) siftDown(heap, index, isNewer)
  const found: number[] = []
  while (found.length < count && heap.length > 0) {
    const top = heap[0]!
    found.push(top.id)
    if (!moveOn(top, walk)) {
      const last = heap.pop()!
      if (heap.length === 0) break
      heap[0] = last
    }
    siftDown(heap, 0, isNewer)
  }
  return found
}

/**
 * The lists with the newest first entries, as many lists as the page has entries: an entry of another list has as many newer
 * ones before it. Users whose newest entries are among the newest come first, so that most lists of a user who follows many are
 * not looked into.
 */
function newestHeads(
  window: RecentWindow,
  { users }: WindowSelection,
  { before, count, isHidden }: WindowPageRequest,
  walk: Walk,
): Head[] {
  const { entries, users: known } = window
  const isOlder = (a: Head, b: Head) => entries.compare(a.id, b.id) < 0
  // The oldest on top, once there are as many as the page has entries.
  const heads: Head[] = []
  let oldestTs = 0
  const look = (fid: number, user: number) => {
    if (isHidden(fid)) return
    const { feed: list } = known.activity(user)
    const head = { list, index: before === null ? list.length : list.countBefore(entries, before), id: -1 }
    if (!moveOn(head, walk)) return
    if (heads.length < count) {
      heads.push(head)
      if (heads.length < count) return
      for (let index = heads.length >> 1; index >= 0; index -= 1) siftDown(heads, index, isOlder)
    } else {
      if (!isOlder(heads[0]!, head)) return
      heads[0] = head
      siftDown(heads, 0, isOlder)
    }
    oldestTs = entries.ts(heads[0]!.id)
  }
  const feedEnds = feedEndsOf(window, users)
  const probablyOldest = nthLargest(feedEnds, count)
  let index = 0
  users.forEach((fid) => {
    const end = feedEnds[index]!
    if (end > 0 && end >= probablyOldest) look(fid, known.find(fid))
    index += 1
  })
  index = 0
  users.forEach((fid) => {
    const end = feedEnds[index]!
    if (end > oldestTs && end < probablyOldest) look(fid, known.find(fid))
    index += 1
  })
  return heads
}

/** The second after the newest entry of each user, in their order; 0 for those who have none. */
function feedEndsOf({ users: known }: RecentWindow, users: FeedUsers): Uint32Array {
  const feedEnds = new Uint32Array(users.size)
  let index = 0
  users.forEach((fid) => {
    const user = known.find(fid)
    if (user >= 0) feedEnds[index] = known.feedEnds[user]!
    index += 1
  })
  return feedEnds
}

/** Moves to the next older entry that is kept; false if there is none, or the walk was too long. */
function moveOn(head: Head, walk: Walk): boolean {
  while (head.index > 0 && walk.left > 0) {
    walk.left -= 1
    head.index -= 1
    head.id = head.list.at(head.index)
    if (walk.keeps(head.id)) return true
  }
  return false
}

function siftDown(heap: Head[], start: number, isNewer: (a: Head, b: Head) => boolean): void {
  const moved = heap[start]
  if (moved === undefined) return
  let index = start
  for (let child = 2 * index + 1; child < heap.length; child = 2 * index + 1) {
    if (child + 1 < heap.length && isNewer(heap[child + 1]!, heap[child]!)) child += 1
    if (!isNewer(heap[child]!, moved)) break
    heap[index] = heap[child]!
    index = child
  }
  heap[index] = moved
}

/** As `isShown` of `graph/query/feeds.ts` on a first page; null if the window lacks the data to decide. */
function isShownIn(
  window: RecentWindow,
  id: number,
  { users, casts }: WindowSelection,
  { isHidden }: WindowPageRequest,
  firstRecastOf: (cast: number) => number | null,
): boolean | null {
  const { entries, table } = window
  if (entries.kind(id) === entryKind.cast) return true
  const cast = entries.cast(id)
  // A cast of before the window: the tables say whether it is stored and who recasted it first.
  if (!window.isStored(cast)) return window.since > 0 ? null : false
  const author = table.fid(cast)
  if (entries.targetFid(id) !== author || isHidden(author)) return false
  const isSelected = casts === 'all' || (casts !== 'none' && window.isReply(cast) === (casts === 'replies'))
  if (isSelected && users.has(author)) return false
  const first = firstRecastOf(cast)
  return first === null ? null : entries.ts(id) <= first
}

/**
 * Finds the time of the first recast of a cast that counts for the feed, of a cast of which an entry of the page is one; null if
 * the window may lack an older one, or the walk is too long.
 */
function findFirstRecast(
  window: RecentWindow,
  cast: number,
  { users }: WindowSelection,
  { isHidden }: WindowPageRequest,
  walk: Walk,
): number | null {
  // A recast may claim a time before the window.
  if (window.since > 0 && !hasAllRecasts(window, cast, walk)) return null
  const { entries, table } = window
  const author = table.fid(cast)
  const recasts = window.recastsOf(cast)!
  for (let index = 0; index < recasts.length && walk.left > 0; index += 1) {
    walk.left -= 1
    const recast = recasts.at(index)
    const recaster = entries.actor(recast)
    if (entries.targetFid(recast) === author && users.has(recaster) && !isHidden(recaster))
      return entries.ts(recast)
  }
  return null
}

/** Whether the window has as many recasts of a stored cast as the tables. Those of a misnamed one are looked through. */
function hasAllRecasts(window: RecentWindow, cast: number, walk: Walk): boolean {
  const { table } = window
  if (!window.hasCounts(cast)) return false
  if (table.has(cast, castFlag.misnamed)) walk.left -= window.recastsOf(cast)!.length
  return walk.left >= 0 && table.count(cast, castCounter.recasts) === window.recastCount(cast)
}
