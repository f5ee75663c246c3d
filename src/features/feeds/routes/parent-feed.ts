import { type ParentSelection, readParentFeed } from '../../../graph/query/feeds-by-parent.js'
import type { Database } from '../../../platform/db/connection.js'
import type { ReadFeed, SharedBeginning } from './feed-page.js'

/** How a feed below URLs is read: all of it, and its beginning once for all who ask. */
export function parentFeed(db: Database, selection: ParentSelection): [ReadFeed, SharedBeginning?] {
  const read: ReadFeed = async (part) => (await readParentFeed(db, selection, part)).places
  // Of replies and of members no message tells which URLs they are below.
  if (selection.replies || selection.membersOnly) return [read]
  const beginning: SharedBeginning = {
    key: JSON.stringify(selection.below),
    async read(count) {
      const { urls, places } = await readParentFeed(db, selection, { before: null, count })
      const channels = 'channelIds' in selection.below ? selection.below.channelIds : []
      const tags = [...urls.map((url) => `feed:${url}`), ...channels.map((id) => `channel:${id}`)]
      return { value: places, tags }
    },
  }
  return [read, beginning]
}
