import { type Static, Type } from '@sinclair/typebox'
import { textEnum } from './schema-type.js'

/** The largest int32, the limit of every fid and counter in the published description. */
export const MAX_INT32 = 2_147_483_647

/** The id of a user or an app. */
export const Fid = Type.Integer({
  $id: 'Fid',
  format: 'int32',
  minimum: 0,
  maximum: MAX_INT32,
  description: 'Identifies a user or an app.',
})

export const EthAddress = Type.String({
  $id: 'EthAddress',
  pattern: '^0x[a-fA-F0-9]{40}$',
  description: 'An Ethereum address.',
})

export const SolAddress = Type.String({
  $id: 'SolAddress',
  pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$',
  description: 'A Solana address.',
})

export const CastHash = Type.String({
  $id: 'CastHash',
  pattern: '^(0x)?[a-fA-F0-9]{40}$',
  description: 'The hash of a cast.',
})

export const DateTime = Type.String({ format: 'date-time' })
export const Uri = Type.String({ format: 'uri' })
export const Count = Type.Integer({ format: 'int32', minimum: 0 })

/** A range of a text in UTF-16 code units, as JavaScript indexes strings. */
export const TextRange = Type.Object(
  {
    start: Type.Number({ minimum: 0, description: 'The first position of the piece.' }),
    end: Type.Number({ minimum: 0, description: 'The position after the last one.' }),
  },
  {
    $id: 'TextRange',
    description:
      'A piece of a text. Positions count UTF-16 code units: `text.slice(start, end)` in JavaScript.',
  },
)
export type TextRange = Static<typeof TextRange>

export const ChannelMemberRole = textEnum(['member', 'moderator', 'owner'], { $id: 'ChannelMemberRole' })
export type ChannelMemberRole = Static<typeof ChannelMemberRole>
