import { refuse } from '../../../platform/errors.js'
import { asBuffer } from '../../../protocol/bytes.js'
import { encodeMessage } from '../../../protocol/codec.js'
import {
  ChannelMemberAction,
  HubEventType,
  MembershipMode,
  MessageType,
} from '../../../protocol/definitions.js'
import { type ChannelBody, channelSubject, MAX_MEMBER_FID } from '../../../protocol/kinds/channel.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { MessageSet } from '../../../protocol/message-kind.js'
import { channelBodyOf } from '../../../protocol/message-kinds.js'
import { ChannelMemberState } from '../../../protocol/proto/generated/channel_requests.js'
import { refusedChange, roleOf, stateAfter, UNAUTHORIZED } from '../channels/authority.js'
import type { ChannelSlot, RegisteredChannel, Verifier } from '../channels/channel-state.js'
import type { MergeRefusal, MergeRule } from '../rule.js'
import type { BatchState } from '../state.js'

/** Most slots of a channel that were ever used, and most moderators (docs/protocol.md §7.1.4). */
const MAX_MEMBER_SLOTS = 8192
const MAX_MODERATION_SLOTS = 16_384
const MAX_MODERATORS = 10

/**
 * Rule of channel messages: the owner is the user who verified the owner's address, a role decides who may act, and
 * the last message to arrive holds the slot (docs/protocol.md §7.1.3-7.1.4).
 */
export const channelRule: MergeRule = {
  merge(message, _conflictKey, state) {
    const body = channelBodyOf(message)!
    // Another hub has checked them, in a state that this one may not have.
    const fault = state.historical.has(message) ? null : findFault(message, body, state)
    if (fault !== null) return invalid(fault)
    return store(message, body, state)
  },
}

const invalid = (text: string): MergeRefusal => refuse('bad_request.validation_failure', text)

function findFault(message: SignedMessage, body: ChannelBody, state: BatchState): string | null {
  const { data } = message
  const channelId = asBuffer(body.channelId)
  const channel = state.channels.channel(channelId)
  if (!channel) return 'unknown channel'
  const owner = ownerOf(channel, state)
  const target = data.channelMemberBody
  const isSelf = target?.fid === data.fid
  if (owner === null && !(isSelf && target.action === ChannelMemberAction.REMOVE_MEMBER))
    return 'channel is parked'
  const stateOf = (fid: number) => state.channels.memberState(MessageType.CHANNEL_MEMBER, channelId, fid)
  // A user whose fid does not fit in the key of a member's slot is no member.
  const role = data.fid === owner ? 'owner' : data.fid > MAX_MEMBER_FID ? 'other' : roleOf(stateOf(data.fid))
  if (!target) {
    const isAllowed = role === 'owner' || (role === 'moderator' && data.type !== MessageType.CHANNEL_UPDATE)
    return isAllowed ? null : UNAUTHORIZED
  }
  const fault = refusedChange({
    action: target.action,
    role,
    isSelf,
    state: stateOf(target.fid),
    targetIsOwner: target.fid === owner,
    isOpen: isOpen(channelId, state),
  })
  if (fault !== null || target.action !== ChannelMemberAction.ADD_MODERATOR) return fault
  return state.channels.counts(channelId).moderators >= MAX_MODERATORS
    ? 'channel moderator cap reached'
    : null
}

function isOpen(channelId: Buffer, state: BatchState): boolean {
  const update = state.channels.slot(MessageType.CHANNEL_UPDATE, channelId, Buffer.alloc(0))
  return update?.message().data.channelUpdateBody?.membershipMode === MembershipMode.OPEN
}

/** Returns who has verified the owner's address last, of equal times and hashes the lower fid; null for nobody. */
function ownerOf({ owner, verifiers }: RegisteredChannel, state: BatchState): number | null {
  const byFid = new Map(verifiers.map((verifier) => [verifier.fid, verifier]))
  for (const { conflictKey, after } of state.changes()) {
    if (conflictKey.set !== MessageSet.verifications || !conflictKey.key.equals(owner)) continue
    if (after?.type === MessageType.VERIFICATION_ADD_ETH_ADDRESS) byFid.set(conflictKey.fid, after)
    else byFid.delete(conflictKey.fid)
  }
  const [first] = [...byFid.values()].sort(byPrecedence)
  return first?.fid ?? null
}

function byPrecedence(a: Verifier, b: Verifier): number {
  return b.ts - a.ts || Buffer.compare(b.hash, a.hash) || a.fid - b.fid
}

/**
 * Puts a message into its slot, and logs it with the message that held the slot: any sender's, of any time. Copies of what
 * another hub had stored have no order among the messages that arrived here: the newer one of a slot stays.
 */
function store(message: SignedMessage, body: ChannelBody, state: BatchState): MergeRefusal | null {
  const { channels } = state
  const slot = slotOf(message, body)
  const before = channels.slot(slot.type, slot.channelId, slot.subject)
  if (before?.hash.equals(message.hash) && before.fid === slot.fid) {
    return refuse('bad_request.duplicate', 'message has already been merged')
  }
  if (before && state.isCopy && before.ts >= slot.ts) {
    return refuse('bad_request.conflict', 'the channel has a newer message in its place')
  }
  if (!before && isFull(slot, state)) return invalid('channel slot cap exceeded')
  const isNew = Number(before === null)
  if (slot.type === MessageType.CHANNEL_MEMBER) {
    const moderators = isModerator(slot) - isModerator(before)
    if (isNew || moderators !== 0) channels.addCounts(slot.channelId, { members: isNew, moderators })
  } else if (slot.type === MessageType.CHANNEL_MODERATE && isNew) {
    channels.addCounts(slot.channelId, { moderations: 1 })
  }
  channels.set(slot)
  state.emit(slot.fid, {
    type: HubEventType.MERGE_MESSAGE,
    message,
    deletedMessages: before ? [before.message()] : [],
  })
  return null
}

const isModerator = (slot: ChannelSlot | null) => Number(slot?.state === ChannelMemberState.MODERATOR)

function slotOf(message: SignedMessage, body: ChannelBody): ChannelSlot {
  const { data, hash } = message
  const { channelMemberBody: member, channelModerateBody: moderation } = data
  return {
    channelId: asBuffer(body.channelId),
    type: data.type,
    subject: channelSubject(body, data.type),
    state: member ? stateAfter(member.action) : (moderation?.action ?? 0),
    fid: data.fid,
    ts: data.timestamp,
    hash,
    encoded: encodeMessage(message),
    message: () => message,
  }
}

function isFull({ type, channelId }: ChannelSlot, state: BatchState): boolean {
  const { members, moderations } = state.channels.counts(channelId)
  if (type === MessageType.CHANNEL_MEMBER) return members >= MAX_MEMBER_SLOTS
  return type === MessageType.CHANNEL_MODERATE && moderations >= MAX_MODERATION_SLOTS
}
