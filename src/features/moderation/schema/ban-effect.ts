import { type Static, Type } from '@sinclair/typebox'
import { Count, DateTime, Fid, namedObject, nullable } from '../../../graph/view/schema/primitives.js'

const BanEffect = Type.Object(
  {
    object: Type.Literal('ban_effect'),
    fid: Fid,
    banned_at: nullable(DateTime, { description: 'null: the app does not ban the user.' }),
    bans: Type.Integer({ minimum: 0, description: 'Users that the app bans now.', examples: [2] }),
    max_bans: Type.Integer({ minimum: 0, examples: [10_000] }),
    counted_to: Type.Integer({
      minimum: 1,
      description: 'Numbers of casts, replies, likes, recasts and memberships are counted up to this.',
      examples: [10_000],
    }),
    casts: Type.Integer({
      minimum: 0,
      description: 'Casts that leave feeds and searches, with replies.',
      examples: [120],
    }),
    replies: Type.Integer({
      minimum: 0,
      description: 'Of these, replies that leave conversations.',
      examples: [45],
    }),
    likes: Type.Integer({ minimum: 0, description: 'Likes that leave lists of reactions.', examples: [300] }),
    recasts: Type.Integer({ minimum: 0, description: 'Recasts that leave feeds.', examples: [12] }),
    followers: Type.Integer({
      minimum: 0,
      description: 'Users whose following feeds lose the casts of the user.',
      examples: [80],
    }),
    following: Count,
    led_channels: Type.Integer({ minimum: 0, description: 'Channels that the user leads.', examples: [1] }),
    memberships: Type.Integer({
      minimum: 0,
      description: 'Channels of which the user is a member. A ban does not end them.',
      examples: [4],
    }),
  },
  { $id: 'BanEffect', description: 'What a ban of a user leaves out, for an app.' },
)
export type BanEffect = Static<typeof BanEffect>

export const BanEffectResponse = namedObject('BanEffectResponse', { effect: BanEffect })
