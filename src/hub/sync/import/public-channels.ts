import { Type } from '@sinclair/typebox'
import type { PublicApi } from './public-api.js'

/** Each channel is checked later, so that one malformed entry does not fail the others. */
const Channels = Type.Object({ result: Type.Object({ channels: Type.Array(Type.Unknown()) }) })
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
  const users = await readUsers(api, '/v1/channel-followers', channelId, 'users', 'followedAt')
  return users.map(({ fid, since }) => ({ fid, followed_at: since }))
}

/** Reads the members of a channel, for import. @throws Error if the API does not answer. */
export async function readPublicMembers(
  api: PublicApi,
  channelId: string,
): Promise<{ readonly fid: number; readonly member_since: number }[]> {
  const members = await readUsers(api, '/fc/channel-members', channelId, 'members', 'memberAt')
  return members.map(({ fid, since }) => ({ fid, member_since: since }))
}

/**
 * Reads all pages of a list of a channel's users, with the time at which each joined it.
 * @throws Error if the list does not end as one does: the import takes users who are missing for users who have left.
 */
async function readUsers(
  api: PublicApi,
  path: string,
  channelId: string,
  list: string,
  time: string,
): Promise<{ readonly fid: number; readonly since: number }[]> {
  const User = Type.Object({ fid: Type.Integer(), [time]: Type.Integer() })
  let listed = 0
  const Page = Type.Object({
    result: Type.Object({ [list]: Type.Array(Type.Unknown()) }),
    next: Type.Optional(Type.Object({ cursor: Type.Optional(Type.String()) })),
  })
  const found = []
  const readCursors = new Set<string>()
  let cursor: string | undefined
  while (true) {
    const page = await api.get(path, { channelId, limit: PAGE, cursor }, Page)
    const entries = page.result[list]!
    listed += entries.length
    const users = api.wellFormed(entries, User)
    found.push(...users.map((user) => ({ fid: user.fid!, since: user[time]! })))
    const askedWith = cursor
    cursor = page.next?.cursor
    // The last page has its own cursor as the next one, or none.
    if (cursor === undefined || cursor === askedWith) break
    if (entries.length === 0) throw new Error(`${path} of ${channelId} has an empty page before its end`)
    // It leads to the same pages without an end.
    if (readCursors.has(cursor)) throw new Error(`${path} of ${channelId} repeats the cursor ${cursor}`)
    readCursors.add(cursor)
  }
  // A list of another shape is none: an empty one would end all memberships.
  if (listed > 0 && found.length === 0) throw new Error(`${path}: all entries are malformed`)
  return found
}
