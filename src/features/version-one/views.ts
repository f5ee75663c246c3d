import type { Cast } from '../../graph/view/schema/cast.js'
import type { User } from '../../graph/view/schema/user.js'
import type { CastReactors } from './queries.js'
import type { VersionOneCast, VersionOneUser } from './schema.js'

/** Turns a user of version 2 into one of version 1. */
export function userOf(user: User): VersionOneUser {
  const { bio } = user.profile
  return {
    ...commonUserMembers(user),
    custodyAddress: user.custody_address,
    profile: { bio: { text: bio.text, mentionedProfiles: mentionedNames(user) } },
    verifications: user.verifications,
    activeStatus: user.power_badge ? 'active' : 'inactive',
  }
}

/** Returns the members that every form of a user has. */
export function commonUserMembers(user: User) {
  const { viewer_context: context } = user
  return {
    fid: user.fid,
    username: user.username,
    displayName: user.display_name ?? '',
    pfp: { url: user.pfp_url ?? '' },
    followerCount: user.follower_count,
    followingCount: user.following_count,
    ...(context ? { viewerContext: { following: context.following, followedBy: context.followed_by } } : {}),
  }
}

/** A user who recast a cast; its bio names its mentions differently. */
export function recasterOf(user: User, timestamp: string) {
  const { text } = user.profile.bio
  return { ...commonUserMembers(user), profile: { bio: { text, mentions: mentionedNames(user) } }, timestamp }
}

function mentionedNames(user: User): string[] {
  return (user.profile.bio.mentioned_profiles ?? []).flatMap(({ username }) => username ?? [])
}

/** The members of a cast that every form of it has. Version 1 knows no embedded casts. */
export function castBodyOf(cast: Cast) {
  const { fid } = cast.parent_author
  return {
    hash: cast.hash,
    parentHash: cast.parent_hash,
    parentUrl: cast.parent_url,
    threadHash: cast.thread_hash ?? cast.hash,
    parentAuthor: { fid: fid === null ? null : String(fid) },
    mentionedProfiles: cast.mentioned_profiles.map(userOf),
    author: userOf(cast.author),
    text: cast.text,
    timestamp: cast.timestamp,
    embeds: embedsOf(cast),
  }
}

/** The embedded URLs of a cast. */
export function embedsOf(cast: Cast): { url: string }[] {
  return cast.embeds.flatMap((embed) => ('url' in embed ? [{ url: embed.url }] : []))
}

/** Turns a cast of version 2 into one of version 1. */
export function castOf(cast: Cast, { likes, recasts }: CastReactors): VersionOneCast {
  const { viewer_context: context } = cast
  const author = cast.author.viewer_context
  return {
    ...castBodyOf(cast),
    reactions: {
      count: cast.reactions.likes_count,
      fids: likes.map(({ fid }) => fid),
      fnames: namesOf(likes),
    },
    recasts: { count: cast.reactions.recasts_count, fids: recasts.map(({ fid }) => fid) },
    recasters: namesOf(recasts),
    replies: { count: cast.replies.count },
    ...(context && author
      ? {
          viewerContext: {
            following: author.following,
            followedBy: author.followed_by,
            liked: context.liked,
            recasted: context.recasted,
          },
        }
      : {}),
  }
}

function namesOf(reactors: CastReactors['likes']): string[] {
  return reactors.flatMap(({ username }) => username ?? [])
}
