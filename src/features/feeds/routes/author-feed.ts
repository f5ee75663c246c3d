import { type AuthorSelection, readAuthorFeed } from '../../../graph/query/feeds-by-author.js'
import type { Database } from '../../../platform/db/connection.js'
import type { ReadFeed, ViewerFirstPageReader } from './feed-page.js'

/**
 * How the feed of some authors is read, and its beginning, which is kept until one of them does something. What is in
 * a channel, who is a member of it, and which app a key belongs to can change by what others do: then nothing is kept.
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
