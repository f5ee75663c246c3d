import type { Caller } from '../../../api/caller.js'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { type RequestViewer, viewerOf } from '../../../api/viewer.js'
import { cacheTag } from '../../../graph/cache/cache-tags.js'
import type { Hydrator } from '../../../graph/cache/hydrator.js'
import type { SingleFlightCache, Tagged } from '../../../graph/cache/single-flight-cache.js'
import type { FeedCursor, FeedPageRequest, FeedRow } from '../../../graph/query/feeds.js'
import { jsonArray } from '../../../graph/view/json.js'
import type { OperationContext } from '../../operation.js'

/** What pages of feeds are made with. */
export type FeedContext = Pick<OperationContext, 'db' | 'hydrator'>

/** Reads places of a feed. */
export type ReadFeed = (pageRequest: FeedPageRequest) => Promise<readonly (FeedCursor | FeedRow)[]>

/** The beginning of a feed, where it is the same for all who ask, but for whom they are not to see. */
export interface SharedFirstPageReader {
  /** Names it among all feeds. */
  readonly key: string
  /** Reads its first places, for nobody in particular. */
  read(count: number): Promise<Tagged<readonly FeedCursor[]>>
}

/**
 * The beginning of a feed as one onlooker sees it. It is kept until one of its authors casts or recasts, or the onlooker
 * changes what it is to see: whoever comes back to a feed to which nothing has come is not read for again.
 */
export interface ViewerFirstPageReader {
  /** Names it among all feeds. */
  readonly key: string
  /** Reads its first places, for the onlooker of the part. */
  readForViewer(pageRequest: FeedPageRequest): Promise<Tagged<readonly FeedRow[]>>
}

/** It is dropped as soon as a cast comes or goes; this is for what no message tells. */
const SHARED_MAX_AGE_MS = 1_000
/** Everything that changes it is told; this is a backstop. */
const VIEWER_MAX_AGE_MS = 60_000

/** So many casts of a page may be hidden from a viewer, or be gone, before it is read for that viewer alone. */
export const SPARE_CASTS = 5

/** What every feed is asked: which part of it, and for whom. */
export interface FeedQuery {
  readonly cursor?: string
  readonly limit: number
  readonly viewer_fid?: number
}

/**
 * How a feed with recasts is paged, for the description of operations that have one. A cast that was recast comes
 * once on a page, at the latest of its places there; it may come again on a later page, at an older one.
 */
export const recastNote =
  'A cast that was recast stands at the time of the recast. On a page each cast comes once, at its latest place; ' +
  'a later page may have it again, at an older one.'

/**
 * Makes pages of a feed as JSON. Its cursors belong to it alone.
 *
 * @param name Of the feed, as it stands in its cursors.
 * @param repeatsCasts Whether a cast can have several places in it.
 */
export function feedPages(name: string, repeatsCasts: boolean) {
  const cursors = cursorKind(name, keyPart.integer, keyPart.hex)

  async function page(
    { db, hydrator }: FeedContext,
    caller: Caller,
    query: FeedQuery,
    read: ReadFeed,
    firstPageReader?: SharedFirstPageReader | ViewerFirstPageReader,
  ): Promise<string> {
    const { limit, viewer_fid: viewerFid } = query
    const viewer = await viewerOf({ db, hydrator }, caller, viewerFid)
    const key = cursors.decode(query.cursor)
    const cacheable = key || !hydrator.cachesViews ? undefined : firstPageReader
    if (cacheable && 'read' in cacheable) {
      const first = await readFirstPage(hydrator, viewer, limit, cacheable)
      if (first !== null) return first
    }
    const count = (repeatsCasts ? Math.ceil(limit * 1.5) : limit) + 1
    const before = key && { ts: key[0], hash: key[1] }
    const pageRequest = { before, count, ...viewer }
    const feedEntries =
      cacheable && 'readForViewer' in cacheable
        ? await readViewerEntries(name, hydrator.singleFlight, viewer, pageRequest, cacheable)
        : await read(pageRequest)
    const { hashes, last } = distinctCasts(feedEntries, limit)
    const casts = await hydrator.casts(hashes, viewerFid)
    const hasMore = last < feedEntries.length - 1 || feedEntries.length === count
    return pageJson(
      hashes.flatMap((hash) => casts.get(hash) ?? []),
      hasMore ? feedEntries[last] : undefined,
    )
  }

  /** Null when so much of the beginning is hidden from the onlooker that it does not tell what its first page is. */
  async function readFirstPage(
    hydrator: Hydrator,
    viewer: RequestViewer,
    limit: number,
    firstPageReader: SharedFirstPageReader,
  ): Promise<string | null> {
    const count = limit + SPARE_CASTS + 1
    const feedEntries = await hydrator.singleFlight.read(
      `${name} ${count} ${firstPageReader.key}`,
      SHARED_MAX_AGE_MS,
      () => firstPageReader.read(count),
    )
    const hashes = feedEntries.map(({ hash }) => hash)
    const { casts, lastIndex, hasMore } = await hydrator.firstVisibleCasts(hashes, limit, viewer)
    if (!hasMore && feedEntries.length === count) return null
    return pageJson(casts, hasMore ? feedEntries[lastIndex] : undefined)
  }

  function pageJson(casts: readonly string[], end: FeedCursor | undefined): string {
    const next = { cursor: end ? cursors.encode([end.ts, end.hash]) : null }
    return `{"casts":${jsonArray(casts)},"next":${JSON.stringify(next)}}`
  }

  return page
}

/** The first places for one onlooker, where nothing has come since they were read. */
function readViewerEntries(
  feed: string,
  singleFlight: SingleFlightCache,
  { viewerFid, banningAppId }: RequestViewer,
  pageRequest: FeedPageRequest,
  { key, readForViewer }: ViewerFirstPageReader,
): Promise<readonly FeedRow[]> {
  const viewerKey = `${viewerFid ?? ''} ${banningAppId ?? ''}`
  return singleFlight.read(
    `${feed} ${pageRequest.count} ${viewerKey} ${key}`,
    VIEWER_MAX_AGE_MS,
    async () => {
      const { value, tags, ...readResult } = await readForViewer(pageRequest)
      const viewerTags = viewerFid === undefined ? [] : [cacheTag.viewer(viewerFid)]
      const appTags = banningAppId === undefined ? [] : [cacheTag.bans(banningAppId)]
      // Those who recast a cast are told of; its coming or going is its author's, who may be anybody.
      const castTags = value.map(({ hash }) => cacheTag.thread(hash))
      return { ...readResult, value, tags: [...tags, ...viewerTags, ...appTags, ...castTags] }
    },
  )
}

/** The first casts, each once, and the index of the last place that was looked at. */
function distinctCasts(
  feedEntries: readonly (FeedCursor | FeedRow)[],
  limit: number,
): { hashes: string[]; last: number } {
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
