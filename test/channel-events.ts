import { createHash } from 'node:crypto'
import type { Hub } from '../src/hub/hub.js'
import { verification } from '../src/hub/merge/testing/in-memory-merges.js'
import { channelIdOf } from '../src/protocol/channel-uri.js'
import {
  type ChannelRegisterBody,
  ChannelRegisterEventType,
  OnChainEvent,
  OnChainEventType,
} from '../src/protocol/definitions.js'
import { type TestUser, testNow, testNowUnix } from './network.js'

/** The position of an event of the channels' registry. */
export interface ChannelEventPosition {
  readonly block: number
  readonly logIndex?: number
  readonly txIndex?: number
}

/** Creates an event of the channels' registry. Members that `change` leaves out are empty. */
export function channelEvent(
  key: string,
  { block, logIndex = 0, txIndex = 0 }: ChannelEventPosition,
  change: Pick<ChannelRegisterBody, 'eventType'> & Partial<ChannelRegisterBody>,
): OnChainEvent {
  const hash = createHash('sha256').update(`channel event ${block} ${txIndex}`).digest()
  return OnChainEvent.fromPartial({
    type: OnChainEventType.EVENT_TYPE_CHANNEL_REGISTER,
    chainId: 8453,
    blockNumber: block,
    blockHash: hash,
    blockTimestamp: testNowUnix - 5_000 + block,
    transactionHash: hash,
    logIndex,
    txIndex,
    fid: 0,
    channelRegisterEventBody: { label: channelIdOf(key), ...change },
    version: 1,
  })
}

/** Creates the registration of a channel for an address (20 bytes). */
export function channelRegistration(
  key: string,
  ownerAddress: Uint8Array,
  position: ChannelEventPosition,
  expiry = testNowUnix + 31_536_000,
): OnChainEvent {
  const eventType = ChannelRegisterEventType.REGISTER
  return channelEvent(key, position, { eventType, channelKey: key, ownerAddress, expiry })
}

/** Registers a channel of the protocol for an address that the user has verified, in a test block of its own. */
export async function ownProtocolChannel(
  hub: Pick<Hub, 'submit' | 'submitOnChainEvents'>,
  user: TestUser,
  key: string,
): Promise<void> {
  const address = createHash('sha256').update(`owner of ${key}`).digest().subarray(0, 20)
  const refusals = await hub.submit([verification(user, address, testNow - 4_000)], { trusted: true })
  if (refusals[0]) throw new Error(refusals[0].message)
  await hub.submitOnChainEvents([channelRegistration(key, address, { block: 3_000_000 })])
}

/** Creates the renewal of a channel. */
export function channelRenewal(key: string, position: ChannelEventPosition, expiry: number): OnChainEvent {
  return channelEvent(key, position, { eventType: ChannelRegisterEventType.RENEW, channelKey: key, expiry })
}

/** Creates the transfer of a channel to an address (20 bytes). */
export function channelTransfer(
  key: string,
  ownerAddress: Uint8Array,
  position: ChannelEventPosition,
): OnChainEvent {
  return channelEvent(key, position, { eventType: ChannelRegisterEventType.TRANSFER, ownerAddress })
}
