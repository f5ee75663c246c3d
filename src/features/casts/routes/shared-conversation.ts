import type { RequestViewer } from '../../../api/viewer.js'
import { cacheTag } from '../../../graph/cache/cache-tags.js'
import type { Hydrator } from '../../../graph/cache/hydrator.js'
import {
  type ConversationPage,
  type ConversationPageRequest,
  type ConversationRow,
  readConversation,
} from '../../../graph/query/casts-in-conversation.js'

/** Messages invalidate a shared conversation; this is a backstop. */
const MAX_AGE_MS = 60_000

const HASH_DIGITS = 40

/**
 * The first page of a conversation from the cache that all viewers share. Null if the page is this viewer's own, because one of its
 * casts is hidden from it or its relations are not in memory; or if it is not cached: in the order by activity, with a fold, after a
 * cursor, and where the cast is not named by its whole hash.
 */
export async function sharedConversation(
  { conversations, viewerSets, cachesViews }: Hydrator,
  { viewerFid, ignoresMutes, banned, banningAppId, ...request }: ConversationPageRequest & RequestViewer,
): Promise<ConversationPage | null> {
  const { cast, order, depth, ancestors, count } = request
  const isOfHash = cast.username === null && cast.hashPrefix.length === HASH_DIGITS
  const isInOrderOfTime = order !== 'algorithmic' && request.fold === null && request.after === null
  if (!cachesViews || !isOfHash || !isInOrderOfTime) return null
  const key = `${cast.hashPrefix} ${order} ${depth} ${ancestors} ${count}`
  const [rows, sets] = await Promise.all([
    conversations.read(key, MAX_AGE_MS, async (db) => {
      const { rows: value } = await readConversation(db, request)
      return { value, tags: tagsOf(value, cast.hashPrefix) }
    }),
    viewerFid === undefined ? null : viewerSets.load(viewerFid),
  ])
  if (viewerFid !== undefined && sets === null) return null
  const isHidden = (fid: number) => banned.has(fid) || (sets?.isHidden(fid, { ignoresMutes }) ?? false)
  return rows.some(({ level, fid }) => level !== 0 && isHidden(fid)) ? null : { rows, scanLimit: null }
}

/** A reply has the tag of the cast that it replies to. The parent of a row may be one that is not stored yet. */
function tagsOf(rows: readonly ConversationRow[], hash: string): string[] {
  const hashes = new Set([
    hash,
    ...rows.flatMap((row) => [row.hash, ...(row.parent === null ? [] : [row.parent])]),
  ])
  return [...hashes].map(cacheTag.cast)
}
