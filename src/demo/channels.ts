import type { Database } from '../platform/db/connection.js'
import { unixSecondsFromFarcasterSeconds } from '../protocol/time.js'
import { channelUrl } from './composing.js'
import { languageIds, languageOf, topics } from './lexicon.js'

/** Members of a channel, after its lead. */
const MAX_MEMBERS = 50
/** Likes that a cast needs to be pinned. */
const MIN_PINNED_LIKES = 2

/** A channel of the demo, in the form that `plaza channel import` reads. */
export interface DemoChannel {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly url: string
  readonly parent_url: string
  readonly lead_fid: number
  readonly created_at: number
  readonly pinned_cast_hash: string | null
  readonly followers: readonly { readonly fid: number; readonly followed_at: number }[]
  readonly members: readonly {
    readonly fid: number
    readonly role: 'member' | 'moderator'
    readonly member_since: number
  }[]
}

interface CastChannelRow {
  url: string
  firstTs: number
  fids: number[]
  firstTimes: number[]
  pinned: string | null
}

/**
 * Makes the channels that the casts of a finished demo name. Channels are no messages of the protocol, so they follow
 * from the read model: who casts most leads, the second moderates, further authors are members in the order of
 * their casts, all of them follow, and the most liked cast is pinned.
 */
export async function demoChannels(db: Database): Promise<DemoChannel[]> {
  const ids = [...topics.map(({ id }) => id), ...languageIds.map((language) => languageOf(language).channel)]
  const idByUrl = new Map(ids.map((id) => [channelUrl(id), id]))
  const rows = await db<CastChannelRow[]>`
    with authors as (
      select root_parent_url as url, fid, count(*) as casts, min(ts) as first_ts
      from social.casts
      where root_parent_url = any (${db.types.texts([...idByUrl.keys()])}::text[])
      group by root_parent_url, fid
    )
    select
      url, min(first_ts) as "firstTs",
      array_agg(fid order by casts desc, fid) as fids,
      array_agg(first_ts order by casts desc, fid) as "firstTimes",
      (
        select encode(c.hash, 'hex')
        from social.casts c
        join social.cast_counts counts on counts.hash = c.hash
        where c.parent_url = authors.url and counts.likes >= ${MIN_PINNED_LIKES}
        order by counts.likes desc, c.ts, c.hash
        limit 1
      ) as pinned
    from authors
    group by url
    order by url
  `
  return rows.map((row) => channelOf(idByUrl.get(row.url)!, row))
}

function channelOf(id: string, { url, firstTs, fids, firstTimes, pinned }: CastChannelRow): DemoChannel {
  const people = fids.map((fid, index) => ({
    fid,
    since: unixSecondsFromFarcasterSeconds(firstTimes[index]!),
  }))
  const [lead, ...others] = people
  return {
    id,
    name: `${id.charAt(0).toUpperCase()}${id.slice(1)}`,
    description: `All about ${id}.`,
    url,
    parent_url: url,
    lead_fid: lead!.fid,
    created_at: unixSecondsFromFarcasterSeconds(firstTs),
    pinned_cast_hash: pinned,
    followers: people.map(({ fid, since }) => ({ fid, followed_at: since })),
    members: others.slice(0, MAX_MEMBERS).map(({ fid, since }, index) => ({
      fid,
      role: index === 0 ? 'moderator' : 'member',
      member_since: since,
    })),
  }
}
