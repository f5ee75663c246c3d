import { cacheTag } from '../../../graph/cache/cache-tags.js'
import { type FollowingSelection, readFollowingFeed } from '../../../graph/query/feeds-following.js'
import { readFollowed } from '../../../graph/query/follows.js'
import type { Database } from '../../../platform/db/connection.js'
import type { ReadFeed, ViewerFirstPageReader } from './feed-page.js'

/** Who follows more is not held against each of them: whatever anybody casts may be for its feed. */
const MAX_FOLLOWED = 5_000

/** How the feed of whom a user follows is read, and its beginning, which is kept until one of them does something. */
export function followingFeed(
  db: Database,
  selection: FollowingSelection,
): [ReadFeed, ViewerFirstPageReader] {
  const { fid, recasts } = selection
  const read = (pageRequest: Parameters<ReadFeed>[0]) => readFollowingFeed(db, selection, pageRequest)
  const firstPageReader: ViewerFirstPageReader = {
    key: `${fid} ${recasts}`,
    async readForViewer(pageRequest) {
      const [value, followed] = await Promise.all([
        read(pageRequest),
        readFollowed(db, fid, MAX_FOLLOWED + 1),
      ])
      const authors = followed.length > MAX_FOLLOWED ? { has: () => true } : new Set(followed)
      return { value, tags: [cacheTag.viewer(fid)], authors }
    },
  }
  return [read, firstPageReader]
}
