import bs58 from 'bs58'
import { isWebAddress } from '../../platform/text/is-web-address.js'
import { addressOfAuthKey } from '../../protocol/auth-key.js'
import { hexOf } from '../../protocol/bytes.js'
import { unixSecondsFromFarcasterSeconds } from '../../protocol/time.js'
import type { TextNames } from '../load/mentioned-names.js'
import type { UserRecord } from '../load/user-record.js'
import type { ViewerRelations } from '../load/viewer.js'
import { channelDehydrated } from './channel.js'
import { dateTimeOf } from './formats.js'
import { knownMentions, mentionCandidates } from './mention-candidates.js'
import {
  type AuthAddress,
  type LocationAddress,
  POWER_BADGE_SCORE,
  type User,
  type UserBio,
  type UserPro,
  type UserProfile,
  type UserViewerContext,
  type VerifiedAddresses,
} from './schema/user.js'
import { channelMentions } from './text-ranges.js'
import { userDehydrated, usernameOrPlaceholder } from './user-dehydrated.js'

/** Protocol numbers of verified addresses. */
const ethereum = 0
const solana = 1

/** Data that the view of a user needs besides its record. */
export interface UserViewInput {
  /** The names that the bio mentions. */
  readonly names: TextNames
  /** The address of coordinates. */
  readonly locationOf: (latitude: number, longitude: number) => LocationAddress | null
  /** Unix seconds. */
  readonly now: number
}

/** Streams are rarely longer. */
const LIVE_SECONDS = 12 * 60 * 60

/** Makes a user without its viewer context. */
export function presentUser(user: UserRecord, input: UserViewInput): User {
  const pro = presentPro(user, input.now)
  return {
    object: 'user',
    fid: user.fid,
    username: usernameOrPlaceholder(user),
    display_name: user.displayName,
    custody_address: `0x${user.custodyAddress}`,
    pfp_url: user.pfpUrl,
    registered_at: dateTimeOf(user.registeredAt),
    profile: presentProfile(user, input),
    follower_count: user.followerCount,
    following_count: user.followingCount,
    verifications: ethAddresses(user),
    verified_addresses: presentAddresses(user),
    auth_addresses: presentAuthAddresses(user),
    verified_accounts: presentAccounts(user),
    ...(pro ? { pro } : {}),
    power_badge: (user.score ?? 0) >= POWER_BADGE_SCORE,
    score: user.score ?? 0,
    experimental: {
      service_user_score: user.score ?? 0,
      neynar_user_score: user.score ?? 0,
      deprecation_notice: 'Use `score`.',
    },
  }
}

/** All viewer contexts of a user. Their JSON is cached by identity: see `render.ts`. */
const viewerContexts: readonly UserViewerContext[] = Array.from({ length: 16 }, (_, bits) => ({
  following: (bits & 1) !== 0,
  followed_by: (bits & 2) !== 0,
  blocking: (bits & 4) !== 0,
  blocked_by: (bits & 8) !== 0,
}))

/** The viewer context of a user. */
export function userViewerContext(fid: number, viewer: ViewerRelations): UserViewerContext {
  const bits =
    (viewer.following.has(fid) ? 1 : 0) |
    (viewer.followers.has(fid) ? 2 : 0) |
    (viewer.blocking.has(fid) ? 4 : 0) |
    (viewer.blockers.has(fid) ? 8 : 0)
  return viewerContexts[bits]!
}

function presentProfile(user: UserRecord, input: UserViewInput): UserProfile {
  const location = presentLocation(user.location, input)
  return {
    bio: presentBio(user.bio ?? '', input),
    ...(location ? { location } : {}),
    ...(user.bannerUrl && isWebAddress(user.bannerUrl)
      ? { banner: { url: new URL(user.bannerUrl).href } }
      : {}),
    ...(user.liveAt
      ? {
          live_at: {
            url: user.liveAt,
            updated_at: dateTimeOf(unixSecondsFromFarcasterSeconds(user.liveAtTs ?? 0)),
            is_live: input.now < liveUntil(user),
          },
        }
      : {}),
  }
}

/** Unix seconds until which a user who went live counts as live; a client that ends a stream without a word never says so. */
function liveUntil({ liveAt, liveAtTs }: UserRecord): number {
  return liveAt ? unixSecondsFromFarcasterSeconds(liveAtTs ?? 0) + LIVE_SECONDS : 0
}

/** Unix seconds at which the view of a user changes by itself; null for never. */
export function userViewEnd(user: UserRecord, now: number): number | null {
  const ends = [liveUntil(user), user.proUntil].filter((end) => end > now)
  return ends.length === 0 ? null : Math.min(...ends)
}

function presentBio(text: string, { names }: UserViewInput): UserBio {
  const profiles = knownMentions(mentionCandidates(text), names.users)
  const channels = channelMentions(text).flatMap(({ name, range }) => {
    const channel = names.channels.get(name)
    return channel ? [{ channel: channelDehydrated(channel), range }] : []
  })
  return {
    text,
    mentioned_profiles: profiles.map(({ user }) => userDehydrated(user)),
    mentioned_profiles_ranges: profiles.map(({ range }) => range),
    mentioned_channels: channels.map(({ channel }) => channel),
    mentioned_channels_ranges: channels.map(({ range }) => range),
  }
}

/** Parses `geo:lat,long`, the form that the protocol allows (docs/protocol.md §3.3.7). */
function coordinatesOf(location: string | null): { latitude: number; longitude: number } | null {
  const match = /^geo:(-?\d{1,2}\.\d{2}),(-?\d{1,3}\.\d{2})$/.exec(location ?? '')
  return match && { latitude: Number(match[1]), longitude: Number(match[2]) }
}

function presentLocation(text: string | null, { locationOf }: UserViewInput): UserProfile['location'] | null {
  const coordinates = coordinatesOf(text)
  if (!coordinates) return null
  const address = locationOf(coordinates.latitude, coordinates.longitude)
  return { ...coordinates, ...(address ? { address } : {}) }
}

/** Verified addresses in the form of the API: lowercase hex for Ethereum, base58 for Solana. */
function addressesOf(user: UserRecord, protocol: number): string[] {
  return user.verifications
    .filter((verification) => verification.protocol === protocol)
    .map(({ address }) => (protocol === solana ? bs58.encode(Buffer.from(address, 'hex')) : `0x${address}`))
}

function ethAddresses(user: UserRecord): string[] {
  return addressesOf(user, ethereum)
}

/** Verified addresses and the primary ones: those that the user chose, else the first verified. */
function presentAddresses(user: UserRecord): VerifiedAddresses {
  const eth = ethAddresses(user)
  const sol = addressesOf(user, solana)
  return {
    eth_addresses: eth,
    sol_addresses: sol,
    primary: {
      eth_address: user.primaryEthAddress?.toLowerCase() ?? eth[0] ?? null,
      sol_address: user.primarySolAddress ?? sol[0] ?? null,
    },
  }
}

function presentAuthAddresses(user: UserRecord): AuthAddress[] {
  return user.authAddresses.flatMap(({ key, app }) => {
    const address = addressOfAuthKey(Buffer.from(key, 'hex'))
    return address === null || app === null ? [] : [{ address: hexOf(address), app: userDehydrated(app) }]
  })
}

function presentAccounts(user: UserRecord): User['verified_accounts'] {
  return [
    ...(user.twitter ? [{ platform: 'x' as const, username: user.twitter }] : []),
    ...(user.github ? [{ platform: 'github' as const, username: user.github }] : []),
  ]
}

/** Null for a user that never bought the tier: the schema has no value for never. */
function presentPro(user: UserRecord, now: number): UserPro | null {
  if (user.proSince === null) return null
  return {
    status: user.proUntil > now ? 'subscribed' : 'unsubscribed',
    subscribed_at: dateTimeOf(user.proSince),
    expires_at: dateTimeOf(user.proUntil),
  }
}
