import { type Static, Type } from '@sinclair/typebox'
import { ChannelDehydrated } from './channel-dehydrated.js'
import { CastText, DateTime, Fid, HashString, Url } from './primitives.js'
import { deprecated, namedObject, nullable } from './schema-type.js'
import { EmbedUrlMetadata } from './url-metadata.js'
import { UserDehydrated } from './user-dehydrated.js'

export const CastId = namedObject('CastId', { fid: Fid, hash: HashString })

/** The author of the parent cast; null without a parent cast. */
export const CastParentAuthor = namedObject('CastParentAuthor', { fid: nullable(Fid, { examples: [null] }) })

export const CastDehydrated = namedObject('CastDehydrated', {
  object: Type.Literal('cast_dehydrated'),
  hash: HashString,
  author: Type.Optional(UserDehydrated),
  app: Type.Optional(nullable(UserDehydrated)),
})
export type CastDehydrated = Static<typeof CastDehydrated>

const castId = Type.Optional(deprecated(CastId, 'Use `cast`.'))

export const EmbedUrl = namedObject('EmbedUrl', { url: Url, metadata: Type.Optional(EmbedUrlMetadata) })

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
