import type { Hydrator } from '../../../hydrate/hydrator.js'
import { farcasterSecondsFromUnixMs } from '../../../protocol/time.js'
import type { RankedCast, RankedPart } from '../../../social/queries/feeds-ranked.js'
import { jsonArray } from '../../../views/json.js'
import { cursorKind, keyPart } from '../../cursor.js'
import type { FeedQuery } from './feed-page.js'

/** How a ranked feed is paged, for descriptions. */
export const rankNote =
  'Ages are counted from the moment of the first page on all pages, so that what does not change keeps its rank.'

/** Makes pages of a ranked feed as JSON. Their cursors hold the moment of the first page. */
export function rankedPages(name: string) {
  const cursors = cursorKind(name, keyPart.integer, keyPart.number, keyPart.hex)

  return async (
    { hydrator, clock }: { hydrator: Hydrator; clock: () => number },
    query: FeedQuery,
    read: (part: RankedPart) => Promise<readonly RankedCast[]>,
  ): Promise<string> => {
    const { limit, viewer_fid: viewerFid } = query
    const key = cursors.decode(query.cursor)
    const ts = key?.[0] ?? farcasterSecondsFromUnixMs(clock())
    const after = key && { rank: key[1], hash: key[2] }
    const rows = await read({ ts, after, count: limit + 1, viewerFid })
    const page = rows.slice(0, limit)
    const hashes = page.map(({ hash }) => hash)
    const casts = await hydrator.casts(hashes, viewerFid)
    const last = rows.length > limit ? page.at(-1) : undefined
    const next = { cursor: last ? cursors.encode([ts, last.rank, last.hash]) : null }
    return `{"casts":${jsonArray(hashes.flatMap((hash) => casts.get(hash) ?? []))},"next":${JSON.stringify(next)}}`
  }
}
