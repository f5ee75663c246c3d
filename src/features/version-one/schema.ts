import { type Static, Type } from '@sinclair/typebox'
import {
  CastText,
  Count,
  DateTime,
  EthAddress,
  Fid,
  HashString,
  NextCursor,
  nullable,
  textEnum,
  Url,
  Username,
} from '../../graph/view/schema/primitives.js'

/** Shapes of version 1 of the hosted API (docs/compatibility.md §30), in camel case. */

const FollowContext = { following: Type.Boolean(), followedBy: Type.Boolean() }
const CastContext = Type.Object({ ...FollowContext, liked: Type.Boolean(), recasted: Type.Boolean() })

/** Members of all forms of a user. */
const commonMembers = {
  fid: Fid,
  username: Username,
  displayName: Type.String(),
  pfp: Type.Object({ url: Type.String() }),
  followerCount: Count,
  followingCount: Count,
  viewerContext: Type.Optional(Type.Object(FollowContext)),
}

const Reactor = Type.Object(commonMembers)

export const VersionOneUser = Type.Object({
  ...commonMembers,
  custodyAddress: EthAddress,
  profile: Type.Object({
    bio: Type.Object({ text: Type.String(), mentionedProfiles: Type.Array(Username) }),
  }),
  verifications: Type.Array(EthAddress),
  activeStatus: textEnum(['active', 'inactive']),
})
export type VersionOneUser = Static<typeof VersionOneUser>

/** A follower or a followed user. */
export const TimedUser = Type.Composite([VersionOneUser, Type.Object({ timestamp: DateTime })])

export const Recaster = Type.Object({
  ...commonMembers,
  profile: Type.Object({ bio: Type.Object({ text: Type.String(), mentions: Type.Array(Username) }) }),
  timestamp: DateTime,
})

const castMembers = {
  hash: HashString,
  parentHash: nullable(HashString),
  parentUrl: nullable(Url),
  threadHash: HashString,
  parentAuthor: Type.Object({ fid: nullable(Type.String()) }),
  mentionedProfiles: Type.Array(VersionOneUser),
  author: VersionOneUser,
  text: CastText,
  timestamp: DateTime,
  embeds: Type.Array(Type.Object({ url: Url })),
  type: Type.Optional(textEnum(['cast-mention', 'cast-reply'])),
}

/** A cast that users reacted to. */
export const CastWithReactors = Type.Object({
  ...castMembers,
  reactors: Type.Array(VersionOneUser),
  reactionType: textEnum(['like', 'recast']),
})

/** A cast with its counts. */
export const VersionOneCast = Type.Object({
  ...castMembers,
  reactions: Type.Object({ count: Count, fids: Type.Array(Fid), fnames: Type.Array(Username) }),
  recasts: Type.Object({ count: Count, fids: Type.Array(Fid) }),
  recasters: Type.Array(Username),
  replies: Type.Object({ count: Count }),
  viewerContext: Type.Optional(CastContext),
})
export type VersionOneCast = Static<typeof VersionOneCast>

export const VersionOneReaction = Type.Object({
  type: textEnum(['like', 'recast']),
  hash: HashString,
  reactor: Reactor,
  timestamp: DateTime,
  castHash: HashString,
})

/** A like, and the cast that is liked. */
export const LikeWithCast = Type.Object({
  reaction: Type.Object({
    reactor_fid: Fid,
    reaction_type: Type.Literal('like'),
    reaction_hash: HashString,
    reaction_target_hash: HashString,
    reaction_timestamp: DateTime,
  }),
  cast: Type.Object({
    cast_fid: Fid,
    cast_hash: HashString,
    cast_text: CastText,
    cast_embeds: Type.Array(Type.Object({ url: Url })),
    cast_timestamp: DateTime,
  }),
  cast_author: VersionOneUser,
})

/** A page of a list. */
export function pageOf<Name extends string, Item extends ReturnType<typeof Type.Object>>(
  name: Name,
  item: Item,
) {
  return Type.Object({ [name]: Type.Array(item), next: NextCursor })
}
