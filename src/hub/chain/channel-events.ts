import { decodeAbiParameters, type Hex, toEventSelector } from 'viem'
import {
  type ChannelRegisterBody,
  ChannelRegisterEventType,
  OnChainEvent,
  OnChainEventType,
} from '../../protocol/definitions.js'
import { CHANNELS_FID } from '../../protocol/shard.js'
import type { ChainLog } from './endpoint.js'
import { EVENT_VERSION } from './registry-events.js'

/** First topics of the logs that become channel events (docs/protocol.md §5.2). */
export const channelTopics = {
  registered: toEventSelector('NameRegistered(string,bytes32,address,uint256)'),
  renewed: toEventSelector('NameRenewed(string,bytes32,uint256)'),
  transferred: toEventSelector('Transfer(address,address,uint256)'),
} as const

/** Chain id of every channel event, whatever the chain of the contracts: the protocol fixes it. */
export const CHANNEL_CHAIN_ID = 8_453

/** The two contracts whose logs are read, in lower case. */
export interface ChannelContracts {
  readonly controller: Hex
  readonly token: Hex
}

/**
 * Converts a log of the controller or the token into an on-chain event. Null for other logs, and for a key that
 * is not UTF-8.
 *
 * @param blockTimestamp Unix seconds.
 */
export function channelEvent(
  { controller, token }: ChannelContracts,
  log: ChainLog,
  blockTimestamp: number,
): OnChainEvent | null {
  const body =
    log.address === controller ? controllerBody(log) : log.address === token ? transferBody(log) : null
  return (
    body &&
    OnChainEvent.create({
      type: OnChainEventType.EVENT_TYPE_CHANNEL_REGISTER,
      chainId: CHANNEL_CHAIN_ID,
      fid: CHANNELS_FID,
      channelRegisterEventBody: body,
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

function controllerBody({ topics, data }: ChainLog): ChannelRegisterBody | null {
  const [topic, label, owner] = topics
  if (topic !== channelTopics.registered && topic !== channelTopics.renewed) return null
  const named = keyAndExpiry(data)
  if (named === null || label === undefined) return null
  const isRegistration = topic === channelTopics.registered
  if (isRegistration && owner === undefined) return null
  return {
    ...named,
    ownerAddress: isRegistration ? addressOf(owner!) : new Uint8Array(),
    eventType: isRegistration ? ChannelRegisterEventType.REGISTER : ChannelRegisterEventType.RENEW,
    label: bytes(label),
  }
}

function transferBody({ topics }: ChainLog): ChannelRegisterBody | null {
  const [topic, , to, id] = topics
  if (topic !== channelTopics.transferred || to === undefined || id === undefined) return null
  return {
    channelKey: '',
    expiry: 0,
    ownerAddress: addressOf(to),
    eventType: ChannelRegisterEventType.TRANSFER,
    label: bytes(id),
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Decodes the key as bytes, because the decoder of strings replaces what is not UTF-8. */
function keyAndExpiry(data: Hex): Pick<ChannelRegisterBody, 'channelKey' | 'expiry'> | null {
  try {
    const [key, expires] = decodeAbiParameters([{ type: 'bytes' }, { type: 'uint256' }], data)
    const expiry = expires > MAX_EXPIRY ? MAX_EXPIRY : expires
    return { channelKey: utf8.decode(bytes(key)), expiry: Number(expiry) }
  } catch {
    return null
  }
}

/** A later expiry, in 285 million years, is cut to this (docs/protocol.md §9.4). */
const MAX_EXPIRY = BigInt(Number.MAX_SAFE_INTEGER)

/** The address of an indexed parameter: the last 20 bytes of a topic. */
function addressOf(topic: Hex): Buffer {
  return bytes(topic).subarray(12)
}

function bytes(hex: Hex): Buffer {
  return Buffer.from(hex.slice(2), 'hex')
}
