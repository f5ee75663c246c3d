import { type Static, Type } from '@sinclair/typebox'
import { Cast } from '../../../graph/view/schema/cast.js'
import {
  CastHash,
  CastText,
  Count,
  DateTime,
  NextCursor,
  namedObject,
} from '../../../graph/view/schema/primitives.js'
import { EmbedUrlMetadata } from '../../../graph/view/schema/url-metadata.js'
import { UserDehydrated } from '../../../graph/view/schema/user-dehydrated.js'

/** A cast with its replies, to the depth of the request. */
export const CastAndConversations = Type.Recursive(
  (This) => Type.Object({ ...Cast.properties, direct_replies: Type.Array(This, { examples: [[]] }) }),
  { $id: 'CastAndConversations' },
)

export const CastResponse = namedObject('CastResponse', { cast: Cast })

export const CastsResponse = namedObject('CastsResponse', {
  result: Type.Object({ casts: Type.Array(Cast) }),
})

export const CastsSearchResponse = namedObject('CastsSearchResponse', {
  result: Type.Object({ casts: Type.Array(Cast), next: NextCursor }),
})

/** A cast with its ancestors and its replies. */
export const Conversation = namedObject('Conversation', {
  conversation: Type.Object({
    cast: CastAndConversations,
    chronological_parent_casts: Type.Optional(Type.Array(Cast)),
  }),
  next: Type.Optional(NextCursor),
})

/** The number of casts in one interval. */
export const CastsMetrics = namedObject('CastsMetrics', {
  start: DateTime,
  resolution_in_seconds: { ...Count, examples: [86_400] },
  cast_count: Count,
})

export const CastsMetricsResponse = namedObject('CastsMetricsResponse', { metrics: Type.Array(CastsMetrics) })

/** A published cast. */
export const PostCastResponse = namedObject('PostCastResponse', {
  success: Type.Boolean(),
  cast: Type.Object({
    hash: CastHash,
    author: UserDehydrated,
    text: { ...CastText, description: 'Text of the request.' },
  }),
})
export type PostCastResponse = Static<typeof PostCastResponse>

export const CastEmbedCrawlResponse = namedObject('CastEmbedCrawlResponse', { metadata: EmbedUrlMetadata })
