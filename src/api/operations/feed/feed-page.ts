import type { Hydrator } from '../../../hydrate/hydrator.js'
import type { FeedPart, FeedPlace, FeedRow } from '../../../social/queries/feeds.js'
import { jsonArray } from '../../../views/json.js'
import { cursorKind, keyPart } from '../../cursor.js'

/** Reads places of a feed. */
export type ReadFeed = (part: FeedPart) => Promise<readonly (FeedPlace | FeedRow)[]>

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

  return async (hydrator: Hydrator, query: FeedQuery, read: ReadFeed): Promise<string> => {
    const { limit, viewer_fid: viewerFid } = query
    const key = cursors.decode(query.cursor)
    const count = (isRepeating ? Math.ceil(limit * 1.5) : limit) + 1
    const before = key && { ts: key[0], hash: key[1] }
    const places = await read({ before, count, viewerFid })
    const { hashes, last } = distinct(places, limit)
    const isMore = last < places.length - 1 || places.length === count
    const end = isMore ? places[last] : undefined
    const casts = await hydrator.casts(hashes, viewerFid)
    const next = { cursor: end ? cursors.encode([end.ts, end.hash]) : null }
    return `{"casts":${jsonArray(hashes.flatMap((hash) => casts.get(hash) ?? []))},"next":${JSON.stringify(next)}}`
  }
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
