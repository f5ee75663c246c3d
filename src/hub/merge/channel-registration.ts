import { asBuffer, ETH_ADDRESS_BYTES } from '../../protocol/bytes.js'
import { channelIdOf } from '../../protocol/channel-uri.js'
import {
  type ChannelRegisterBody,
  ChannelRegisterEventType,
  type OnChainEvent,
} from '../../protocol/definitions.js'

const LABEL_BYTES = 32
/**
 * Own choice: the contracts limit no key. It must fit an entry of the index of owners, which is a B-tree of PostgreSQL
 * and holds 2,704 bytes. The main API shows keys of up to 16.
 */
const MAX_KEY_BYTES = 1_024

/** A registered channel (docs/protocol.md §7.1.8). */
export interface ChannelRegistration {
  readonly label: Buffer
  readonly key: string
  readonly ownerAddress: Buffer
  /** Unix seconds. A lapsed registration stays until a later one. */
  readonly expiry: number
  /** The last event that took effect. */
  readonly last: Pick<OnChainEvent, 'blockNumber' | 'txIndex' | 'logIndex'>
}

/**
 * Returns the registration of an event; null if it is of another type or can have no effect. A key with U+0000, or
 * of more than `MAX_KEY_BYTES`, has none, since the database cannot store it (docs/protocol.md §9.4).
 */
export function channelRegistrationOf({
  channelRegisterEventBody: body,
}: OnChainEvent): ChannelRegisterBody | null {
  if (body?.label.length !== LABEL_BYTES) return null
  const { eventType } = body
  const isStorable = Buffer.byteLength(body.channelKey) <= MAX_KEY_BYTES && !body.channelKey.includes('\0')
  const hasKey = isStorable && channelIdOf(body.channelKey).equals(body.label)
  const hasOwner = body.ownerAddress.length === ETH_ADDRESS_BYTES
  switch (eventType) {
    case ChannelRegisterEventType.REGISTER:
      return hasKey && hasOwner ? body : null
    case ChannelRegisterEventType.RENEW:
      return hasKey ? body : null
    case ChannelRegisterEventType.TRANSFER:
      return hasOwner ? body : null
    default:
      return null
  }
}

/**
 * Folds the events of one label, in any order of arrival. Null before the first registration: what precedes
 * it, as the transfer that mints the token does, has no effect.
 */
export function foldChannelEvents(events: readonly OnChainEvent[]): ChannelRegistration | null {
  let channel: ChannelRegistration | null = null
  for (const event of [...events].sort(comparePositions)) {
    const body = channelRegistrationOf(event)
    if (body !== null) channel = nextRegistration(channel, event, body)
  }
  return channel
}

function nextRegistration(
  current: ChannelRegistration | null,
  { blockNumber, txIndex, logIndex }: OnChainEvent,
  { eventType, channelKey, label, ownerAddress, expiry }: ChannelRegisterBody,
): ChannelRegistration | null {
  const last = { blockNumber, txIndex, logIndex }
  if (eventType === ChannelRegisterEventType.REGISTER) {
    return { label: asBuffer(label), key: channelKey, ownerAddress: asBuffer(ownerAddress), expiry, last }
  }
  if (current === null) return null
  return eventType === ChannelRegisterEventType.RENEW
    ? { ...current, expiry, last }
    : { ...current, ownerAddress: asBuffer(ownerAddress), last }
}

function comparePositions(a: OnChainEvent, b: OnChainEvent): number {
  return a.blockNumber - b.blockNumber || a.txIndex - b.txIndex || a.logIndex - b.logIndex
}
