import { type Static, Type } from '@sinclair/typebox'
import { ChannelDehydrated } from './channel-dehydrated.js'
import { CastText, DateTime, Fid, HashString, Url } from './primitives.js'
import { deprecated, nullable } from './schema-type.js'
import { EmbedUrlMetadata } from './url-metadata.js'
import { UserDehydrated } from './user-dehydrated.js'

export const CastId = Type.Object({ fid: Fid, hash: HashString }, { $id: 'CastId' })
export type CastId = Static<typeof CastId>

/** The author of the parent cast; null without a parent cast. */
export const CastParentAuthor = Type.Object(
  { fid: nullable(Fid, { examples: [null] }) },
  { $id: 'CastParentAuthor' },
)
export type CastParentAuthor = Static<typeof CastParentAuthor>

export const CastDehydrated = Type.Object(
  {
    object: Type.Literal('cast_dehydrated'),
    hash: HashString,
    author: Type.Optional(UserDehydrated),
    app: Type.Optional(nullable(UserDehydrated)),
  },
  { $id: 'CastDehydrated' },
)
export type CastDehydrated = Static<typeof CastDehydrated>

const castId = Type.Optional(deprecated(CastId, 'Use `cast`.'))

export const EmbedUrl = Type.Object(
  { url: Url, metadata: Type.Optional(EmbedUrlMetadata) },
  { $id: 'EmbedUrl' },
)
export type EmbedUrl = Static<typeof EmbedUrl>

/** A cast embedded in an embedded cast, the deepest level. */
export const EmbedCastDeep = Type.Object({ cast: CastDehydrated, cast_id: castId }, { $id: 'EmbedCastDeep' })
export type EmbedCastDeep = Static<typeof EmbedCastDeep>

export const EmbedDeep = Type.Union([EmbedCastDeep, EmbedUrl], { $id: 'EmbedDeep' })
export type EmbedDeep = Static<typeof EmbedDeep>

/** A cast embedded in a cast. */
export const CastEmbedded = Type.Object(
  {
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
  },
  { $id: 'CastEmbedded' },
)
export type CastEmbedded = Static<typeof CastEmbedded>

export const EmbedCast = Type.Object({ cast: CastEmbedded, cast_id: castId }, { $id: 'EmbedCast' })
export type EmbedCast = Static<typeof EmbedCast>

export const Embed = Type.Union([EmbedCast, EmbedUrl], { $id: 'Embed' })
export type Embed = Static<typeof Embed>
