import type { Caller } from '../../../api/caller.js'
import { cursorKind, isPastLastPage, keyPart } from '../../../api/cursor.js'
import { listJson } from '../../../api/list-json.js'
import { type RequestViewer, viewerOf } from '../../../api/viewer.js'
import { cacheTag, channelTags, visibilityTags } from '../../../graph/cache/cache-tags.js'
import type { Hydrator } from '../../../graph/cache/hydrator.js'
import type { Tagged } from '../../../graph/cache/single-flight-cache.js'
import {
  type FeedCursor,
  type FeedPageRequest,
  type FeedRow,
  type ScanLimit,
  scanLimitOf,
} from '../../../graph/query/feeds.js'
import { type AuthorSelection, readAuthorFeed } from '../../../graph/query/feeds-by-author.js'
import { type ParentSelection, readParentFeed } from '../../../graph/query/feeds-by-parent.js'
import { type FollowingSelection, readFollowingFeed } from '../../../graph/query/feeds-following.js'
import { readFollowed } from '../../../graph/query/follows.js'
import { viewerKey } from '../../../graph/query/visibility-filter.js'
import type { Json } from '../../../graph/view/json.js'
import type { Database } from '../../../platform/db/connection.js'
import type { OperationContext } from '../../operation.js'

/** The parts of the context that feeds need. */
export type FeedContext = Pick<OperationContext, 'db' | 'hydrator'>

/** Reads entries of a feed. */
export type ReadFeed = (pageRequest: FeedPageRequest) => Promise<readonly FeedEntry[]>

type FeedEntry = FeedCursor | FeedRow | ScanLimit

/** How the entries of a feed are read. */
export interface FeedReader {
  readonly read: ReadFeed
  readonly firstPage?: SharedFirstPageReader | ViewerFirstPageReader
  /** Reads from the window of recent casts; null if the window cannot answer. */
  readRecent?(pageRequest: FeedPageRequest): Promise<readonly FeedRow[] | null>
}

/** Reads a first page that is the same for all viewers, apart from hidden casts. */
export interface SharedFirstPageReader {
  /** The cache key, unique within the feed. */
  readonly key: string
  /** Reads the first entries without a viewer, from the database of the cache. */
  read(db: Database, count: number): Promise<Tagged<readonly (FeedCursor | ScanLimit)[]>>
}

/**
 * Reads the first page for one viewer. It is cached until an author of the feed casts or recasts, or the
 * viewer changes what is hidden from it.
 */
export interface ViewerFirstPageReader {
  /** The cache key, unique within the feed. */
  readonly key: string
  /** Reads the first entries for the viewer of the request, from the database of the cache. */
  readForViewer(db: Database, pageRequest: FeedPageRequest): Promise<Tagged<readonly FeedRow[]>>
}

/** Messages invalidate a shared first page; this covers changes without a message. */
const MAX_SHARED_AGE_MS = 1_000
/** Messages invalidate a viewer's first page; this is a backstop. */
const MAX_VIEWER_AGE_MS = 60_000

/** Spare entries of a shared page. If more casts are hidden from a viewer, the page is read for that viewer alone. */
export const SPARE_CASTS = 5

/**
 * Entries that a page reads at most to have a cast: of a limit of 25 in three reads, of 39, 156 and 200. More than twice the followed users
 * makes PostgreSQL read so many casts of each: 600 entries took a hundred times as long as 156.
 */
const MAX_PAGE_ENTRIES = 200

/** The paging parameters of a feed. */
export interface FeedQuery {
  readonly cursor?: string
  readonly limit: number
  readonly viewer_fid?: number
}

/** The part of a description that explains feeds with recasts. */
export const recastNote =
  'A recast brings a cast of somebody else in, at the time of the first recast. The feed has each cast once.'

/** The page after the last one. Lists of published components ask for it, and would start again with a first page. */
export const emptyLastPage = listJson('casts', [], { cursor: null })

/**
 * Creates the function that renders pages of one feed as JSON, with cursors of its own.
 *
 * @param name Of the feed; part of its cursors and cache keys.
 * @param repeatsCasts Whether a cast can have several entries.
 */
export function feedPages(name: string, repeatsCasts: boolean) {
  // A position, and `recastsUntilMicros` of the first page.
  const cursors = cursorKind(name, keyPart.integer, keyPart.hex, keyPart.integer)

  async function page(
    { hydrator }: Pick<FeedContext, 'hydrator'>,
    caller: Caller,
    query: FeedQuery,
    { read, readRecent, firstPage }: FeedReader,
  ): Promise<Json> {
    const { limit, viewer_fid: viewerFid } = query
    if (isPastLastPage(query.cursor)) return emptyLastPage
    const viewer = await viewerOf({ hydrator }, caller, viewerFid)
    const key = cursors.decode(query.cursor)
    const cacheable = key || !hydrator.cachesViews ? undefined : firstPage
    if (cacheable && 'read' in cacheable) {
      const first = await readFirstPage(hydrator, viewer, limit, cacheable)
      if (first !== null) return first
    }
    const count = (repeatsCasts ? Math.ceil(limit * 1.5) : limit) + 1
    const before = key && { ts: key[0], hash: key[1] }
    // None: the cursor is of the same feed without recasts.
    const recastsUntilMicros = key?.[2] || null
    const readEntries: ReadFeed = async (request) =>
      (await readRecent?.(request)) ??
      (cacheable && 'readForViewer' in cacheable
        ? await readViewerEntries(name, hydrator, request, cacheable)
        : await read(request))
    const pageRequest = { before, count, recastsUntilMicros, ...viewer }
    const { feedEntries, isCut, hashes, lastTaken } = await readPage(readEntries, pageRequest, limit)
    const last = repeatsCasts && isCut ? lastBeforeTies(feedEntries, lastTaken) : lastTaken
    const casts = await hydrator.casts(hashes, viewerFid)
    const hasMore = last < feedEntries.length - 1 || isCut || scanLimitOf(feedEntries) !== undefined
    return pageJson(
      hashes.flatMap((hash) => casts.get(hash) ?? []),
      hasMore ? feedEntries[last] : undefined,
      recastsUntilMicros,
    )
  }

  /** Renders a shared first page; null if too many of its casts are hidden from the viewer. */
  async function readFirstPage(
    hydrator: Hydrator,
    viewer: RequestViewer,
    limit: number,
    firstPageReader: SharedFirstPageReader,
  ): Promise<Json | null> {
    const count = limit + SPARE_CASTS + 1
    const feedEntries = await hydrator.singleFlight.read(
      `${name} ${count} ${firstPageReader.key}`,
      MAX_SHARED_AGE_MS,
      (db) => firstPageReader.read(db, count),
    )
    const scanLimit = scanLimitOf(feedEntries)
    const hashes = feedEntries.filter((entry) => entry !== scanLimit).map(({ hash }) => hash)
    const { casts, lastIndex, hasMore } = await hydrator.firstVisibleCasts(hashes, limit, viewer)
    if (!hasMore && hashes.length === count) return null
    return pageJson(casts, hasMore ? feedEntries[lastIndex] : scanLimit)
  }

  function pageJson(casts: readonly Json[], end: FeedEntry | undefined, ofFirstPage: number | null = null) {
    const ofThisPage = end && 'recastsUntilMicros' in end ? end.recastsUntilMicros : 0
    const next = { cursor: end ? cursors.encode([end.ts, end.hash, ofFirstPage ?? ofThisPage]) : null }
    return listJson('casts', casts, next)
  }

  return page
}

/**
 * Reads the entries of a page and takes its casts. If there are more entries and the page is empty, because recasts among
 * them are not shown, the page is read again from its start with four times as many: all of it then comes from one statement,
 * and from the window or the cache if they have it. It ends at `MAX_PAGE_ENTRIES`, with a cursor. Pages that are only short are most
 * pages of a following feed with recasts: to fill them took seven times as much of PostgreSQL (`bench:read -- --narrow`).
 */
async function readPage(read: ReadFeed, firstRequest: FeedPageRequest, limit: number) {
  for (let { count } = firstRequest; ; count = Math.min(4 * count, MAX_PAGE_ENTRIES)) {
    const feedEntries = await read({ ...firstRequest, count })
    const { hashes, last: lastTaken } = distinctCasts(feedEntries, limit)
    const isCut = feedEntries.length === count
    const isDone = !isCut || hashes.length > 0 || scanLimitOf(feedEntries) !== undefined
    if (isDone || count >= MAX_PAGE_ENTRIES) return { feedEntries, isCut, hashes, lastTaken }
  }
}

/** Reads the cached first entries of one viewer, or of all who hide nobody: most viewers. */
async function readViewerEntries(
  feed: string,
  { singleFlight, viewerSets }: Hydrator,
  request: FeedPageRequest,
  { key, readForViewer }: ViewerFirstPageReader,
): Promise<readonly FeedRow[]> {
  const sets = request.viewerFid === undefined ? null : await viewerSets.load(request.viewerFid)
  const pageRequest = sets?.hidesNobody ? { ...request, viewerFid: undefined } : request
  return await singleFlight.read(
    `${feed} ${pageRequest.count} ${viewerKey(pageRequest)} ${key}`,
    MAX_VIEWER_AGE_MS,
    async (db) => {
      const { value, tags, ...readResult } = await readForViewer(db, pageRequest)
      // The tags cover recasts by followed users; a cast itself may be by anybody.
      const castTags = value.map(({ hash }) => cacheTag.thread(hash))
      return { ...readResult, value, tags: [...tags, ...visibilityTags(pageRequest), ...castTags] }
    },
  )
}

/** The first distinct casts, and the index of the last entry they took. */
function distinctCasts(feedEntries: readonly FeedEntry[], limit: number): { hashes: string[]; last: number } {
  const hashes = new Set<string>()
  let last = -1
  for (const [index, entry] of feedEntries.entries()) {
    const { hash } = entry
    if (hashes.size === limit && !hashes.has(hash)) break
    if (!('isShown' in entry) || entry.isShown) hashes.add(hash)
    last = index
  }
  return { hashes: [...hashes], last }
}

/**
 * Index of the last entry before those with the position of the one that fills a page, if that one is not shown: of two
 * recasts at one position, the first may name the wrong author of a cast and the one on the next page the right one. All of
 * a page at one position end it as they are.
 */
function lastBeforeTies(feedEntries: readonly FeedEntry[], last: number): number {
  const end = feedEntries[last]!
  if (last < feedEntries.length - 1 || !('isShown' in end) || end.isShown || 'isScanLimit' in end) return last
  const before = feedEntries.findLastIndex(({ ts, hash }) => ts !== end.ts || hash !== end.hash)
  const isOnPage = feedEntries.slice(before + 1).some((entry) => !('isShown' in entry) || entry.isShown)
  return before < 0 || isOnPage ? last : before
}

/**
 * Reads a feed by authors. Its first page is cached until one of the authors acts, unless the selection
 * depends on channels, members or the app, which others can change.
 */
export function authorFeed({ db, hydrator }: FeedContext, selection: AuthorSelection): FeedReader {
  const read = (pageRequest: FeedPageRequest) => readAuthorFeed(db, selection, pageRequest)
  const { fids, channelIds, membersOnly, appFid } = selection
  if (channelIds || membersOnly || appFid !== undefined) return { read }
  const firstPage: ViewerFirstPageReader = {
    key: JSON.stringify(selection),
    readForViewer: async (cacheDb, pageRequest) => ({
      value: await readAuthorFeed(cacheDb, selection, pageRequest),
      tags: [],
      authors: new Set(fids),
    }),
  }
  return { read, firstPage, readRecent: (pageRequest) => hydrator.recent.author(selection, pageRequest) }
}

/** Above this many follows, any cast invalidates the first page. */
const MAX_FOLLOWED = 5_000

/** Reads a following feed. Its first page is cached until a followed user acts. */
export function followingFeed({ db, hydrator }: FeedContext, selection: FollowingSelection): FeedReader {
  const { fid } = selection
  const read = (pageRequest: FeedPageRequest) => readFollowingFeed(db, selection, pageRequest)
  const firstPage: ViewerFirstPageReader = {
    key: JSON.stringify(selection),
    async readForViewer(cacheDb, pageRequest) {
      const [value, followed] = await Promise.all([
        readFollowingFeed(cacheDb, selection, pageRequest),
        readFollowed(cacheDb, fid, MAX_FOLLOWED + 1),
      ])
      const authors = followed.length > MAX_FOLLOWED ? { has: () => true } : new Set(followed)
      return { value, tags: [cacheTag.viewer(fid), cacheTag.links], authors }
    },
  }
  return { read, firstPage, readRecent: (pageRequest) => hydrator.recent.following(selection, pageRequest) }
}

/** Reads a feed by parent URLs. Its first page is shared by all viewers. */
export function parentFeed(db: Database, selection: ParentSelection): FeedReader {
  const read: ReadFeed = async (pageRequest) => (await readParentFeed(db, selection, pageRequest)).entries
  // Messages do not tell which URL a reply belongs to.
  if (selection.replies) return { read }
  const firstPage: SharedFirstPageReader = {
    key: JSON.stringify(selection),
    async read(cacheDb, count) {
      const { urls, entries } = await readParentFeed(cacheDb, selection, { before: null, count })
      const channels = 'channelIds' in selection.parents ? selection.parents.channelIds : []
      const tags = [...urls.map(cacheTag.feed), ...channels.flatMap(channelTags)]
      return { value: entries, tags }
    },
  }
  return { read, firstPage }
}
