import { createHash } from 'node:crypto'
import {
  type CastAddBody,
  CastType,
  FarcasterNetwork,
  IdRegisterEventType,
  MessageData,
  MessageType,
  OnChainEvent,
  OnChainEventType,
  ReactionType,
  SignerEventType,
  TierType,
  type UserDataType,
  UserNameProof,
  UserNameType,
} from '../src/protocol/definitions.js'
import type { SignedMessage } from '../src/protocol/message.js'
import { createMessageSigner, type MessageSigner } from '../src/protocol/sign.js'

/** The current time of tests, 2026-11-01T00:00:00Z, in Unix seconds and Farcaster seconds. */
export const testNowUnix = 1_793_491_200
export const testNow = testNowUnix - 1_609_459_200

/** Loading a key takes 0.7 ms of CPU, ten times as long as signing, and tests make the same users thousands of times. */
const keys = new Map<string, MessageSigner>()

/** Returns an Ed25519 key that depends only on the name. */
export function testKey(name: string): MessageSigner {
  const key = keys.get(name) ?? createMessageSigner(createHash('sha256').update(name).digest())
  keys.set(name, key)
  return key
}

type Body = Omit<Partial<MessageData>, 'fid' | 'timestamp' | 'network'> & { type: MessageType }

/** A user of the test network with signed messages. Timestamps are Farcaster seconds. */
export class TestUser {
  readonly key: MessageSigner
  /** 20 bytes. */
  readonly custody: Buffer

  constructor(
    readonly fid: number,
    keyName = `user ${fid}`,
  ) {
    this.key = testKey(keyName)
    this.custody = createHash('sha256').update(`custody ${fid}`).digest().subarray(0, 20)
  }

  /** Signs a message of any type with the key of the user. */
  message(body: Body, timestamp: number): SignedMessage {
    const data = MessageData.fromPartial({
      ...body,
      fid: this.fid,
      timestamp,
      network: FarcasterNetwork.DEVNET,
    })
    return this.key.sign(data)
  }

  /** Signs a cast. */
  cast(text: string, timestamp: number, body: Partial<CastAddBody> = {}): SignedMessage {
    const castAddBody = {
      embedsDeprecated: [],
      mentions: [],
      mentionsPositions: [],
      embeds: [],
      type: CastType.CAST,
      ...body,
      text,
    }
    return this.message({ type: MessageType.CAST_ADD, castAddBody }, timestamp)
  }

  /** Signs the removal of a cast by its hash. */
  removeCast(targetHash: Buffer, timestamp: number): SignedMessage {
    return this.message({ type: MessageType.CAST_REMOVE, castRemoveBody: { targetHash } }, timestamp)
  }

  /** Signs a reaction to a cast, by default a like; or its removal. */
  react(
    target: SignedMessage,
    timestamp: number,
    options: { type?: ReactionType; remove?: boolean } = {},
  ): SignedMessage {
    const reactionBody = {
      type: options.type ?? ReactionType.LIKE,
      targetCastId: { fid: target.data.fid, hash: target.hash },
    }
    const type = options.remove ? MessageType.REACTION_REMOVE : MessageType.REACTION_ADD
    return this.message({ type, reactionBody }, timestamp)
  }

  /** Signs a link to a user, by default a follow; or its removal. */
  link(
    targetFid: number,
    timestamp: number,
    options: { type?: string; remove?: boolean } = {},
  ): SignedMessage {
    const linkBody = { type: options.type ?? 'follow', targetFid }
    return this.message(
      { type: options.remove ? MessageType.LINK_REMOVE : MessageType.LINK_ADD, linkBody },
      timestamp,
    )
  }

  /** Signs a message that replaces all links of a type. */
  compactLinks(targetFids: number[], timestamp: number, type = 'follow'): SignedMessage {
    return this.message(
      { type: MessageType.LINK_COMPACT_STATE, linkCompactStateBody: { type, targetFids } },
      timestamp,
    )
  }

  /** Signs an entry of the profile. */
  userData(type: UserDataType, value: string, timestamp: number): SignedMessage {
    return this.message({ type: MessageType.USER_DATA_ADD, userDataBody: { type, value } }, timestamp)
  }

  /** Signs a loan of storage units. */
  lendStorage(toFid: number, numUnits: number, unitType: number, timestamp: number): SignedMessage {
    return this.message(
      { type: MessageType.LEND_STORAGE, lendStorageBody: { toFid, numUnits, unitType } },
      timestamp,
    )
  }

  /**
   * On-chain events that the hub needs before it accepts messages of the user: registration, signer and
   * storage.
   */
  onChain(options: { units?: number } = {}): OnChainEvent[] {
    return [
      this.registered(),
      this.signerEvent(SignerEventType.ADD),
      this.storageRentEvent(options.units ?? 1),
    ]
  }

  /** Creates the event that registers the user. */
  registered(block = this.fid * 100): OnChainEvent {
    return this.chainEvent(OnChainEventType.EVENT_TYPE_ID_REGISTER, block, {
      idRegisterEventBody: {
        to: this.custody,
        eventType: IdRegisterEventType.REGISTER,
        from: Buffer.alloc(0),
        recoveryAddress: Buffer.alloc(0),
      },
    })
  }

  /** Creates an event that adds or removes a key, by default the one that signs. */
  signerEvent(
    eventType: SignerEventType,
    block = this.fid * 100 + 1,
    key = this.key.publicKey,
  ): OnChainEvent {
    return this.chainEvent(OnChainEventType.EVENT_TYPE_SIGNER, block, {
      signerEventBody: { key, keyType: 1, eventType, metadata: Buffer.alloc(0), metadataType: 1 },
    })
  }

  /** Creates the event of a rent of storage for a year. Times are Unix seconds. */
  storageRentEvent(units: number, block = this.fid * 100 + 2, atUnix = testNowUnix - 1000): OnChainEvent {
    return this.chainEvent(
      OnChainEventType.EVENT_TYPE_STORAGE_RENT,
      block,
      { storageRentEventBody: { payer: this.custody, units, expiry: atUnix + 31_536_000 } },
      atUnix,
    )
  }

  /** Creates the event of a purchase of the pro tier. `atUnix` is in Unix seconds. */
  proPurchaseEvent(days: number, block = this.fid * 100 + 3, atUnix = testNowUnix - 1000): OnChainEvent {
    return this.chainEvent(
      OnChainEventType.EVENT_TYPE_TIER_PURCHASE,
      block,
      { tierPurchaseEventBody: { tierType: TierType.Pro, forDays: days, payer: this.custody } },
      atUnix,
    )
  }

  /**
   * Creates an event of the user in a block. Its hashes depend only on type, user and block;
   * `blockTimestamp` is in Unix seconds.
   */
  chainEvent(
    type: OnChainEventType,
    blockNumber: number,
    body: Partial<OnChainEvent>,
    blockTimestamp = testNowUnix - 1000,
  ): OnChainEvent {
    const transactionHash = createHash('sha256').update(`${type} ${this.fid} ${blockNumber}`).digest()
    return OnChainEvent.fromPartial({
      type,
      chainId: 31_337,
      blockNumber,
      blockHash: transactionHash,
      blockTimestamp,
      transactionHash,
      logIndex: 0,
      fid: this.fid,
      ...body,
    })
  }
}

/** Creates a transfer of the fname registry; fid 0 releases the name. */
export function nameTransfer(name: string, fid: number, timestampUnix: number): UserNameProof {
  return UserNameProof.create({
    timestamp: timestampUnix,
    name: Buffer.from(name),
    owner: Buffer.alloc(20, fid),
    signature: createHash('sha512').update(`${name} ${fid} ${timestampUnix}`).digest(),
    fid,
    type: UserNameType.USERNAME_TYPE_FNAME,
  })
}
