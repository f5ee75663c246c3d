import { decodeEventLog, type Hex, parseAbi, toEventSelector } from 'viem'
import { DAY_SECONDS } from '../../platform/durations.js'
import {
  type IdRegisterEventBody,
  IdRegisterEventType,
  OnChainEvent,
  OnChainEventType,
  SignerEventType,
  type TierType,
} from '../../protocol/definitions.js'
import { idRegistryAbi, keyRegistryAbi, storageRegistryAbi } from '../../protocol/registry-abis.js'
import type { ChainLog } from './endpoint.js'

const tierRegistryAbi = parseAbi([
  'event PurchasedTier(uint256 indexed fid, uint256 indexed tier, uint256 forDays, address indexed payer)',
])

/** First topics of the logs that become hub events (docs/protocol.md §5.2). Recoveries emit a Transfer too. */
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

/** A rent of the contract: a year. The hub computes the validity of units itself (docs/protocol.md §4.8). */
export const RENT_SECONDS = 365 * DAY_SECONDS
/** Version of the on-chain event format. */
export const EVENT_VERSION = 1

/** The largest number of the columns of units and key types, which are integers of 32 bits. Days share it. */
const MAX_STORED_NUMBER = 2 ** 31 - 1

/**
 * Converts a log into an on-chain event. Null for other logs, and for numbers that cannot be stored: anybody may
 * rent storage for a fid of 256 bits (docs/protocol.md §5.2).
 *
 * @param blockTimestamp Unix seconds.
 */
export function registryEvent(
  registry: RegistryName,
  log: ChainLog,
  { chainId, blockTimestamp }: { readonly chainId: number; readonly blockTimestamp: number },
): OnChainEvent | null {
  if (!registryTopics[registry].includes(log.topics[0]!)) return null
  const body = bodyOf(registry, log, blockTimestamp)
  if (body === null || !isStorable(body)) return null
  return OnChainEvent.create({
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
}

function isStorable({ fid, ...body }: EventContent): boolean {
  const { signerEventBody: key, storageRentEventBody: rent, tierPurchaseEventBody: tier } = body
  const numbers = [key?.keyType, rent?.units, tier?.tierType, tier?.forDays]
  return Number.isSafeInteger(fid) && numbers.every((number = 0) => number <= MAX_STORED_NUMBER)
}

type EventBodyName = Extract<keyof OnChainEvent, `${string}Body`>

/** The content of an on-chain event. Members that it leaves out are empty. */
export type EventContent = Pick<OnChainEvent, 'type' | 'fid'> & {
  readonly [Name in EventBodyName]?: Partial<NonNullable<OnChainEvent[Name]>>
}

function bodyOf(registry: RegistryName, log: ChainLog, blockTimestamp: number): EventContent | null {
  switch (registry) {
    case 'idRegistry':
      return idEvent(log)
    case 'keyRegistry':
      return keyEvent(log)
    case 'storageRegistry': {
      const { args } = decodeEventLog({ abi: storageRegistryAbi, eventName: 'Rent', ...logParts(log) })
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

function idEvent(log: ChainLog): EventContent | null {
  const { eventName, args } = decodeEventLog({ abi: idRegistryAbi, ...logParts(log) })
  const event = (fid: bigint, idRegisterEventBody: Partial<IdRegisterEventBody>): EventContent => ({
    type: OnChainEventType.EVENT_TYPE_ID_REGISTER,
    fid: Number(fid),
    idRegisterEventBody,
  })
  switch (eventName) {
    case 'Register':
      return event(args.id, {
        eventType: IdRegisterEventType.REGISTER,
        to: bytes(args.to),
        recoveryAddress: bytes(args.recovery),
      })
    case 'Transfer':
      return event(args.id, {
        eventType: IdRegisterEventType.TRANSFER,
        to: bytes(args.to),
        from: bytes(args.from),
      })
    case 'ChangeRecoveryAddress':
      return event(args.id, {
        eventType: IdRegisterEventType.CHANGE_RECOVERY,
        recoveryAddress: bytes(args.recovery),
      })
    default:
      return null
  }
}

function keyEvent(log: ChainLog): EventContent | null {
  const { eventName, args } = decodeEventLog({ abi: keyRegistryAbi, ...logParts(log) })
  if (eventName === 'Migrated') {
    const signerMigratedEventBody = { migratedAt: Number(args.migratedAt) }
    return { type: OnChainEventType.EVENT_TYPE_SIGNER_MIGRATED, fid: 0, signerMigratedEventBody }
  }
  const eventType = keyEventTypes[eventName]
  if (eventType === undefined || !('keyBytes' in args)) return null
  const signerEventBody = {
    eventType,
    key: bytes(args.keyBytes),
    ...('metadata' in args && {
      keyType: args.keyType,
      metadataType: args.metadataType,
      metadata: bytes(args.metadata),
    }),
  }
  return { type: OnChainEventType.EVENT_TYPE_SIGNER, fid: Number(args.fid), signerEventBody }
}

const keyEventTypes: Readonly<Partial<Record<string, SignerEventType>>> = {
  Add: SignerEventType.ADD,
  Remove: SignerEventType.REMOVE,
  AdminReset: SignerEventType.ADMIN_RESET,
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
