import {
  IdRegisterEventType,
  idRegistryABI,
  keyRegistryABI,
  OnChainEvent,
  OnChainEventType,
  SignerEventType,
  storageRegistryABI,
  type TierType,
} from '@farcaster/core'
import { decodeEventLog, type Hex, parseAbi, toEventSelector } from 'viem'
import type { ChainLog } from './endpoint.js'

const tierRegistryAbi = parseAbi([
  'event PurchasedTier(uint256 indexed fid, uint256 indexed tier, uint256 forDays, address indexed payer)',
])

/**
 * First topics of the registry logs that become hub events (docs/protocol.md §5.2). Recoveries also emit a
 * Transfer.
 */
export const registryTopics = {
  idRegistry: topics([
    'Register(address,uint256,address)',
    'Transfer(address,address,uint256)',
    'ChangeRecoveryAddress(uint256,address)',
  ]),
  keyRegistry: topics([
    'Add(uint256,uint32,bytes,bytes,uint8,bytes)',
    'Remove(uint256,bytes,bytes)',
    'AdminReset(uint256,bytes,bytes)',
    'Migrated(uint256)',
  ]),
  storageRegistry: topics(['Rent(address,uint256,uint256)']),
  tierRegistry: topics(['PurchasedTier(uint256,uint256,uint256,address)']),
} as const

/** A registry whose logs become hub events. */
export type RegistryName = keyof typeof registryTopics

/**
 * The contract rents storage for a year; the hub computes the validity of units itself (docs/protocol.md
 * §4.8).
 */
const RENT_SECONDS = 365 * 24 * 60 * 60
/** Version of the on-chain event format. */
const EVENT_VERSION = 1

/**
 * Converts a log of a registry into an on-chain event; null for logs that are none.
 *
 * @param blockTimestamp Unix seconds of the block of the log.
 */
export function registryEvent(
  registry: RegistryName,
  log: ChainLog,
  { chainId, blockTimestamp }: { readonly chainId: number; readonly blockTimestamp: number },
): OnChainEvent | null {
  if (!registryTopics[registry].includes(log.topics[0]!)) return null
  const body = bodyOf(registry, log, blockTimestamp)
  return (
    body &&
    OnChainEvent.create({
      ...body,
      chainId,
      blockNumber: log.blockNumber,
      blockHash: bytes(log.blockHash),
      blockTimestamp,
      transactionHash: bytes(log.transactionHash),
      logIndex: log.logIndex,
      txIndex: log.transactionIndex,
      version: EVENT_VERSION,
    })
  )
}

type Body = Pick<OnChainEvent, 'type' | 'fid'> & Partial<OnChainEvent>

function bodyOf(registry: RegistryName, log: ChainLog, blockTimestamp: number): Body | null {
  switch (registry) {
    case 'idRegistry':
      return idEvent(log)
    case 'keyRegistry':
      return keyEvent(log)
    case 'storageRegistry': {
      const { args } = decodeEventLog({ abi: storageRegistryABI, eventName: 'Rent', ...logParts(log) })
      return {
        type: OnChainEventType.EVENT_TYPE_STORAGE_RENT,
        fid: Number(args.fid),
        storageRentEventBody: {
          payer: bytes(args.payer),
          units: Number(args.units),
          expiry: blockTimestamp + RENT_SECONDS,
        },
      }
    }
    case 'tierRegistry': {
      const { args } = decodeEventLog({ abi: tierRegistryAbi, ...logParts(log) })
      return {
        type: OnChainEventType.EVENT_TYPE_TIER_PURCHASE,
        fid: Number(args.fid),
        tierPurchaseEventBody: {
          tierType: Number(args.tier) as TierType,
          forDays: Number(args.forDays),
          payer: bytes(args.payer),
        },
      }
    }
  }
}

function idEvent(log: ChainLog): Body | null {
  const { eventName, args } = decodeEventLog({ abi: idRegistryABI, ...logParts(log) })
  const noAddress = Buffer.alloc(0)
  const body = { to: noAddress, from: noAddress, recoveryAddress: noAddress }
  const type = OnChainEventType.EVENT_TYPE_ID_REGISTER
  if (eventName === 'Register') {
    const eventType = IdRegisterEventType.REGISTER
    const event = { ...body, eventType, to: bytes(args.to), recoveryAddress: bytes(args.recovery) }
    return { type, fid: Number(args.id), idRegisterEventBody: event }
  }
  if (eventName === 'Transfer') {
    const eventType = IdRegisterEventType.TRANSFER
    const event = { ...body, eventType, to: bytes(args.to), from: bytes(args.from) }
    return { type, fid: Number(args.id), idRegisterEventBody: event }
  }
  if (eventName === 'ChangeRecoveryAddress') {
    const eventType = IdRegisterEventType.CHANGE_RECOVERY
    const event = { ...body, eventType, recoveryAddress: bytes(args.recovery) }
    return { type, fid: Number(args.id), idRegisterEventBody: event }
  }
  return null
}

function keyEvent(log: ChainLog): Body | null {
  const { eventName, args } = decodeEventLog({ abi: keyRegistryABI, ...logParts(log) })
  const type = OnChainEventType.EVENT_TYPE_SIGNER
  const noKey = { keyType: 0, metadata: Buffer.alloc(0), metadataType: 0 }
  if (eventName === 'Add' && 'keyBytes' in args) {
    const { keyType, metadataType } = args
    const event = { eventType: SignerEventType.ADD, keyType, metadataType }
    const body = { ...event, key: bytes(args.keyBytes), metadata: bytes(args.metadata) }
    return { type, fid: Number(args.fid), signerEventBody: body }
  }
  if (eventName === 'Remove' && 'keyBytes' in args) {
    const body = { ...noKey, eventType: SignerEventType.REMOVE, key: bytes(args.keyBytes) }
    return { type, fid: Number(args.fid), signerEventBody: body }
  }
  if (eventName === 'AdminReset') {
    const body = { ...noKey, eventType: SignerEventType.ADMIN_RESET, key: bytes(args.keyBytes) }
    return { type, fid: Number(args.fid), signerEventBody: body }
  }
  if (eventName === 'Migrated') {
    const migratedAt = Number(args.migratedAt)
    return {
      type: OnChainEventType.EVENT_TYPE_SIGNER_MIGRATED,
      fid: 0,
      signerMigratedEventBody: { migratedAt },
    }
  }
  return null
}

function logParts({ topics: logTopics, data }: ChainLog): { topics: [Hex, ...Hex[]]; data: Hex } {
  return { topics: [...logTopics] as [Hex, ...Hex[]], data }
}

function bytes(hex: Hex): Buffer {
  return Buffer.from(hex.slice(2), 'hex')
}

function topics(signatures: readonly string[]): readonly Hex[] {
  return signatures.map((signature) => toEventSelector(signature))
}
