import { Type } from '@sinclair/typebox'
import type { PublicApi } from './public-api.js'

/** Each channel is checked later, so that one malformed entry does not fail the others. */
const Channels = Type.Object({ result: Type.Object({ channels: Type.Array(Type.Unknown()) }) })
const Next = Type.Optional(Type.Object({ cursor: Type.Optional(Type.String()) }))
const Followers = Type.Object({
  result: Type.Object({
    users: Type.Array(Type.Object({ fid: Type.Integer(), followedAt: Type.Integer() })),
  }),
  next: Next,
})
const Members = Type.Object({
  result: Type.Object({
    members: Type.Array(Type.Object({ fid: Type.Integer(), memberAt: Type.Integer() })),
  }),
  next: Next,
})

const PAGE = 1000

/** Reads all channels, unchecked. @throws Error if the API does not answer. */
export async function readPublicChannels(api: PublicApi): Promise<readonly unknown[]> {
  return (await api.get('/v2/all-channels', {}, Channels)).result.channels
}

/** Members of a channel document, by the name in the source. */
const FIELD_NAMES: readonly (readonly [theirs: string, ours: string])[] = [
  ['id', 'id'],
  ['url', 'parent_url'],
  ['name', 'name'],
  ['description', 'description'],
  ['descriptionMentions', 'description_mentions'],
  ['descriptionMentionsPositions', 'description_mention_positions'],
  ['imageUrl', 'image_url'],
  ['headerImageUrl', 'header_image_url'],
  ['leadFid', 'lead_fid'],
  ['moderatorFids', 'moderator_fids'],
  ['createdAt', 'created_at'],
  ['followerCount', 'follower_count'],
  ['memberCount', 'member_count'],
  ['pinnedCastHash', 'pinned_cast_hash'],
  ['externalLink', 'external_link'],
]

/** Converts a channel of the public client to a document for import, unchecked. */
export function channelDocument(channel: unknown): Record<string, unknown> {
  if (typeof channel !== 'object' || channel === null) return {}
  const sourceFields = new Map(Object.entries(channel))
  return Object.fromEntries(
    FIELD_NAMES.flatMap(([theirs, ours]) =>
      sourceFields.has(theirs) ? [[ours, sourceFields.get(theirs)]] : [],
    ),
  )
}

/** Reads the followers of a channel, for import. @throws Error if the API does not answer. */
export async function readPublicFollowers(
  api: PublicApi,
  channelId: string,
): Promise<{ readonly fid: number; readonly followed_at: number }[]> {
  const found = []
  let cursor: string | undefined
  do {
    const page = await api.get('/v1/channel-followers', { channelId, limit: PAGE, cursor }, Followers)
    found.push(...page.result.users.map(({ fid, followedAt }) => ({ fid, followed_at: followedAt })))
    cursor = page.result.users.length > 0 ? page.next?.cursor : undefined
  } while (cursor !== undefined)
  return found
}

/** Reads the members of a channel, for import. @throws Error if the API does not answer. */
export async function readPublicMembers(
  api: PublicApi,
  channelId: string,
): Promise<{ readonly fid: number; readonly member_since: number }[]> {
  const found = []
  let cursor: string | undefined
  do {
    const page = await api.get('/fc/channel-members', { channelId, limit: PAGE, cursor }, Members)
    found.push(...page.result.members.map(({ fid, memberAt }) => ({ fid, member_since: memberAt })))
    cursor = page.result.members.length > 0 ? page.next?.cursor : undefined
  } while (cursor !== undefined)
  return found
}
