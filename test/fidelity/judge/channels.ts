import { type Data, hex, isChannelType, shortFid } from './message.js'
import type { Decoded } from './schema.js'
import { type Slot, type State, tsHash } from './state.js'
import { DUPLICATE, type Fault, fault, invalid } from './verdict.js'

/** Channels: who owns one, who may do what, and the slots that hold the result. */

type MemberState = 'none' | 'member' | 'moderator' | 'removed' | 'banned'
type Role = 'owner' | 'moderator' | 'member' | 'other'

const ADD_MEMBER = 1
const REMOVE_MEMBER = 2
const ADD_MODERATOR = 3
const REMOVE_MODERATOR = 4
const BAN = 5
const UNBAN = 6
const OPEN = 1
const MAX_MODERATORS = 10

const stateAfter: Readonly<Record<number, MemberState>> = {
  [ADD_MEMBER]: 'member',
  [REMOVE_MEMBER]: 'removed',
  [ADD_MODERATOR]: 'moderator',
  [REMOVE_MODERATOR]: 'member',
  [BAN]: 'banned',
  [UNBAN]: 'removed',
}

const statesBefore: Readonly<Record<number, readonly MemberState[]>> = {
  [ADD_MEMBER]: ['none', 'removed'],
  [REMOVE_MEMBER]: ['member', 'moderator'],
  [ADD_MODERATOR]: ['none', 'removed', 'member'],
  [REMOVE_MODERATOR]: ['moderator'],
  [BAN]: ['none', 'removed', 'member', 'moderator'],
  [UNBAN]: ['banned'],
}

const slotOf = (kind: string, channel: string, rest = '') => `${kind}/${channel}/${rest}`

function memberState(state: State, channel: string, fid: number): MemberState {
  const slot = state.slots.get(slotOf('member', channel, `${fid}`))
  return slot === undefined ? 'none' : stateAfter[slot.data.body!.value.action as number]!
}

/** The fid with the newest live verification of the owner's address; null: the channel is parked. */
function ownerOf(state: State, channel: string): number | null {
  const address = state.channels.get(channel)!.owner
  const holders = [...state.accounts.keys()].flatMap((fid) => {
    const stored = state.set(fid, 'verifications').get(address)
    return stored === undefined || stored.isRemove ? [] : [stored]
  })
  holders.sort((a, b) => (tsHash(a) === tsHash(b) ? a.fid - b.fid : tsHash(a) < tsHash(b) ? 1 : -1))
  return holders[0]?.fid ?? null
}

function roleOf(state: State, channel: string, fid: number, owner: number | null): Role {
  if (fid === owner) return 'owner'
  const own = memberState(state, channel, fid)
  return own === 'moderator' || own === 'member' ? own : 'other'
}

/** The slot that a message fills, or why it may not. */
export function judgeChannelMessage(
  state: State,
  data: Data,
  hash: string,
): { readonly id: string; readonly slot: Slot } | Fault {
  const body = data.body
  if (body === undefined || !isChannelType(data.type) || bodyType[body.name] !== data.type)
    return invalid('invalid message type')
  const channel = hex(body.value.channelId as Uint8Array)
  if (!state.channels.has(channel)) return invalid('unknown channel')
  const fid = shortFid(data.fid)
  const owner = ownerOf(state, channel)
  const target = shortFid((body.value.fid as bigint | undefined) ?? 0n)
  const leaves = body.name === 'channelMember' && body.value.action === REMOVE_MEMBER && target === fid
  if (owner === null && !leaves) return invalid('channel is parked')
  const role = roleOf(state, channel, fid, owner)
  const refusal = authorityFault(state, channel, body.name, body.value, { fid, target, owner, role })
  if (refusal) return refusal
  const id = slotId(channel, body.name, body.value)
  const before = state.slots.get(id)
  if (before?.hash === hash && before.fid === fid) return fault(DUPLICATE, 'message has already been merged')
  if (before === undefined && isFull(state, channel, body.name)) return invalid('channel slot cap exceeded')
  return { id, slot: { fid, hash, timestamp: data.timestamp, data } }
}

const bodyType: Readonly<Record<string, number>> = {
  channelUpdate: 18,
  channelMember: 19,
  channelPin: 20,
  channelModerate: 21,
}

interface Actor {
  readonly fid: number
  readonly target: number
  readonly owner: number | null
  readonly role: Role
}

function authorityFault(
  state: State,
  channel: string,
  name: string,
  body: Decoded,
  actor: Actor,
): Fault | null {
  const unauthorized = invalid('unauthorized channel action')
  if (name === 'channelUpdate') return actor.role === 'owner' ? null : unauthorized
  if (name !== 'channelMember')
    return actor.role === 'owner' || actor.role === 'moderator' ? null : unauthorized
  const action = body.action as number
  const before = memberState(state, channel, actor.target)
  if (action === BAN && actor.target === actor.owner) return invalid('channel owner cannot be banned')
  if (before === 'banned' && action !== UNBAN) return invalid('channel member is banned')
  const wrongState = invalid('invalid channel target state')
  if (!statesBefore[action]!.includes(before)) return wrongState
  if (!isAllowed(state, channel, action, before, actor))
    return action === REMOVE_MEMBER ? wrongState : unauthorized
  if (action === ADD_MODERATOR && moderatorCount(state, channel) >= MAX_MODERATORS)
    return invalid('channel moderator cap reached')
  return null
}

function isAllowed(
  state: State,
  channel: string,
  action: number,
  before: MemberState,
  { role, fid, target }: Actor,
): boolean {
  const governs = role === 'owner' || role === 'moderator'
  switch (action) {
    case ADD_MEMBER:
      return governs || (fid === target && membershipMode(state, channel) === OPEN)
    case REMOVE_MEMBER:
      return fid === target || (before === 'member' && governs)
    case ADD_MODERATOR:
    case REMOVE_MODERATOR:
      return role === 'owner'
    case BAN:
      return role === 'owner' || (role === 'moderator' && before !== 'moderator')
    default:
      return governs
  }
}

function membershipMode(state: State, channel: string): number {
  const update = state.slots.get(slotOf('update', channel))
  return update === undefined ? 0 : ((update.data.body!.value.membershipMode as number | undefined) ?? 0)
}

function moderatorCount(state: State, channel: string): number {
  const prefix = slotOf('member', channel)
  return [...state.slots].filter(
    ([id, slot]) => id.startsWith(prefix) && slot.data.body!.value.action === ADD_MODERATOR,
  ).length
}

function slotId(channel: string, name: string, body: Decoded): string {
  if (name === 'channelMember') return slotOf('member', channel, `${shortFid(body.fid as bigint)}`)
  if (name === 'channelModerate') return slotOf('moderate', channel, hex(body.castHash as Uint8Array))
  return slotOf(name === 'channelPin' ? 'pin' : 'update', channel)
}

function isFull(state: State, channel: string, name: string): boolean {
  if (name !== 'channelMember' && name !== 'channelModerate') return false
  const kind = name === 'channelMember' ? 'member' : 'moderate'
  const cap = name === 'channelMember' ? 8192 : 16_384
  const prefix = slotOf(kind, channel)
  return [...state.slots.keys()].filter((id) => id.startsWith(prefix)).length >= cap
}
