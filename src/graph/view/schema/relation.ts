import { type Static, Type } from '@sinclair/typebox'
import { NextCursor } from './paging.js'
import { DateTime } from './primitives.js'
import { nullable } from './schema-type.js'
import { User } from './user.js'

/** A mute. */
export const MuteRecord = Type.Object(
  { object: Type.Literal('mute'), muted: User, muted_at: DateTime },
  { $id: 'MuteRecord' },
)
export type MuteRecord = Static<typeof MuteRecord>

export const MuteListResponse = Type.Object(
  { mutes: Type.Array(MuteRecord), next: NextCursor },
  { $id: 'MuteListResponse' },
)
export type MuteListResponse = Static<typeof MuteListResponse>

export const MuteResponse = Type.Object(
  { success: Type.Boolean(), message: Type.Optional(Type.String({ examples: ['muted'] })) },
  { $id: 'MuteResponse' },
)
export type MuteResponse = Static<typeof MuteResponse>

/** A block. */
export const BlockRecord = Type.Object(
  {
    object: Type.Literal('block'),
    blocker: Type.Optional(User),
    blocked: Type.Optional(User),
    blocked_at: DateTime,
  },
  { $id: 'BlockRecord' },
)
export type BlockRecord = Static<typeof BlockRecord>

export const BlockListResponse = Type.Object(
  { blocks: Type.Array(BlockRecord), next: NextCursor },
  { $id: 'BlockListResponse' },
)
export type BlockListResponse = Static<typeof BlockListResponse>

/** A ban by an app. */
export const BanRecord = Type.Object(
  { object: Type.Literal('ban'), banned: Type.Optional(User), banned_at: DateTime },
  { $id: 'BanRecord' },
)
export type BanRecord = Static<typeof BanRecord>

export const BanListResponse = Type.Object(
  { bans: Type.Array(BanRecord), next: NextCursor },
  { $id: 'BanListResponse' },
)
export type BanListResponse = Static<typeof BanListResponse>

export const BanResponse = Type.Object(
  {
    success: Type.Boolean(),
    message: Type.Optional(nullable(Type.String({ examples: ['newly banned: 1'] }))),
  },
  { $id: 'BanResponse' },
)
export type BanResponse = Static<typeof BanResponse>
