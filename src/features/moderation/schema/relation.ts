import { Type } from '@sinclair/typebox'
import { DateTime, NextCursor, namedObject, nullable } from '../../../graph/view/schema/primitives.js'
import { User } from '../../../graph/view/schema/user.js'

/** A mute. */
export const MuteRecord = namedObject('MuteRecord', {
  object: Type.Literal('mute'),
  muted: User,
  muted_at: DateTime,
})

export const MuteListResponse = namedObject('MuteListResponse', {
  mutes: Type.Array(MuteRecord),
  next: NextCursor,
})

export const MuteResponse = namedObject('MuteResponse', {
  success: Type.Boolean(),
  message: Type.Optional(Type.String({ examples: ['muted'] })),
})

/** A block. */
export const BlockRecord = namedObject('BlockRecord', {
  object: Type.Literal('block'),
  blocker: Type.Optional(User),
  blocked: Type.Optional(User),
  blocked_at: DateTime,
})

export const BlockListResponse = namedObject('BlockListResponse', {
  blocks: Type.Array(BlockRecord),
  next: NextCursor,
})

/** A ban by an app. */
export const BanRecord = namedObject('BanRecord', {
  object: Type.Literal('ban'),
  banned: Type.Optional(User),
  banned_at: DateTime,
})

export const BanListResponse = namedObject('BanListResponse', {
  bans: Type.Array(BanRecord),
  next: NextCursor,
})

export const BanResponse = namedObject('BanResponse', {
  success: Type.Boolean(),
  message: Type.Optional(nullable(Type.String({ examples: ['newly banned: 1'] }))),
})
