import { type CursorKind, cursorKind, keyPart } from '../../../api/cursor.js'
import type { Hydrator } from '../../../graph/cache/hydrator.js'
import { jsonArray } from '../../../graph/view/json.js'
import type { ChannelKey } from '../queries.js'

/** The cursor of a list of channels in an order of its own. */
export function channelCursor(order: string): CursorKind<[number, string]> {
  return cursorKind(order, keyPart.number, keyPart.text)
}

/**
 * A page of channels as JSON: `keys` holds one more than fits when there is a next page.
 *
 * @returns the pieces of the reply: the list, and `next`.
 */
export async function channelPage(
  hydrator: Hydrator,
  keys: readonly ChannelKey[],
  limit: number,
  cursors: CursorKind<[number, string]>,
  viewerFid?: number,
): Promise<{ channels: string; next: string }> {
  const page = keys.slice(0, limit)
  const channels = await hydrator.channels(
    page.map(({ id }) => id),
    viewerFid,
  )
  return {
    channels: jsonArray(page.flatMap(({ id }) => channels.get(id) ?? [])),
    next: nextJson(keys, limit, cursors),
  }
}

/** `next` of a page: null when nothing was left over. */
export function nextJson(
  keys: readonly ChannelKey[],
  limit: number,
  cursors: CursorKind<[number, string]>,
): string {
  const last = keys.length > limit ? keys[limit - 1] : undefined
  return JSON.stringify({ cursor: last ? cursors.encode([last.rank, last.id]) : null })
}
