import type { CastRecord } from '../../load/cast-record.js'
import type { ChannelRecord } from '../../load/channel-record.js'
import type { UserRecord } from '../../load/user-record.js'
import type { ViewerRelations } from '../../load/viewer.js'

/** A user with nothing but its registration. */
export function userRecord(fid: number, known: Partial<UserRecord> = {}): UserRecord {
  return {
    fid,
    username: null,
    displayName: null,
    pfpUrl: null,
    custodyAddress: 'cc'.repeat(20),
    score: null,
    bio: null,
    location: null,
    twitter: null,
    github: null,
    bannerUrl: null,
    primaryEthAddress: null,
    primarySolAddress: null,
    liveAt: null,
    liveAtTs: null,
    registeredAt: 1_700_000_000,
    proSince: null,
    proUntil: 0,
    followerCount: 0,
    followingCount: 0,
    verifications: [],
    authAddresses: [],
    ...known,
  }
}

/** A minimal cast. @param name Two hex digits that its hash is made of. */
export function castRecord(name: string, fid: number, known: Partial<CastRecord> = {}): CastRecord {
  return {
    hash: name.repeat(20),
    fid,
    ts: 100_000_000,
    text: '',
    parentFid: null,
    parentHash: null,
    parentUrl: null,
    rootParentUrl: null,
    threadHash: name.repeat(20),
    embeds: [],
    mentions: [],
    mentionPositions: [],
    appFid: null,
    likes: 0,
    recasts: 0,
    replies: 0,
    channel: null,
    authorInChannel: null,
    urlMetadata: {},
    ...known,
  }
}

/** A channel with nothing but its names. */
export function channelRecord(known: Partial<ChannelRecord> = {}): ChannelRecord {
  return {
    id: 'gardens',
    url: 'https://plaza.test/gardens',
    parentUrl: 'chain://gardens',
    name: 'Gardens',
    description: '',
    descriptionMentions: [],
    descriptionMentionPositions: [],
    hasNamesInDescription: false,
    imageUrl: null,
    leadFid: 1,
    moderatorFids: [],
    createdAt: 1_700_000_000,
    followerCount: 0,
    memberCount: 0,
    pinnedCastHash: null,
    hasPinnedCast: false,
    externalLinkTitle: null,
    externalLinkUrl: null,
    ...known,
  }
}

/** A viewer without relations. */
export function viewerRelations(known: Partial<ViewerRelations> = {}): ViewerRelations {
  return {
    following: new Set(),
    followers: new Set(),
    blocking: new Set(),
    blockers: new Set(),
    muting: new Set(),
    liked: new Set(),
    recasted: new Set(),
    channels: new Set(),
    roles: new Map(),
    ...known,
  }
}
