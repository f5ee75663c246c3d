import { asBuffer, hexOf } from '../../protocol/bytes.js'
import { channelIdOf } from '../../protocol/channel-uri.js'
import { decodeStoredMessage } from '../../protocol/codec.js'
import { CastingMode, MembershipMode, MessageType } from '../../protocol/definitions.js'
import { isV21 } from '../../protocol/engine-version.js'
import { HASH_BYTES } from '../../protocol/hash.js'
import { CHANNEL_ID_BYTES, MEMBER_SUBJECT_BYTES, memberSubject } from '../../protocol/kinds/channel.js'
import {
  ChannelMemberResponse,
  ChannelMemberState,
  ChannelMembershipsResponse,
  ChannelMembersResponse,
  ChannelMetadataResponse,
  ChannelModerationsResponse,
  ChannelOwnerResponse,
  ChannelPinResponse,
  ChannelsResponse,
} from '../../protocol/proto/generated/channel_requests.js'
import { farcasterSecondsFromUnixMs } from '../../protocol/time.js'
import { type ChannelMessageRow, readMemberships, readSlot, readSlots } from '../query/channel-messages.js'
import {
  type ChannelRow,
  isRegistered,
  readChannel,
  readChannelsByAddress,
  readChannelsByFid,
} from '../query/channels.js'
import {
  afterPrefix,
  channelId,
  channelKey,
  channelPage,
  channelTokens,
  memberFid,
  nextToken,
  ownerAddress,
  requireRegistered,
  stateFilter,
} from './channel-fields.js'
import { fidOrZero } from './fields.js'
import { type MethodContext, type Reply, readMethod } from './hub-method.js'
import {
  castingModeNames,
  channelMemberStateNames,
  channelModerateActionNames,
  membershipModeNames,
  nameOf,
} from './json/enum-names.js'
import { requireFound } from './refusals.js'
import { base64Token } from './replies.js'

/** The reads of channels: the registry, members, pins, moderations and metadata (docs/protocol.md §2.7). */

/** Returns true if the network has channels now. Without engine V21, none is registered (docs/protocol.md §7.1.1). */
function hasChannels({ network, clock }: MethodContext): boolean {
  return isV21(network, farcasterSecondsFromUnixMs(clock()))
}

const page = channelPage()
const noSubject = Buffer.alloc(0)

interface ListPage<Row> {
  readonly rows: readonly Row[]
  readonly nextPageToken: Buffer | undefined
}

const owner: Reply<ChannelRow | null> = {
  json(found) {
    const { fid, ownerAddress: address, expiry } = requireFound(found, 'channel not registered')
    return { fid, ownerAddress: hexOf(address), expiry }
  },
  protobuf: (found) => ChannelOwnerResponse.encode(requireFound(found, 'channel not registered')).finish(),
}

const channelList: Reply<ListPage<ChannelRow>> = {
  json: ({ rows, nextPageToken }) => ({
    channels: rows.map((row) => ({
      channelKey: row.channelKey,
      fid: row.fid,
      ownerAddress: hexOf(row.ownerAddress),
      expiry: row.expiry,
    })),
    nextPageToken: base64Token(nextPageToken),
  }),
  protobuf: ({ rows, nextPageToken }) =>
    ChannelsResponse.encode({ channels: [...rows], nextPageToken }).finish(),
}

const member: Reply<ChannelMessageRow | null> = {
  json: (row) => ({
    state: nameOf(channelMemberStateNames, row?.state ?? ChannelMemberState.NONE),
    lastActionTs: row?.ts,
  }),
  protobuf: (row) =>
    ChannelMemberResponse.encode({
      state: row?.state ?? ChannelMemberState.NONE,
      lastActionTs: row?.ts,
    }).finish(),
}

const fidOfSubject = (subject: Buffer) => subject.readUInt32BE()

const members: Reply<ListPage<ChannelMessageRow>> = {
  json: ({ rows, nextPageToken }) => ({
    members: rows.map(({ subject, state }) => ({
      fid: fidOfSubject(subject),
      state: nameOf(channelMemberStateNames, state),
    })),
    nextPageToken: base64Token(nextPageToken),
  }),
  protobuf: ({ rows, nextPageToken }) =>
    ChannelMembersResponse.encode({
      members: rows.map(({ subject, state }) => ({ fid: fidOfSubject(subject), state })),
      nextPageToken,
    }).finish(),
}

function pinOf(row: ChannelMessageRow | null) {
  const castHash = row && bodyOf(row).channelPinBody?.castHash
  return castHash?.length ? { castHash: asBuffer(castHash), authorFid: row!.fid } : null
}

const bodyOf = ({ message }: ChannelMessageRow) => decodeStoredMessage(message).data

const pin: Reply<ChannelMessageRow | null> = {
  json(row) {
    const pinned = pinOf(row)
    return { pin: pinned && { castHash: hexOf(pinned.castHash), authorFid: pinned.authorFid } }
  },
  protobuf: (row) => ChannelPinResponse.encode({ pin: pinOf(row) ?? undefined }).finish(),
}

const moderations: Reply<ListPage<ChannelMessageRow>> = {
  json: ({ rows, nextPageToken }) => ({
    moderations: rows.map(({ subject, state, fid }) => ({
      castHash: hexOf(subject),
      action: nameOf(channelModerateActionNames, state),
      authorFid: fid,
    })),
    nextPageToken: base64Token(nextPageToken),
  }),
  protobuf: ({ rows, nextPageToken }) =>
    ChannelModerationsResponse.encode({
      moderations: rows.map(({ subject, state, fid }) => ({
        castHash: subject,
        action: state,
        authorFid: fid,
      })),
      nextPageToken,
    }).finish(),
}

/** Reads the metadata of a channel. An unset mode reads as the strictest one. */
function metadataOf(row: ChannelMessageRow | null): ChannelMetadataResponse {
  const body = row ? bodyOf(row).channelUpdateBody : undefined
  return {
    name: body?.name,
    description: body?.description,
    imageUrl: body?.imageUrl,
    header: body?.header,
    rules: body?.rules,
    castingMode: body?.castingMode || CastingMode.MEMBERS_ONLY,
    membershipMode: body?.membershipMode || MembershipMode.APPROVAL,
  }
}

const metadata: Reply<ChannelMessageRow | null> = {
  json(row) {
    const { castingMode, membershipMode, ...texts } = metadataOf(row)
    const { name = null, description = null, imageUrl = null, header = null, rules = null } = texts
    return {
      name,
      description,
      imageUrl,
      header,
      rules,
      castingMode: nameOf(castingModeNames, castingMode),
      membershipMode: nameOf(membershipModeNames, membershipMode),
    }
  },
  protobuf: (row) => ChannelMetadataResponse.encode(metadataOf(row)).finish(),
}

const memberships: Reply<ListPage<{ readonly channelId: Buffer; readonly state: number }>> = {
  json: ({ rows, nextPageToken }) => ({
    memberships: rows.map((row) => ({
      channelId: hexOf(row.channelId),
      state: nameOf(channelMemberStateNames, row.state),
    })),
    nextPageToken: base64Token(nextPageToken),
  }),
  protobuf: ({ rows, nextPageToken }) =>
    ChannelMembershipsResponse.encode({ memberships: [...rows], nextPageToken }).finish(),
}

/** The token of a list of channels has the address and the key after two bytes, and no other list is checked for. */
function channelCursor(token: Buffer | null): Buffer | null {
  return token?.subarray(channelTokens.channels.length) ?? null
}

const sortKeyOf = (row: ChannelRow) => Buffer.concat([row.ownerAddress, Buffer.from(row.channelKey)])

const registryMethods = [
  readMethod({
    http: { path: '/channelOwner', failure: 'Failed to get channel owner', notFoundStatus: 400 },
    grpc: 'getChannelOwner',
    request: { key: channelKey },
    reply: owner,
    handle: async ({ key }, context) =>
      hasChannels(context) ? await readChannel(context.db, channelIdOf(key)) : null,
  }),
  readMethod({
    http: { path: '/channelsByAddress', failure: 'Failed to get channels by address', notFoundStatus: 400 },
    grpc: 'getChannelsByAddress',
    request: { owner: ownerAddress, page: channelPage({ allowsZero: true }) },
    reply: channelList,
    async handle({ owner, page }, context) {
      const options = { ...page, after: channelCursor(page.after) }
      const rows = hasChannels(context) ? await readChannelsByAddress(context.db, owner, options) : []
      return { rows, nextPageToken: nextToken(rows, page.limit, channelTokens.channels, sortKeyOf) }
    },
  }),
  readMethod({
    http: { path: '/channelsByFid', failure: 'Failed to get channels by fid', notFoundStatus: 400 },
    grpc: 'getChannelsByFid',
    request: { fid: fidOrZero, page: channelPage({ allowsZero: true, reverses: false }) },
    reply: channelList,
    async handle({ fid, page }, context) {
      const options = { ...page, after: channelCursor(page.after) }
      const rows = hasChannels(context) ? await readChannelsByFid(context.db, fid, options) : []
      return { rows, nextPageToken: nextToken(rows, page.limit, channelTokens.channels, sortKeyOf) }
    },
  }),
]

const memberMethods = [
  readMethod({
    http: { path: '/channelMember', failure: 'Failed to get channel member', notFoundStatus: 400 },
    grpc: 'getChannelMember',
    request: { channelId, fid: memberFid },
    reply: member,
    async handle({ channelId, fid }, context) {
      const { registered, slot } = await readSlot(
        context.db,
        channelId,
        MessageType.CHANNEL_MEMBER,
        memberSubject(fid),
      )
      requireRegistered(hasChannels(context) && registered)
      return slot
    },
  }),
  readMethod({
    http: { path: '/channelMembers', failure: 'Failed to get channel members', notFoundStatus: 400 },
    grpc: 'getChannelMembers',
    request: { channelId, state: stateFilter, page },
    reply: members,
    async handle({ channelId, state, page }, context) {
      const prefix = channelTokens.members(channelId)
      const after = afterPrefix(page.after, prefix, MEMBER_SUBJECT_BYTES)
      requireRegistered(hasChannels(context) && (await isRegistered(context.db, channelId)))
      const rows = await readSlots(context.db, channelId, MessageType.CHANNEL_MEMBER, {
        ...page,
        after,
        state,
      })
      return { rows, nextPageToken: nextToken(rows, page.limit, prefix, ({ subject }) => subject) }
    },
  }),
  readMethod({
    http: {
      path: '/channelMembershipsByFid',
      failure: 'Failed to get channel memberships by fid',
      notFoundStatus: 400,
    },
    grpc: 'getChannelMembershipsByFid',
    request: { fid: memberFid, page },
    reply: memberships,
    async handle({ fid, page }, context) {
      const prefix = channelTokens.memberships(fid)
      const after = afterPrefix(page.after, prefix, CHANNEL_ID_BYTES)
      const options = { ...page, after }
      const rows = hasChannels(context) ? await readMemberships(context.db, memberSubject(fid), options) : []
      return { rows, nextPageToken: nextToken(rows, page.limit, prefix, (row) => row.channelId) }
    },
  }),
]

const contentMethods = [
  readMethod({
    http: { path: '/channelPin', failure: 'Failed to get channel pin', notFoundStatus: 400 },
    grpc: 'getChannelPin',
    request: { channelId },
    reply: pin,
    async handle({ channelId }, context) {
      const { registered, slot } = await readSlot(context.db, channelId, MessageType.CHANNEL_PIN, noSubject)
      requireRegistered(hasChannels(context) && registered)
      return slot
    },
  }),
  readMethod({
    http: { path: '/channelModerations', failure: 'Failed to get channel moderations', notFoundStatus: 400 },
    grpc: 'getChannelModerations',
    request: { channelId, page },
    reply: moderations,
    async handle({ channelId, page }, context) {
      const prefix = channelTokens.moderations(channelId)
      const after = afterPrefix(page.after, prefix, HASH_BYTES)
      requireRegistered(hasChannels(context) && (await isRegistered(context.db, channelId)))
      const options = { ...page, after, state: null }
      const rows = await readSlots(context.db, channelId, MessageType.CHANNEL_MODERATE, options)
      return { rows, nextPageToken: nextToken(rows, page.limit, prefix, ({ subject }) => subject) }
    },
  }),
  readMethod({
    http: { path: '/channelMetadata', failure: 'Failed to get channel metadata', notFoundStatus: 400 },
    grpc: 'getChannelMetadata',
    request: { channelId },
    reply: metadata,
    async handle({ channelId }, context) {
      const { registered, slot } = await readSlot(
        context.db,
        channelId,
        MessageType.CHANNEL_UPDATE,
        noSubject,
      )
      requireRegistered(hasChannels(context) && registered)
      return slot
    },
  }),
]

export const channelMethods = [...registryMethods, ...memberMethods, ...contentMethods]
