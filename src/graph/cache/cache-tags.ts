import type { HubEventBody } from '../../hub/log/hub-event.js'
import { channelIdOf } from '../../protocol/channel-uri.js'
import { HubEventType, MessageType, ReactionType, UserDataType } from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import { followedChannel } from '../project/channel-follows.js'
import { linkType } from '../project/links.js'
import { messageChanges } from '../project/net-changes.js'
import type { Viewer } from '../query/visibility-filter.js'

/** Tags that a change makes stale in the caches. */
export interface StaleTags {
  readonly tags: readonly string[]
  /** Users who cast or recasted, or removed a cast or recast. */
  readonly authors?: readonly number[]
}

const MUTES_PREFIX = 'mutes:'
const CHANNEL_PREFIX = 'channel:'
const PROTOCOL_CHANNEL_PREFIX = 'channelId:'

/** The tags of cache entries. A tag names one source that an entry is made of. Hashes are hex without 0x. */
export const cacheTag = {
  /** Invalidates every entry of every cache, such as when all scores change. */
  everything: '*',
  /** The tables of the read model were rebuilt, as by a replay: states in memory read them again. */
  tables: 'tables',
  /** A user with its profile and counters. */
  user: (fid: number) => `user:${fid}`,
  /** The dehydrated form of a user. It has no counters, so that new followers do not invalidate it. */
  dehydratedUser: (fid: number) => `dehydrated:${fid}`,
  /** The user that a username belongs to. */
  username: (username: string) => `name:${username}`,
  /** The channels that a user follows, and its roles in channels: casts show those of their author. */
  channelsOf: (fid: number) => `channelsOf:${fid}`,
  /** The relations of a viewer: its follows, followers, blocks, mutes and reactions. */
  viewer: (fid: number) => `viewer:${fid}`,
  /** The users whom a user mutes: the relations that are not in the event log. */
  mutes: (fid: number) => `${MUTES_PREFIX}${fid}`,
  /**
   * The links of all users. The log does not say which links a compact state removes, so it does not say whose counters and
   * relations change.
   */
  links: 'links',
  /** A cast with its counters. */
  cast: (hash: string) => `cast:${hash}`,
  /** The existence of a cast: casts below it and feeds that list it depend on it. */
  thread: (hash: string) => `thread:${hash}`,
  /** The existence of all replies: of replies that are too deep for a tag of each cast above them. */
  deepReplies: 'deep replies',
  /** The list of casts below a parent URL. */
  feed: (parentUrl: string) => `feed:${parentUrl}`,
  /** A channel with its counters, and the membership of viewers in it. */
  channel: (id: string) => `${CHANNEL_PREFIX}${id}`,
  /** The same by its id in the protocol, which messages name. */
  protocolChannel: (channelId: Uint8Array) => `${PROTOCOL_CHANNEL_PREFIX}${bareHex(channelId)}`,
  /** The channel that a parent URL belongs to. */
  channelUrl: (parentUrl: string) => `channelUrl:${parentUrl}`,
  /** The metadata of an embedded URL. */
  embeddedUrl: (url: string) => `url:${url}`,
  /** The users whom an app bans. */
  bans: (appId: string) => `bans:${appId}`,
} as const

/** All that is cached, and what is kept in memory. */
export const everythingStale: StaleTags = { tags: [cacheTag.everything, cacheTag.tables] }

/** The tags of a list from which its viewer and the app hide users: the counterpart of `viewerKey`. */
export function visibilityTags({ viewerFid, banningAppId }: Viewer): string[] {
  return [
    ...(viewerFid === undefined ? [] : [cacheTag.viewer(viewerFid), cacheTag.links]),
    ...(banningAppId === undefined ? [] : [cacheTag.bans(banningAppId)]),
  ]
}

/** The user of a tag of mutes; null for another tag. */
export function mutingFidOf(tag: string): number | null {
  return tag.startsWith(MUTES_PREFIX) ? Number(tag.slice(MUTES_PREFIX.length)) : null
}

/** Whether a tag names a channel. */
export function isChannelTag(tag: string): boolean {
  return tag.startsWith(CHANNEL_PREFIX) || tag.startsWith(PROTOCOL_CHANNEL_PREFIX)
}

/** Ids of channels whose tag is remembered. */
const MAX_REMEMBERED_CHANNELS = 10_000
const protocolTags = new Map<string, string>()

/**
 * The tags of an entry that shows a channel: a message names it by the hash of its id. Hashing takes microseconds, and a text
 * may have hundreds of names without a channel: for those, use `cacheTag.channel` alone.
 */
export function channelTags(id: string): string[] {
  let tag = protocolTags.get(id)
  if (tag === undefined) {
    if (protocolTags.size >= MAX_REMEMBERED_CHANNELS) protocolTags.clear()
    tag = cacheTag.protocolChannel(channelIdOf(id))
    protocolTags.set(id, tag)
  }
  return [cacheTag.channel(id), tag]
}

/** The tags and authors of events of the log. Reads nothing: the events say all, or everything is stale. */
export function staleTagsOf(events: readonly { readonly body: HubEventBody }[]): StaleTags {
  const tags = new Set<string>()
  const authors = new Set<number>()
  for (const { body } of events) {
    if (body.type === HubEventType.MERGE_ON_CHAIN_EVENT) {
      tags.add(cacheTag.user(body.onChainEvent.fid))
      tags.add(cacheTag.dehydratedUser(body.onChainEvent.fid))
    }
    addChannelTags(body, tags)
    // The casts that the key has signed show another app.
    if (body.type === HubEventType.MERGE_MESSAGE && body.message.data.type === MessageType.KEY_ADD)
      tags.add(cacheTag.dehydratedUser(body.message.data.fid))
    if (isCompactState(body)) tags.add(cacheTag.links)
  }
  // Also of messages that are added and removed again: another process may have read the tables in between.
  for (const { message, isRemoval } of messageChanges(events)) {
    if (isRemoval && message.data.castAddBody?.parentCastId) tags.add(cacheTag.deepReplies)
    addMessageTags(message, tags)
    if (isFeedEntry(message)) authors.add(message.data.fid)
  }
  return { tags: [...tags], authors: [...authors] }
}

/** Adds the tags of what changes a channel of the protocol, or may change its owner. */
function addChannelTags(body: HubEventBody, tags: Set<string>): void {
  if (body.type === HubEventType.CHANNEL_OWNER_CHANGE_HINT) tags.add(cacheTag.channel(body.channelKey))
  if (body.type === HubEventType.MERGE_ON_CHAIN_EVENT) {
    const { label } = body.onChainEvent.channelRegisterEventBody ?? {}
    if (label) tags.add(cacheTag.protocolChannel(label))
  }
  if (body.type !== HubEventType.MERGE_MESSAGE) return
  const { channelUpdateBody, channelMemberBody, channelPinBody, channelModerateBody } = body.message.data
  const changed = channelUpdateBody ?? channelMemberBody ?? channelPinBody ?? channelModerateBody
  if (changed) tags.add(cacheTag.protocolChannel(changed.channelId))
  if (channelMemberBody) tags.add(cacheTag.channelsOf(channelMemberBody.fid))
}

function isFeedEntry({ data }: SignedMessage): boolean {
  return data.type === MessageType.CAST_ADD || data.reactionBody?.type === ReactionType.RECAST
}

/** Whether an event is a compact state of links that views show. */
function isCompactState(body: HubEventBody): boolean {
  if (body.type !== HubEventType.MERGE_MESSAGE) return false
  const type = body.message.data.linkCompactStateBody?.type
  return type === linkType.follow || type === linkType.block
}

/** The profile data that the dehydrated form of a user shows. */
const dehydratedTypes: ReadonlySet<UserDataType> = new Set([
  UserDataType.USERNAME,
  UserDataType.DISPLAY,
  UserDataType.PFP,
])

function addMessageTags(message: SignedMessage, tags: Set<string>): void {
  const { data, hash } = message
  switch (data.type) {
    case MessageType.CAST_ADD: {
      const { parentCastId: parent, parentUrl } = data.castAddBody!
      tags.add(cacheTag.cast(bareHex(hash)))
      tags.add(cacheTag.thread(bareHex(hash)))
      if (parent) tags.add(cacheTag.cast(bareHex(parent.hash)))
      if (parentUrl) tags.add(cacheTag.feed(parentUrl))
      return
    }
    case MessageType.REACTION_ADD: {
      const target = data.reactionBody!.targetCastId
      const channelId = followedChannel(message)
      tags.add(cacheTag.viewer(data.fid))
      if (channelId) {
        tags.add(cacheTag.protocolChannel(channelId))
        tags.add(cacheTag.channelsOf(data.fid))
      }
      if (target) tags.add(cacheTag.cast(bareHex(target.hash)))
      return
    }
    case MessageType.LINK_ADD:
      tags.add(cacheTag.user(data.fid))
      tags.add(cacheTag.user(data.linkBody!.targetFid!))
      tags.add(cacheTag.viewer(data.fid))
      tags.add(cacheTag.viewer(data.linkBody!.targetFid!))
      return
    case MessageType.USER_DATA_ADD: {
      const { type, value } = data.userDataBody!
      tags.add(cacheTag.user(data.fid))
      if (dehydratedTypes.has(type)) tags.add(cacheTag.dehydratedUser(data.fid))
      if (type === UserDataType.USERNAME && value !== '') tags.add(cacheTag.username(value))
      return
    }
    default:
      tags.add(cacheTag.user(data.fid))
  }
}

function bareHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
