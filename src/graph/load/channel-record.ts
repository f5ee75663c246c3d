import type { Database } from '../../platform/db/connection.js'

/** Everything that a view of a channel shows, except users. */
export interface ChannelRecord {
  readonly id: string
  readonly url: string
  readonly parentUrl: string
  readonly name: string
  readonly description: string
  readonly descriptionMentions: readonly number[]
  /** Byte offsets in the UTF-8 description. */
  readonly descriptionMentionPositions: readonly number[]
  /** Whether the description has the names of mentioned users itself, as messages of the protocol do. */
  readonly hasNamesInDescription: boolean
  readonly imageUrl: string | null
  readonly leadFid: number
  readonly moderatorFids: readonly number[]
  /** Unix seconds. */
  readonly createdAt: number
  readonly followerCount: number
  readonly memberCount: number
  /** Lowercase hex without 0x. */
  readonly pinnedCastHash: string | null
  /** Whether the pinned cast is stored and shown in the channel: its author may have deleted it, moderators may have hidden it. */
  readonly hasPinnedCast: boolean
  readonly externalLinkTitle: string | null
  readonly externalLinkUrl: string | null
}

/** Loads channels by id, in one statement. */
export async function loadChannels(
  db: Database,
  ids: readonly string[],
): Promise<Map<string, ChannelRecord>> {
  if (ids.length === 0) return new Map()
  const rows = await db<ChannelRecord[]>`
    select
      id, url, parent_url as "parentUrl", name, description,
      description_mentions as "descriptionMentions",
      description_mention_positions as "descriptionMentionPositions",
      protocol_id is not null and description_mentions = '{}' as "hasNamesInDescription",
      image_url as "imageUrl", lead_fid as "leadFid", moderator_fids as "moderatorFids",
      created_at as "createdAt", follower_count as "followerCount", member_count as "memberCount",
      encode(pinned_cast_hash, 'hex') as "pinnedCastHash",
      exists (
        select from social.casts c
        where c.hash = pinned_cast_hash
          and not exists (select from channels.hidden_casts h where h.channel_id = channels.id and h.hash = c.hash)
          and not exists (select from channels.bans b where b.channel_id = channels.id and b.fid = c.fid)
      ) as "hasPinnedCast",
      external_link_title as "externalLinkTitle", external_link_url as "externalLinkUrl"
    from channels.channels
    where id = any (${db.types.texts(ids)}::text[])
  `
  return new Map(rows.map((row) => [row.id, row]))
}
