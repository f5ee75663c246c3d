import type { Caller } from '../../../api/caller.js'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { onlookerOf, type RequestOnlooker } from '../../../api/onlooker.js'
import { bansTag } from '../../../graph/cache/banned.js'
import type { Hydrator } from '../../../graph/cache/hydrator.js'
import { viewerTag } from '../../../graph/cache/ready-viewers.js'
import type { SharedReads, Tagged } from '../../../graph/cache/shared-reads.js'
import type { FeedPart, FeedPlace, FeedRow } from '../../../graph/query/feeds.js'
import { jsonArray } from '../../../graph/view/json.js'
import type { OperationContext } from '../../operation.js'

/** What pages of feeds are made with. */
export type FeedContext = Pick<OperationContext, 'db' | 'hydrator'>

/** Reads places of a feed. */
export type ReadFeed = (part: FeedPart) => Promise<readonly (FeedPlace | FeedRow)[]>

/** The beginning of a feed, where it is the same for all who ask, but for whom they are not to see. */
export interface SharedBeginning {
  /** Names it among all feeds. */
  readonly key: string
  /** Reads its first places, for nobody in particular. */
  read(count: number): Promise<Tagged<readonly FeedPlace[]>>
}

/**
 * The beginning of a feed as one onlooker sees it. It is kept until one of its authors casts or recasts, or the onlooker
 * changes what it is to see: whoever comes back to a feed to which nothing has come is not read for again.
 */
export interface OwnBeginning {
  /** Names it among all feeds. */
  readonly key: string
  /** Reads its first places, for the onlooker of the part. */
  readOwn(part: FeedPart): Promise<Tagged<readonly FeedRow[]>>
}

/** It is dropped as soon as a cast comes or goes; this is for what no message tells. */
const SHARED_MS = 1_000
/** Everything that changes it is told; this is a backstop. */
const OWN_MS = 60_000

/** So many casts of a page may be hidden from a viewer, or be gone, before it is read for that viewer alone. */
export const SPARE = 5

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
 * @param isRepeating Whether a cast can have several places in it.
 */
export function feedPages(name: string, isRepeating: boolean) {
  const cursors = cursorKind(name, keyPart.integer, keyPart.hex)

  async function page(
    { db, hydrator }: FeedContext,
    caller: Caller,
    query: FeedQuery,
    read: ReadFeed,
    beginning?: SharedBeginning | OwnBeginning,
  ): Promise<string> {
    const { limit, viewer_fid: viewerFid } = query
    const onlooker = await onlookerOf({ db, hydrator }, caller, viewerFid)
    const key = cursors.decode(query.cursor)
    const kept = key || !hydrator.keepsReady ? undefined : beginning
    if (kept && 'read' in kept) {
      const first = await firstPage(hydrator, onlooker, limit, kept)
      if (first !== null) return first
    }
    const count = (isRepeating ? Math.ceil(limit * 1.5) : limit) + 1
    const before = key && { ts: key[0], hash: key[1] }
    const part = { before, count, ...onlooker }
    const places =
      kept && 'readOwn' in kept
        ? await ownPlaces(name, hydrator.shared, onlooker, part, kept)
        : await read(part)
    const { hashes, last } = distinct(places, limit)
    const casts = await hydrator.casts(hashes, viewerFid)
    const isMore = last < places.length - 1 || places.length === count
    return pageJson(
      hashes.flatMap((hash) => casts.get(hash) ?? []),
      isMore ? places[last] : undefined,
    )
  }

  /** Null when so much of the beginning is hidden from the onlooker that it does not tell what its first page is. */
  async function firstPage(
    hydrator: Hydrator,
    onlooker: RequestOnlooker,
    limit: number,
    beginning: SharedBeginning,
  ): Promise<string | null> {
    const count = limit + SPARE + 1
    const places = await hydrator.shared.read(`${name} ${count} ${beginning.key}`, SHARED_MS, () =>
      beginning.read(count),
    )
    const hashes = places.map(({ hash }) => hash)
    const { casts, last, isMore } = await hydrator.firstCasts(hashes, limit, onlooker)
    if (!isMore && places.length === count) return null
    return pageJson(casts, isMore ? places[last] : undefined)
  }

  function pageJson(casts: readonly string[], end: FeedPlace | undefined): string {
    const next = { cursor: end ? cursors.encode([end.ts, end.hash]) : null }
    return `{"casts":${jsonArray(casts)},"next":${JSON.stringify(next)}}`
  }

  return page
}

/** The first places for one onlooker, where nothing has come since they were read. */
function ownPlaces(
  feed: string,
  shared: SharedReads,
  { viewerFid, banningAppId }: RequestOnlooker,
  part: FeedPart,
  { key, readOwn }: OwnBeginning,
): Promise<readonly FeedRow[]> {
  const onlookerKey = `${viewerFid ?? ''} ${banningAppId ?? ''}`
  return shared.read(`${feed} ${part.count} ${onlookerKey} ${key}`, OWN_MS, async () => {
    const { value, tags, ...made } = await readOwn(part)
    const viewerTags = viewerFid === undefined ? [] : [viewerTag(viewerFid)]
    const appTags = banningAppId === undefined ? [] : [bansTag(banningAppId)]
    // Those who recast a cast are told of; its coming or going is its author's, who may be anybody.
    const castTags = value.map(({ hash }) => `thread:${hash}`)
    return { ...made, value, tags: [...tags, ...viewerTags, ...appTags, ...castTags] }
  })
}

/** The first casts, each once, and the index of the last place that was looked at. */
function distinct(
  places: readonly (FeedPlace | FeedRow)[],
  limit: number,
): { hashes: string[]; last: number } {
  const hashes = new Set<string>()
  let last = -1
  for (const [index, place] of places.entries()) {
    const { hash } = place
    if (hashes.size === limit && !hashes.has(hash)) break
    if (!('isShown' in place) || place.isShown) hashes.add(hash)
    last = index
  }
  return { hashes: [...hashes], last }
}
