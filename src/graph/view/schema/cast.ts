import { type Static, Type } from '@sinclair/typebox'
import { ChannelOrChannelDehydrated } from './channel.js'
import { ChannelDehydrated, ChannelUserContext } from './channel-dehydrated.js'
import {
  CastText,
  Count,
  DateTime,
  deprecated,
  Fid,
  HashString,
  NextCursor,
  namedObject,
  nullable,
  TextRange,
  textEnum,
  Url,
  Username,
} from './primitives.js'
import { EmbedUrlMetadata } from './url-metadata.js'
import { User } from './user.js'
import { UserDehydrated } from './user-dehydrated.js'

const Reactor = Type.Object({ fid: Fid, fname: Username })

/** Counts of reactions to a cast. */
export const CastReactions = namedObject('CastReactions', {
  likes: deprecated(Type.Array(Reactor), 'Always empty. Use `reactions/cast`.'),
  likes_count: Count,
  recasts: deprecated(Type.Array(Reactor), 'Always empty. Use `reactions/cast`.'),
  recasts_count: Count,
})

export const CastReplies = namedObject('CastReplies', { count: Count })

/** The viewer's reactions to a cast. */
export const CastViewerContext = namedObject('CastViewerContext', {
  liked: Type.Boolean(),
  recasted: Type.Boolean(),
})
export type CastViewerContext = Static<typeof CastViewerContext>

/** The author of the parent cast; null without a parent cast, or for a fid above int32. */
export const CastParentAuthor = namedObject('CastParentAuthor', { fid: nullable(Fid, { examples: [null] }) })

export const EmbedUrl = namedObject('EmbedUrl', { url: Url, metadata: Type.Optional(EmbedUrlMetadata) })

export const CastId = namedObject('CastId', { fid: Fid, hash: HashString })

const castId = Type.Optional(deprecated(CastId, 'Use `cast`.'))

export const CastDehydrated = namedObject('CastDehydrated', {
  object: Type.Literal('cast_dehydrated'),
  hash: HashString,
  author: Type.Optional(UserDehydrated),
  app: Type.Optional(nullable(UserDehydrated)),
})
export type CastDehydrated = Static<typeof CastDehydrated>

/** A cast embedded in an embedded cast, the deepest level. */
export const EmbedCastDeep = namedObject('EmbedCastDeep', { cast: CastDehydrated, cast_id: castId })

export const EmbedDeep = Type.Union([EmbedCastDeep, EmbedUrl], { $id: 'EmbedDeep' })
export type EmbedDeep = Static<typeof EmbedDeep>

/** A cast embedded in a cast. */
export const CastEmbedded = namedObject('CastEmbedded', {
  hash: HashString,
  parent_hash: nullable(HashString),
  parent_url: nullable(Url),
  root_parent_url: nullable(Url),
  parent_author: CastParentAuthor,
  author: UserDehydrated,
  app: Type.Optional(nullable(UserDehydrated)),
  text: CastText,
  timestamp: DateTime,
  embeds: Type.Array(EmbedDeep),
  channel: nullable(ChannelDehydrated),
})
export type CastEmbedded = Static<typeof CastEmbedded>

export const EmbedCast = namedObject('EmbedCast', { cast: CastEmbedded, cast_id: castId })

export const Embed = Type.Union([EmbedCast, EmbedUrl], { $id: 'Embed' })
export type Embed = Static<typeof Embed>

/** A cast. */
export const Cast = namedObject('Cast', {
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
  frames: Type.Array(Type.Object({}), {
    deprecated: true,
    description: 'Always empty: the metadata of `embeds` has frames.',
    examples: [[]],
  }),
  type: Type.Optional(
    textEnum(['cast-mention', 'cast-reply'], {
      $id: 'CastNotificationType',
      description: 'Only in notifications of mentions and replies.',
      examples: [],
    }),
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
})
export type Cast = Static<typeof Cast>

/** A page of a feed, or of quotes of a cast. */
export const FeedResponse = namedObject('FeedResponse', { casts: Type.Array(Cast), next: NextCursor })
