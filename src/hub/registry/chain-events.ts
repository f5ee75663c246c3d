import {
  IdRegisterEventType,
  OnChainEvent,
  OnChainEventType,
  SignerEventType,
  TierType,
} from '@farcaster/core'
import type { AddedKey } from './key-addition.js'
import { blockHash, type EventPosition, LOCAL_CHAIN_ID, transactionHash } from './local-chain.js'

/**
 * The contract rents storage for a year; the hub computes the validity of units itself (docs/protocol.md
 * §4.8).
 */
const RENT_SECONDS = 365 * 24 * 60 * 60

/** Key type of Ed25519 keys, and metadata type of a signed key request (docs/protocol.md §5.3). */
export const ED25519_KEY = 1
const SIGNED_KEY_REQUEST = 1

/** Version of the on-chain event format. */
const EVENT_VERSION = 1

/** Builds the event that registers `fid` for `custody`. Addresses are 20 bytes. */
export function registerEvent(
  position: EventPosition,
  fid: number,
  custody: Buffer,
  recovery: Buffer,
): OnChainEvent {
  return onChainEvent(position, fid, {
    type: OnChainEventType.EVENT_TYPE_ID_REGISTER,
    idRegisterEventBody: {
      to: custody,
      eventType: IdRegisterEventType.REGISTER,
      from: Buffer.alloc(0),
      recoveryAddress: recovery,
    },
  })
}

/** Builds the event that transfers `fid` to another address. */
export function transferEvent(position: EventPosition, fid: number, from: Buffer, to: Buffer): OnChainEvent {
  return onChainEvent(position, fid, {
    type: OnChainEventType.EVENT_TYPE_ID_REGISTER,
    idRegisterEventBody: {
      to,
      eventType: IdRegisterEventType.TRANSFER,
      from,
      recoveryAddress: Buffer.alloc(0),
    },
  })
}

/** Builds the event that adds a key to `fid`. */
export function signerAddEvent(
  position: EventPosition,
  fid: number,
  { keyType, key, metadata }: AddedKey,
): OnChainEvent {
  return onChainEvent(position, fid, {
    type: OnChainEventType.EVENT_TYPE_SIGNER,
    signerEventBody: {
      key,
      keyType,
      eventType: SignerEventType.ADD,
      metadata,
      metadataType: SIGNED_KEY_REQUEST,
    },
  })
}

/** Builds the event that removes a key from `fid`. */
export function signerRemoveEvent(position: EventPosition, fid: number, key: Buffer): OnChainEvent {
  return onChainEvent(position, fid, {
    type: OnChainEventType.EVENT_TYPE_SIGNER,
    signerEventBody: {
      key,
      keyType: ED25519_KEY,
      eventType: SignerEventType.REMOVE,
      metadata: Buffer.alloc(0),
      metadataType: 0,
    },
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

type EventBody = Pick<OnChainEvent, 'type'> & Partial<OnChainEvent>

function onChainEvent(position: EventPosition, fid: number, body: EventBody): OnChainEvent {
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
