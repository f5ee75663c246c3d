import { Type } from '@sinclair/typebox'
import type { Caller } from '../../../api/caller.js'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { limitParameter, textParameter } from '../../../api/parameters.js'
import { viewerOf } from '../../../api/viewer.js'
import { type FeedCursor, type FeedPageRequest, scanLimitOf } from '../../../graph/query/feeds.js'
import { readAuthorFeed } from '../../../graph/query/feeds-by-author.js'
import { workPrices } from '../../../platform/limits/work-prices.js'
import type { Operation, OperationContext } from '../../operation.js'
import { loadVersionOneCasts } from '../loaders.js'
import { readRecentCasts, readThread } from '../queries.js'
import { pageOf, VersionOneCast } from '../schema.js'
import {
  bareHex,
  fid,
  hash,
  lookupViewerFid,
  paging,
  required,
  versionOne,
  viewerFid,
} from './version-one-operation.js'

const cast = versionOne({
  tag: 'Casts',
  path: 'cast',
  summary: 'Get cast by hash',
  query: Type.Object({ hash, viewerFid: lookupViewerFid }),
  result: Type.Object({ cast: VersionOneCast }),
  handle: async (context, query, caller) => {
    const viewer = await viewerOf(context, caller, query.viewerFid)
    const [found] = await loadVersionOneCasts(context, [bareHex(query.hash)], viewer)
    return { cast: required(found, 'such cast', 'hash') }
  },
})

const MAX_URL_LENGTH = 2_048

const casts = versionOne({
  tag: 'Casts',
  path: 'casts',
  price: ({ parent_url }) => (parent_url === undefined ? null : workPrices.search),
  summary: 'Get casts of a user',
  query: Type.Object({
    fid,
    parent_url: Type.Optional(
      textParameter({
        maxLength: MAX_URL_LENGTH,
        description: 'Only casts directly below this URL.',
        examples: [],
      }),
    ),
    ...paging,
  }),
  result: pageOf('casts', VersionOneCast),
  handle: (context, { fid, parent_url, ...query }, caller) =>
    castPage(context, query, caller, (pageRequest) =>
      readAuthorFeed(
        context.db,
        { fids: [fid], casts: 'all', recasts: false, parentUrl: parent_url },
        pageRequest,
      ),
    ),
})

const allCastsInThread = versionOne({
  tag: 'Casts',
  path: 'all-casts-in-thread',
  // The whole thread is read for its first 500 casts.
  price: () => workPrices.search,
  summary: 'Get the casts of a thread',
  query: Type.Object({ threadHash: hash, viewerFid }),
  result: Type.Object({ casts: Type.Array(VersionOneCast) }),
  handle: async (context, query, caller) => {
    const viewer = await viewerOf(context, caller, query.viewerFid)
    const hashes = await readThread(context.db, bareHex(query.threadHash), viewer)
    return { casts: await loadVersionOneCasts(context, hashes, viewer) }
  },
})

const recentCasts = versionOne({
  tag: 'Casts',
  path: 'recent-casts',
  summary: 'Get recent casts',
  query: Type.Object({ ...paging, limit: limitParameter({ maximum: 100, default: 25 }) }),
  result: pageOf('casts', VersionOneCast),
  handle: (context, query, caller) =>
    castPage(context, query, caller, (pageRequest) => readRecentCasts(context.db, pageRequest)),
})

const cursors = cursorKind('v1 casts', keyPart.integer, keyPart.hex)

interface CastQuery {
  readonly viewerFid?: number
  readonly limit: number
  readonly cursor?: string
}

async function castPage(
  context: OperationContext,
  { viewerFid, limit, cursor }: CastQuery,
  caller: Caller,
  read: (pageRequest: FeedPageRequest) => Promise<FeedCursor[]>,
) {
  const viewer = await viewerOf(context, caller, viewerFid)
  const key = cursors.decode(cursor)
  const rows = await read({ before: key && { ts: key[0], hash: key[1] }, count: limit + 1, ...viewer })
  const scanLimit = scanLimitOf(rows)
  const found = scanLimit === undefined ? rows : rows.slice(0, -1)
  const { page, next } = cursors.page(found, limit, (last) => [last.ts, last.hash])
  const shown = page.map((row) => row.hash)
  return {
    casts: await loadVersionOneCasts(context, shown, viewer),
    next: scanLimit === undefined ? next : { cursor: cursors.encode([scanLimit.ts, scanLimit.hash]) },
  }
}

/** Operations of version 1 on casts. */
export const versionOneCasts: readonly Operation[] = [cast, casts, allCastsInThread, recentCasts]
