import type { Database } from '../src/platform/db/connection.js'
import { channelIdOf } from '../src/protocol/channel-uri.js'
import {
  type ChannelMemberAction,
  ChannelModerateAction,
  type ChannelUpdateBody,
  MessageType,
  Protocol,
} from '../src/protocol/definitions.js'
import type { SignedMessage } from '../src/protocol/message.js'
import { type TestUser, testNow } from './network.js'

/** A channel in tests, with the messages that users send about it. */
export class TestChannel {
  readonly id: Buffer

  constructor(
    readonly key: string,
    readonly owner: Buffer = Buffer.alloc(20, key.length),
  ) {
    this.id = channelIdOf(key)
  }

  /** Puts the channel into the registry, or changes its owner. */
  async register(db: Database, owner = this.owner, expiresAt = 1_900_000_000): Promise<void> {
    await db`
      insert into hub.channels (channel_id, channel_key, owner_address, expires_at, block_number, tx_index, log_index)
      values (${this.id}, ${this.key}, ${owner}, ${expiresAt}, 1, 0, 0)
      on conflict (channel_id) do update set owner_address = excluded.owner_address
    `
  }

  /** Creates a message that changes members of the channel’s metadata. */
  update(by: TestUser, body: Partial<ChannelUpdateBody> = {}, at = testNow): SignedMessage {
    const channelUpdateBody = { channelId: this.id, ...body }
    return by.message({ type: MessageType.CHANNEL_UPDATE, channelUpdateBody }, at)
  }

  /** Creates a message about the membership of a user, by default of the sender. */
  member(by: TestUser, action: ChannelMemberAction, fid = by.fid, at = testNow): SignedMessage {
    const channelMemberBody = { channelId: this.id, fid, action }
    return by.message({ type: MessageType.CHANNEL_MEMBER, channelMemberBody }, at)
  }

  /** Creates a message that pins a cast; without a hash it unpins. */
  pin(by: TestUser, castHash: Buffer = Buffer.alloc(0), at = testNow): SignedMessage {
    return by.message({ type: MessageType.CHANNEL_PIN, channelPinBody: { channelId: this.id, castHash } }, at)
  }

  /** Creates a message that hides a cast, or shows it again. */
  moderate(by: TestUser, castHash: Buffer, action = ChannelModerateAction.HIDE, at = testNow): SignedMessage {
    const channelModerateBody = { channelId: this.id, castHash, action }
    return by.message({ type: MessageType.CHANNEL_MODERATE, channelModerateBody }, at)
  }
}

/** Creates a verification of an address, or its removal. Its claim is not signed: submit it as trusted. */
export function addressVerification(
  user: TestUser,
  address: Buffer,
  at = testNow,
  remove = false,
): SignedMessage {
  if (remove) {
    const verificationRemoveBody = { address, protocol: Protocol.ETHEREUM }
    return user.message({ type: MessageType.VERIFICATION_REMOVE, verificationRemoveBody }, at)
  }
  const verificationAddAddressBody = {
    address,
    claimSignature: Buffer.alloc(65),
    blockHash: Buffer.alloc(32),
    verificationType: 0,
    chainId: 0,
    protocol: Protocol.ETHEREUM,
  }
  return user.message({ type: MessageType.VERIFICATION_ADD_ETH_ADDRESS, verificationAddAddressBody }, at)
}
