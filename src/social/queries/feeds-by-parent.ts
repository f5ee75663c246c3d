import type { Fragment } from 'postgres'
import type { Database } from '../../db/connection.js'
import { shownTo } from './casts-shown-to.js'
import { type FeedPart, type FeedPlace, placeOf } from './feeds.js'

/** What is wanted below parent URLs. */
export interface ParentSelection {
  /** The URLs themselves, or channels, which stand for all their URLs. */
  readonly below: { readonly urls: readonly string[] } | { readonly channelIds: readonly string[] }
  /** Replies in the threads below them too. */
  readonly replies: boolean
  /** Only authors who are members of the channel that the URL is of, its lead among them. */
  readonly membersOnly?: boolean | undefined
}

/** The feed of some parent URLs: the newest of each by index, and the newest of those. */
export async function readParentFeed(
  db: Database,
  { below, replies, membersOnly }: ParentSelection,
  part: FeedPart,
): Promise<FeedPlace[]> {
  const urls =
    'urls' in below
      ? db`unnest(${db.types.texts(below.urls)}::text[]) as parent (url)`
      : db`(
          select url from channels.urls where channel_id = any (${db.types.texts(below.channelIds)}::text[])
        ) as parent`
  return db<FeedPlace[]>`
    select place.ts, encode(place.hash, 'hex') as hash
    from ${urls}
    cross join lateral (
      select c.ts, c.hash
      from social.casts c
      where ${replies ? db`c.root_parent_url` : db`c.parent_url`} = parent.url
        and (c.ts, c.hash) < ${placeOf(db, part)}
        and ${shownTo(db, part.viewerFid, 'c.fid')} ${membersOnly ? db`and ${isMember(db, db`parent.url`)}` : db``}
      order by c.ts desc, c.hash desc
      limit ${part.count}
    ) place
    order by place.ts desc, place.hash desc
    limit ${part.count}
  `
}

/** A condition on casts `c`: the author belongs to the channel that the URL is of. */
export function isMember(db: Database, url: Fragment): Fragment {
  return db`exists (
    select from channels.urls cu
    join channels.channels ch on ch.id = cu.channel_id
    where cu.url = ${url} and (
      ch.lead_fid = c.fid
      or exists (select from channels.members m where m.channel_id = ch.id and m.fid = c.fid)
    )
  )`
}
