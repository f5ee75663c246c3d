import { judgeChannelMessage } from './channels.js'
import type { Context } from './context.js'
import {
  expiryFault,
  judgeKeyAdd,
  judgeKeyRemove,
  moveClock,
  needsNoSigner,
  type Signer,
  scopeFault,
  signerOf,
} from './keys.js'
import { afterMerge, applyChanges } from './merge.js'
import {
  bodyOfType,
  type Data,
  type Envelope,
  hex,
  isChannelType,
  readEnvelope,
  shortFid,
  Type,
} from './message.js'
import { isVerification, profileFault, resolverFault, verificationRoomFault } from './profile-state.js'
import { type Changes, compete, placeOf } from './sets.js'
import type { State, Stored } from './state.js'
import { validateStateless } from './stateless.js'
import { hasStorage, lentUnits, ownUnits, unitKind } from './storage.js'
import {
  DUPLICATE,
  dropped,
  type Fault,
  fault,
  INVALID_PARAM,
  invalid,
  merged,
  refused,
  UNDECODABLE,
  type Verdict,
} from './verdict.js'
import { WireError } from './wire.js'

/** The network and the moment of a judgement. */
export interface Setting {
  readonly network: number
  /** Farcaster seconds. */
  readonly now: number
  readonly hasChannels: boolean
}

const FARCASTER_EPOCH = 1_609_459_200

/** A verdict, and what it changes. */
export interface Judgement {
  readonly verdict: Verdict
  /** Makes the changes of a merge; does nothing for a message that is not merged. */
  readonly apply: (state: State) => void
}

const nothing = () => {}

/** Judges one message that is submitted by itself. */
export function judgeSubmit(state: State, bytes: Uint8Array, setting: Setting): Judgement {
  let message: Envelope
  try {
    message = readEnvelope(bytes)
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    return { verdict: refused(fault(UNDECODABLE, 'Invalid protobuf data')), apply: nothing }
  }
  if (message.data === undefined || message.data.fid === 0n)
    return { verdict: refused(fault(INVALID_PARAM, 'fid cannot be 0')), apply: nothing }
  const judgement = judge(state, message, message.data, setting, state)
  if (judgement.verdict.fault !== null) return judgement
  const resolution = resolverFault(message.data)
  if (resolution) return { verdict: refused(resolution), apply: nothing }
  return judgement
}

/** Every check of one message but those that only a single submit has. */
export function judge(
  state: State,
  message: Envelope,
  data: Data,
  setting: Setting,
  committed: State,
): Judgement {
  const refuse = (reason: Fault): Judgement => ({ verdict: refused(reason), apply: nothing })
  const context = contextOf(state, data, setting)
  const stateless = validateStateless(message, context)
  if (stateless) return refuse(stateless)
  const fid = shortFid(data.fid)
  const account = state.accounts.get(fid)
  if (account === undefined) return refuse(invalid('unknown fid'))
  const signer = needsNoSigner(data.type)
    ? ({ kind: 'onchain' } as const)
    : signerOf(state, fid, message.signer)
  if (signer === null) return refuse(invalid('invalid signer'))
  const outOfScope = scopeFault(signer, data.type)
  if (outOfScope) return refuse(outOfScope)
  const isShardZero = entersOnShardZero(data.type, setting)
  const judgement = isShardZero
    ? judgeShardZero(state, message, data, setting, signer)
    : judgeSets(state, message, data, setting, signer, committed)
  if (judgement.verdict.fault !== null || !judgement.verdict.isMerged) return judgement
  if (!hasStorage(state, fid, setting.now + FARCASTER_EPOCH))
    return { verdict: dropped(invalid('no storage')), apply: nothing }
  return {
    verdict: judgement.verdict,
    apply: (target) => {
      const current = needsNoSigner(data.type) ? signer : (signerOf(target, fid, message.signer) ?? signer)
      moveClock(current, data.timestamp, isShardZero)
      judgement.apply(target)
    },
  }
}

function contextOf(state: State, data: Data, setting: Setting): Context {
  const proUntil = state.accounts.get(shortFid(data.fid))?.proUntil ?? 0
  return { ...setting, isPro: proUntil >= setting.now + FARCASTER_EPOCH }
}

/** Whether a type is decided on shard 0. */
export function entersOnShardZero(type: number, { hasChannels }: Setting): boolean {
  const always = [Type.LEND_STORAGE, Type.KEY_ADD, Type.KEY_REMOVE] as number[]
  const withChannels = [Type.VERIFICATION_ADD, Type.VERIFICATION_REMOVE] as number[]
  return always.includes(type) || (hasChannels && (isChannelType(type) || withChannels.includes(type)))
}

/** Casts, reactions, links, user data and, on networks without channels, verifications. */
function judgeSets(
  state: State,
  message: Envelope,
  data: Data,
  setting: Setting,
  signer: Signer,
  committed: State,
): Judgement {
  const refuse = (reason: Fault): Judgement => ({ verdict: refused(reason), apply: nothing })
  if (data.type === Type.FRAME_ACTION || bodyOfType(data.type) === null || isChannelType(data.type))
    return refuse(invalid('invalid message type'))
  const wrong = profileFault(state, data) ?? expiryFault(signer, setting.now, false)
  if (wrong) return refuse(wrong)
  const stored = toStored(message, data)
  if ('code' in stored) return refuse(stored)
  const changes = compete(state, stored, committed)
  if ('code' in changes) return refuse(changes)
  return mergedWith(stored, changes, setting)
}

function mergedWith(stored: Stored, changes: Changes, setting: Setting): Judgement {
  return {
    verdict: merged,
    apply: (target) => {
      applyChanges(target, changes)
      afterMerge(target, stored, changes, setting.now + FARCASTER_EPOCH, setting.hasChannels)
    },
  }
}

/** Loans, keys, channels and, where channels are active, verifications. */
function judgeShardZero(
  state: State,
  message: Envelope,
  data: Data,
  setting: Setting,
  signer: Signer,
): Judgement {
  const refuse = (reason: Fault): Judgement => ({ verdict: refused(reason), apply: nothing })
  if (data.body === undefined) return refuse(invalid('message has no data'))
  const isChannelBody = data.body.name.startsWith('channel')
  if (isChannelType(data.type) || isChannelBody) {
    const filled = judgeChannelMessage(state, data, hex(message.hash))
    if ('code' in filled) return refuse(filled)
    return { verdict: merged, apply: (target) => void target.slots.set(filled.id, filled.slot) }
  }
  const expired = expiryFault(signer, setting.now, true)
  if (isVerification(data.type)) {
    if (data.body.name !== bodyOfType(data.type)) return refuse(invalid('invalid message type'))
    return judgeVerification(state, message, data, setting, expired)
  }
  const group = ['lendStorage', 'keyAdd', 'keyRemove']
  if (!group.includes(data.body.name)) return refuse(invalid('invalid message type'))
  if (expired) return refuse(expired)
  if (data.body.name !== bodyOfType(data.type))
    return { verdict: dropped(invalid('invalid message type')), apply: nothing }
  if (data.type === Type.LEND_STORAGE) return judgeLend(state, message, data, setting)
  const change =
    data.type === Type.KEY_ADD ? judgeKeyAdd(state, data) : judgeKeyRemove(state, data, message.signer)
  if ('code' in change) return { verdict: dropped(change), apply: nothing }
  return { verdict: merged, apply: change.apply }
}

/** Storage and the clock of the key belong to the checks of a message, which come before the conflicts of its set. */
function judgeVerification(
  state: State,
  message: Envelope,
  data: Data,
  setting: Setting,
  expired: Fault | null,
): Judgement {
  const stored = toStored(message, data)
  if ('code' in stored) return { verdict: refused(stored), apply: nothing }
  const invalidity = verificationRoomFault(state, stored, setting.now + FARCASTER_EPOCH) ?? expired
  if (invalidity) return { verdict: refused(invalidity), apply: nothing }
  const changes = compete(state, stored)
  if ('code' in changes) return { verdict: refused(changes), apply: nothing }
  return mergedWith(stored, changes, setting)
}

/** A loan moves units that the lender has rented; nothing is told of a loan that an other one replaces. */
function judgeLend(state: State, message: Envelope, data: Data, setting: Setting): Judgement {
  const body = data.body!.value
  const fid = shortFid(data.fid)
  const kind = unitKind(body.unitType as number)
  const toFid = shortFid(body.toFid as bigint)
  const stored: Stored = {
    fid,
    set: 'lends',
    key: `${toFid}`,
    isRemove: false,
    isCompact: false,
    timestamp: data.timestamp,
    hash: hex(message.hash),
    data,
  }
  const previous = state.set(fid, 'lends').get(stored.key)
  const isSameKind = previous?.data.body?.value.unitType === body.unitType
  const given = isSameKind ? Number(previous?.data.body?.value.numUnits ?? 0n) : 0
  const units = Number(body.numUnits as bigint)
  const own = ownUnits(state, fid, kind, setting.now + FARCASTER_EPOCH)
  const minimum = setting.network === 1 ? 1000 : 0
  const free = own - lentUnits(state, fid, kind) + given
  if (units > 0 && (own < minimum || units > free - 1))
    return { verdict: refused(invalid('insufficient storage')), apply: nothing }
  const changes = compete(state, stored)
  if ('code' in changes) {
    const verdict = changes.code === DUPLICATE ? refused(changes) : dropped(changes)
    return { verdict, apply: nothing }
  }
  return mergedWith(stored, changes, setting)
}

function toStored(message: Envelope, data: Data): Stored | Fault {
  const place = placeOf(data, message.hash)
  if ('code' in place) return place
  return {
    ...place,
    fid: shortFid(data.fid),
    isCompact: data.type === Type.LINK_COMPACT_STATE,
    timestamp: data.timestamp,
    hash: hex(message.hash),
    data,
  }
}

/** What validateMessage answers over HTTP: null for an error, which an unreadable message gets. */
export function judgeValidity(state: State, bytes: Uint8Array, setting: Setting): boolean | null {
  let message: Envelope
  try {
    message = readEnvelope(bytes)
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    return null
  }
  const { data } = message
  if (data?.body === undefined || !isKnownType(data.type)) return null
  return validateStateless(message, contextOf(state, data, setting)) === null
}

function isKnownType(type: number): boolean {
  return bodyOfType(type) !== null
}
