import { cacheTag } from '../../../graph/cache/cache-tags.js'
import { type AuthorSelection, readAuthorFeed } from '../../../graph/query/feeds-by-author.js'
import { type ParentSelection, readParentFeed } from '../../../graph/query/feeds-by-parent.js'
import { type FollowingSelection, readFollowingFeed } from '../../../graph/query/feeds-following.js'
import { readFollowed } from '../../../graph/query/follows.js'
import type { Database } from '../../../platform/db/connection.js'
import type { ReadFeed, SharedFirstPageReader, ViewerFirstPageReader } from './feed-page.js'

/**
 * Readers of a feed by authors. Its first page is cached until one of the authors acts, unless the selection
 * depends on channels, members or the app, which others can change.
 */
export function authorFeed(db: Database, selection: AuthorSelection): [ReadFeed, ViewerFirstPageReader?] {
  const read = (pageRequest: Parameters<ReadFeed>[0]) => readAuthorFeed(db, selection, pageRequest)
  const { fids, channelIds, membersOnly, appFid } = selection
  if (channelIds || membersOnly || appFid !== undefined) return [read]
  const firstPageReader: ViewerFirstPageReader = {
    key: JSON.stringify(selection),
    readForViewer: async (pageRequest) => ({
      value: await read(pageRequest),
      tags: [],
      authors: new Set(fids),
    }),
  }
  return [read, firstPageReader]
}

/** Above this many follows, any cast invalidates the first page. */
const MAX_FOLLOWED = 5_000

/** Readers of a following feed. Its first page is cached until a followed user acts. */
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

/** Readers of a feed by parent URLs. Its first page is shared by all viewers. */
export function parentFeed(db: Database, selection: ParentSelection): [ReadFeed, SharedFirstPageReader?] {
  const read: ReadFeed = async (pageRequest) => (await readParentFeed(db, selection, pageRequest)).entries
  // Messages do not tell which URL a reply or a membership belongs to.
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
