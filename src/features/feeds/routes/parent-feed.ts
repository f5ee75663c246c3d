import { cacheTag } from '../../../graph/cache/cache-tags.js'
import { type ParentSelection, readParentFeed } from '../../../graph/query/feeds-by-parent.js'
import type { Database } from '../../../platform/db/connection.js'
import type { ReadFeed, SharedFirstPageReader } from './feed-page.js'

/** How a feed below URLs is read: all of it, and its beginning once for all who ask. */
export function parentFeed(db: Database, selection: ParentSelection): [ReadFeed, SharedFirstPageReader?] {
  const read: ReadFeed = async (pageRequest) => (await readParentFeed(db, selection, pageRequest)).entries
  // Of replies and of members no message tells which URLs they are below.
  if (selection.replies || selection.membersOnly) return [read]
  const firstPageReader: SharedFirstPageReader = {
    key: JSON.stringify(selection.parents),
    async read(count) {
      const { urls, entries } = await readParentFeed(db, selection, { before: null, count })
      const channels = 'channelIds' in selection.parents ? selection.parents.channelIds : []
      const tags = [...urls.map(cacheTag.feed), ...channels.map(cacheTag.channel)]
      return { value: entries, tags }
    },
  }
  return [read, firstPageReader]
}
