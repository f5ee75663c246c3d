import { type Static, Type } from '@sinclair/typebox'
import { ChannelOrChannelDehydrated } from './channel.js'
import { ChannelDehydrated, ChannelUserContext } from './channel-dehydrated.js'
import { CastParentAuthor, Embed } from './embed.js'
import { NextCursor } from './paging.js'
import { CastText, Count, DateTime, Fid, HashString, TextRange, Url, Username } from './primitives.js'
import { deprecated, nullable, textEnum } from './schema-type.js'
import { User } from './user.js'
import { UserDehydrated } from './user-dehydrated.js'

const Reactor = Type.Object({ fid: Fid, fname: Username })

/** Counts of reactions to a cast. */
export const CastReactions = Type.Object(
  {
    likes: deprecated(Type.Array(Reactor), 'Always empty. Use `reactions/cast`.'),
    likes_count: Count,
    recasts: deprecated(Type.Array(Reactor), 'Always empty. Use `reactions/cast`.'),
    recasts_count: Count,
  },
  { $id: 'CastReactions' },
)
export type CastReactions = Static<typeof CastReactions>

export const CastReplies = Type.Object({ count: Count }, { $id: 'CastReplies' })
export type CastReplies = Static<typeof CastReplies>

/** The viewer's reactions to a cast. */
export const CastViewerContext = Type.Object(
  { liked: Type.Boolean(), recasted: Type.Boolean() },
  { $id: 'CastViewerContext' },
)
export type CastViewerContext = Static<typeof CastViewerContext>

const castMembers = {
  object: Type.Literal('cast'),
  hash: HashString,
  parent_hash: nullable(HashString, { examples: [null] }),
  parent_url: nullable(Url, { examples: ['https://farcaster.xyz/~/channel/gardening'] }),
  root_parent_url: nullable(Url, { examples: ['https://farcaster.xyz/~/channel/gardening'] }),
  thread_hash: nullable(HashString),
  parent_author: CastParentAuthor,
  author: User,
  app: Type.Optional(nullable(UserDehydrated)),
  text: CastText,
  timestamp: DateTime,
  embeds: Type.Array(Embed, { examples: [[]] }),
  type: Type.Optional(
    textEnum(['cast-mention', 'cast-reply'], { $id: 'CastNotificationType', examples: [] }),
  ),
  channel: nullable(ChannelOrChannelDehydrated, {
    examples: [{ id: 'gardening', name: 'gardening', object: 'channel_dehydrated' }],
  }),
  reactions: CastReactions,
  replies: CastReplies,
  mentioned_profiles: Type.Array(User, { examples: [[]] }),
  mentioned_profiles_ranges: Type.Array(TextRange, { examples: [[]] }),
  mentioned_channels: Type.Array(ChannelDehydrated, { examples: [[]] }),
  mentioned_channels_ranges: Type.Array(TextRange, { examples: [[]] }),
  viewer_context: Type.Optional(CastViewerContext),
  author_channel_context: Type.Optional(ChannelUserContext),
}

export const Cast = Type.Object(castMembers, { $id: 'Cast' })
export type Cast = Static<typeof Cast>

/** A cast with its replies, to the depth of the request. */
export const CastAndConversations = Type.Recursive(
  (This) => Type.Object({ ...castMembers, direct_replies: Type.Array(This, { examples: [[]] }) }),
  { $id: 'CastAndConversations' },
)
export type CastAndConversations = Static<typeof CastAndConversations>

export const CastResponse = Type.Object({ cast: Cast }, { $id: 'CastResponse' })
export type CastResponse = Static<typeof CastResponse>

export const CastsResponse = Type.Object(
  { result: Type.Object({ casts: Type.Array(Cast) }) },
  { $id: 'CastsResponse' },
)
export type CastsResponse = Static<typeof CastsResponse>

export const BulkCastsResponse = Type.Object({ casts: Type.Array(Cast) }, { $id: 'BulkCastsResponse' })
export type BulkCastsResponse = Static<typeof BulkCastsResponse>

/** A page of a feed, or of quotes of a cast. */
export const FeedResponse = Type.Object(
  { casts: Type.Array(Cast), next: NextCursor },
  { $id: 'FeedResponse' },
)
export type FeedResponse = Static<typeof FeedResponse>

export const CastsSearchResponse = Type.Object(
  { result: Type.Object({ casts: Type.Array(Cast), next: NextCursor }) },
  { $id: 'CastsSearchResponse' },
)
export type CastsSearchResponse = Static<typeof CastsSearchResponse>
