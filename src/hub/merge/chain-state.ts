import { DAY_SECONDS } from '../../platform/durations.js'
import {
  IdRegisterEventType,
  type OnChainEvent,
  OnChainEventType,
  type SignerEventBody,
  SignerEventType,
  TierType,
} from '../../protocol/definitions.js'

/** The last second that a Date can hold, in Unix seconds. */
export const MAX_DATE_UNIX = 8_640_000_000_000

/** The state that the on-chain events of a fid result in. */
export interface ChainState {
  readonly fid: number
  /** Null before the first registration or transfer: the fid does not exist yet. */
  readonly identity: Identity | null
  /** Unix seconds; 0 if the pro tier was never bought. */
  readonly proUntil: number
  readonly signers: readonly SignerState[]
}

interface Identity {
  readonly custodyAddress: Buffer
  readonly recoveryAddress: Buffer
  /** Unix seconds. */
  readonly registeredAt: number
}

/** A key of a user, and whether it is active. */
export interface SignerState {
  readonly key: Buffer
  readonly keyType: number
  readonly active: boolean
  /** The last event that added the key. */
  readonly added: OnChainEvent
  /** The last event that added, removed or reset the key. */
  readonly changed: OnChainEvent
}

/** Folds the id, signer and tier events of one fid, in any order of arrival (docs/protocol.md §4.10). */
export function foldChainEvents(fid: number, events: readonly OnChainEvent[]): ChainState {
  const ordered = [...events].sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
  return {
    fid,
    identity: foldIdentity(ordered),
    proUntil: foldTier(ordered),
    signers: foldSigners(ordered),
  }
}

function foldIdentity(events: readonly OnChainEvent[]): Identity | null {
  let identity: Identity | null = null
  for (const event of events) {
    if (event.type === OnChainEventType.EVENT_TYPE_ID_REGISTER) identity = nextIdentity(identity, event)
  }
  return identity
}

function nextIdentity(current: Identity | null, event: OnChainEvent): Identity | null {
  const body = event.idRegisterEventBody
  if (!body) return current
  const recovery = Buffer.from(body.recoveryAddress)
  if (body.eventType === IdRegisterEventType.CHANGE_RECOVERY) {
    return current && { ...current, recoveryAddress: recovery }
  }
  return {
    custodyAddress: Buffer.from(body.to),
    recoveryAddress: recovery.length > 0 ? recovery : (current?.recoveryAddress ?? recovery),
    registeredAt: current?.registeredAt ?? event.blockTimestamp,
  }
}

/** A purchase starts at its block or at the end of the previous one, whichever is later. */
function foldTier(events: readonly OnChainEvent[]): number {
  let until = 0
  for (const { type, blockTimestamp, tierPurchaseEventBody: body } of events) {
    if (type !== OnChainEventType.EVENT_TYPE_TIER_PURCHASE || body?.tierType !== TierType.Pro) continue
    until = Math.max(blockTimestamp, until) + body.forDays * DAY_SECONDS
  }
  return Math.min(until, MAX_DATE_UNIX)
}

/** A key is active after ADD, and after ADMIN_RESET if there was an ADD before. */
function foldSigners(events: readonly OnChainEvent[]): SignerState[] {
  const signers = new Map<string, SignerState>()
  for (const event of events) {
    const body = event.signerEventBody
    if (event.type !== OnChainEventType.EVENT_TYPE_SIGNER || !body) continue
    const key = Buffer.from(body.key)
    const name = key.toString('hex')
    const next = nextSigner(signers.get(name), event, body, key)
    if (next) signers.set(name, next)
  }
  return [...signers.values()]
}

function nextSigner(
  current: SignerState | undefined,
  event: OnChainEvent,
  body: SignerEventBody,
  key: Buffer,
): SignerState | undefined {
  switch (body.eventType) {
    case SignerEventType.ADD:
      return { key, keyType: body.keyType, active: true, added: event, changed: event }
    case SignerEventType.REMOVE:
      return current && { ...current, active: false, changed: event }
    case SignerEventType.ADMIN_RESET:
      return current && { ...current, active: true, changed: event }
    default:
      return current
  }
}
