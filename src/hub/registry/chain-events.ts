import {
  type ChannelRegisterBody,
  IdRegisterEventType,
  OnChainEvent,
  OnChainEventType,
  SignerEventType,
  TierType,
} from '../../protocol/definitions.js'
import { KEY_TYPE_ED25519, METADATA_TYPE_SIGNED_KEY_REQUEST } from '../../protocol/key-rules.js'
import { CHANNELS_FID } from '../../protocol/shard.js'
import { CHANNEL_CHAIN_ID } from '../chain/channel-events.js'
import { EVENT_VERSION, type EventContent, RENT_SECONDS } from '../chain/registry-events.js'
import type { AddedKey } from './key-addition.js'
import { blockHash, type EventPosition, LOCAL_CHAIN_ID, transactionHash } from './local-chain.js'

/** Builds the event that registers `fid` for `custody`. Addresses are 20 bytes. */
export function registerEvent(
  position: EventPosition,
  fid: number,
  custody: Buffer,
  recovery: Buffer,
): OnChainEvent {
  return onChainEvent(position, fid, {
    type: OnChainEventType.EVENT_TYPE_ID_REGISTER,
    idRegisterEventBody: { eventType: IdRegisterEventType.REGISTER, to: custody, recoveryAddress: recovery },
  })
}

/** Builds the event that transfers `fid` to another address. */
export function transferEvent(position: EventPosition, fid: number, from: Buffer, to: Buffer): OnChainEvent {
  return onChainEvent(position, fid, {
    type: OnChainEventType.EVENT_TYPE_ID_REGISTER,
    idRegisterEventBody: { eventType: IdRegisterEventType.TRANSFER, from, to },
  })
}

/** Builds the event that adds a key to `fid`. */
export function signerAddEvent(position: EventPosition, fid: number, added: AddedKey): OnChainEvent {
  const metadataType = METADATA_TYPE_SIGNED_KEY_REQUEST
  return onChainEvent(position, fid, {
    type: OnChainEventType.EVENT_TYPE_SIGNER,
    signerEventBody: { ...added, eventType: SignerEventType.ADD, metadataType },
  })
}

/** Builds the event that removes a key from `fid`. */
export function signerRemoveEvent(position: EventPosition, fid: number, key: Buffer): OnChainEvent {
  return onChainEvent(position, fid, {
    type: OnChainEventType.EVENT_TYPE_SIGNER,
    signerEventBody: { key, keyType: KEY_TYPE_ED25519, eventType: SignerEventType.REMOVE },
  })
}

/** Builds the event by which `payer` rents units of storage for `fid`. */
export function storageRentEvent(
  position: EventPosition,
  fid: number,
  units: number,
  payer: Buffer,
): OnChainEvent {
  return onChainEvent(position, fid, {
    type: OnChainEventType.EVENT_TYPE_STORAGE_RENT,
    storageRentEventBody: { payer, units, expiry: position.blockTimestamp + RENT_SECONDS },
  })
}

/** Builds the event by which `payer` buys the pro tier for `fid`. */
export function tierPurchaseEvent(
  position: EventPosition,
  fid: number,
  forDays: number,
  payer: Buffer,
): OnChainEvent {
  return onChainEvent(position, fid, {
    type: OnChainEventType.EVENT_TYPE_TIER_PURCHASE,
    tierPurchaseEventBody: { tierType: TierType.Pro, forDays, payer },
  })
}

/** A change of a channel in the registry. What it does not concern is left out. */
export type ChannelChange = Pick<ChannelRegisterBody, 'eventType'> &
  Partial<Pick<ChannelRegisterBody, 'channelKey' | 'ownerAddress' | 'expiry'>>

/** Builds the event that registers, renews or transfers the channel of a label (32 bytes). */
export function channelRegisterEvent(
  position: EventPosition,
  label: Buffer,
  change: ChannelChange,
): OnChainEvent {
  const event = onChainEvent(position, CHANNELS_FID, {
    type: OnChainEventType.EVENT_TYPE_CHANNEL_REGISTER,
    channelRegisterEventBody: { ...change, label },
  })
  return { ...event, chainId: CHANNEL_CHAIN_ID }
}

/** Members that `body` leaves out are empty. */
function onChainEvent(position: EventPosition, fid: number, body: Omit<EventContent, 'fid'>): OnChainEvent {
  return OnChainEvent.create({
    ...body,
    chainId: LOCAL_CHAIN_ID,
    blockNumber: position.blockNumber,
    blockHash: blockHash(position.blockNumber),
    blockTimestamp: position.blockTimestamp,
    transactionHash: transactionHash(position.transaction),
    logIndex: position.logIndex,
    fid,
    txIndex: 0,
    version: EVENT_VERSION,
  })
}
