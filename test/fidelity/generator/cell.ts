import { keccak_256 } from '@noble/hashes/sha3'
import {
  ChannelRegisterEventType,
  IdRegisterEventType,
  OnChainEvent,
  OnChainEventType,
  SignerEventType,
  TierType,
  UserNameProof,
} from '../../../src/protocol/definitions.js'
import { hex } from '../judge/message.js'
import { State } from '../judge/state.js'
import { Ed25519Key, EthAccount } from './accounts.js'
import { Random } from './random.js'
import type { Content } from './seal.js'

/** 2026-11-01T00:00:00Z in Farcaster seconds: after engine version 20. */
export const START = 1_793_491_200 - 1_609_459_200

const EPOCH = 1_609_459_200
const YEAR_SECONDS = 31_536_000
const FIDS_PER_CELL = 8
const DEVNET = 3
/** Mainnet takes loans only of users who rent 1000 units. */
const LENDER_UNITS = 1010
const SIGNS_KEYS = ['rich', 'pro', 'app']

const sharedWallets = [0, 1, 2, 3, 4].map((index) => new EthAccount(`shared wallet ${index}`))
const sharedSolanaKeys = [0, 1].map((index) => Ed25519Key.of(`shared solana key ${index}`))

/** A key that was a signer of every user and is one no more. */
export const removedKey = Ed25519Key.of('removed')

/** A user of a cell. Users at the same place of different cells have the same key. */
export interface User {
  readonly fid: number
  readonly name: string
  readonly key: Ed25519Key
  readonly custody: EthAccount
  /** Whether the custody address signs; those of others are made up, which is faster. */
  readonly signsKeys: boolean
  /** Units of 2025; null: the fid is not registered. */
  readonly units: number | null
  readonly isPro: boolean
}

/** The custody address of a user. */
export function custodyOf({ fid, custody, signsKeys }: User): Uint8Array {
  return signsKeys ? custody.address : keccak_256(Buffer.from(`custody ${fid}`)).subarray(12)
}

/** A gasless key that a user has asked for. */
export interface GrantedKey {
  readonly user: User
  readonly key: Ed25519Key
  readonly scopes: readonly number[]
}

/** A message that was submitted before, for repetitions and removals. */
export interface Earlier {
  readonly user: User
  readonly content: Content
  readonly bytes: Uint8Array
  readonly hash: Uint8Array
}

/**
 * Users who may affect each other, and nobody else. One message of each cell goes to the hub at a time, so
 * all messages of one call are independent.
 */
export class Cell {
  readonly random: Random
  readonly state = new State()
  readonly users: User[]
  /** The first two own the channels; the others are the same in all cells. */
  readonly wallets: EthAccount[]
  readonly solanaKeys = sharedSolanaKeys
  readonly channelKeys: readonly string[]
  readonly granted: GrantedKey[] = []
  readonly earlier: Earlier[] = []
  /** Fids with links that a compact state has ended, which Plaza remembers (docs/protocol.md §9.1). */
  readonly endedLinks = new Set<number>()
  nonce = 0
  judged = 0

  constructor(
    readonly id: number,
    readonly network: number,
    seed: number,
  ) {
    this.random = new Random(seed * 1_000_003 + id * 7 + network)
    const base = 1000 + id * FIDS_PER_CELL
    const user = (index: number, name: string, units: number | null, isPro = false): User => ({
      fid: base + index,
      name,
      key: Ed25519Key.of(`user ${index}`),
      custody: new EthAccount(`${seed} custody ${base + index}`),
      signsKeys: SIGNS_KEYS.includes(name),
      units,
      isPro,
    })
    this.users = [
      user(0, 'rich', this.hasChannels ? 20 : LENDER_UNITS),
      user(1, 'pro', 20, true),
      user(2, 'small', 1),
      user(3, 'app', 10),
      user(4, 'without storage', 0),
      user(5, 'unknown', null),
    ]
    const owners = [0, 1].map((index) => new EthAccount(`${seed} wallet ${id} ${index}`))
    this.wallets = this.hasChannels ? [...owners, ...sharedWallets] : sharedWallets
    this.channelKeys = [`c${id}a`, `c${id}b`]
    for (const each of this.users) this.register(each)
    for (const [index, key] of this.registeredKeys.entries())
      this.state.channels.set(hex(this.channelId(key)), {
        channelKey: key,
        owner: hex(this.wallets[index]!.address),
      })
    for (const holder of this.nameHolders)
      this.state.fnames.set(this.nameOf(holder), { fid: holder.fid, timestamp: 1 })
  }

  /** Whether channels are active on the network. */
  get hasChannels(): boolean {
    return this.network === DEVNET
  }

  /** Keys of channels in the registry, which mainnet does not have yet. */
  private get registeredKeys(): readonly string[] {
    return this.hasChannels ? this.channelKeys : []
  }

  get nameHolders(): User[] {
    return this.users.slice(0, 3)
  }

  /** Returns the fname of a user. */
  nameOf(user: User): string {
    return `n${user.fid}`
  }

  /** Hashes the key of a channel to its id, 32 bytes. */
  channelId(key: string): Uint8Array {
    return keccak_256(new TextEncoder().encode(key))
  }

  /** Keeps one of the last 200 messages for later ones that refer to it. */
  remember(earlier: Earlier): void {
    this.earlier.push(earlier)
    if (this.earlier.length > 200) this.earlier.shift()
  }

  private register(user: User): void {
    const { fid, key, units, isPro } = user
    if (units === null) return
    this.state.accounts.set(fid, {
      custody: hex(custodyOf(user)),
      signers: new Map([
        [hex(key.publicKey), true],
        [hex(removedKey.publicKey), false],
      ]),
      rents: units === 0 ? [] : [{ kind: 'y2025', units, expiresAt: EPOCH + START + YEAR_SECONDS - 1000 }],
      proUntil: isPro ? EPOCH + START - 1000 + 30 * 86_400 : 0,
    })
  }

  /** The on-chain events that make this cell's users what the judge's state says. */
  chainEvents(): OnChainEvent[] {
    const channels = this.registeredKeys.map((key, index) => this.registration(key, index))
    return [
      ...channels,
      ...this.users.flatMap((user) => (user.units === null ? [] : this.chainEventsOf(user))),
    ]
  }

  private registration(channelKey: string, index: number): OnChainEvent {
    return OnChainEvent.fromPartial({
      type: OnChainEventType.EVENT_TYPE_CHANNEL_REGISTER,
      chainId: 8453,
      blockNumber: this.id + 1,
      blockHash: Buffer.alloc(32, 2),
      blockTimestamp: EPOCH + START - 2000,
      transactionHash: keccak_256(Buffer.from(channelKey)),
      logIndex: index,
      fid: 0,
      channelRegisterEventBody: {
        channelKey,
        expiry: EPOCH + START + YEAR_SECONDS,
        ownerAddress: this.wallets[index]!.address,
        eventType: ChannelRegisterEventType.REGISTER,
        label: this.channelId(channelKey),
      },
    })
  }

  private chainEventsOf(user: User): OnChainEvent[] {
    const { fid, key, units, isPro } = user
    const custody = custodyOf(user)
    const removed = removedKey.publicKey
    const signerEvent = (publicKey: Uint8Array, eventType: SignerEventType) => ({
      type: OnChainEventType.EVENT_TYPE_SIGNER,
      signerEventBody: {
        key: publicKey,
        keyType: 1,
        eventType,
        metadata: new Uint8Array(0),
        metadataType: 1,
      },
    })
    const bodies: Partial<OnChainEvent>[] = [
      {
        type: OnChainEventType.EVENT_TYPE_ID_REGISTER,
        idRegisterEventBody: {
          to: custody,
          eventType: IdRegisterEventType.REGISTER,
          from: new Uint8Array(0),
          recoveryAddress: new Uint8Array(0),
        },
      },
      signerEvent(key.publicKey, SignerEventType.ADD),
      signerEvent(removed, SignerEventType.ADD),
      signerEvent(removed, SignerEventType.REMOVE),
    ]
    if (units !== 0) {
      const body = { payer: custody, units: units!, expiry: EPOCH + START + YEAR_SECONDS }
      bodies.push({ type: OnChainEventType.EVENT_TYPE_STORAGE_RENT, storageRentEventBody: body })
    }
    if (isPro) {
      const body = { tierType: TierType.Pro, forDays: 30, payer: custody }
      bodies.push({ type: OnChainEventType.EVENT_TYPE_TIER_PURCHASE, tierPurchaseEventBody: body })
    }
    return bodies.map((body, index) =>
      OnChainEvent.fromPartial({
        chainId: 10,
        blockNumber: fid * 100 + index,
        blockHash: Buffer.alloc(32, 1),
        blockTimestamp: EPOCH + START - 1000,
        transactionHash: keccak_256(Buffer.from(`${fid} ${index}`)),
        logIndex: index,
        fid,
        ...body,
      }),
    )
  }

  /** The names of the registry that this cell's users have. */
  nameTransfers(): UserNameProof[] {
    return this.nameHolders.map((user) =>
      UserNameProof.create({
        timestamp: EPOCH + START - 1000,
        name: Buffer.from(this.nameOf(user)),
        owner: custodyOf(user),
        signature: Buffer.alloc(65, 1),
        fid: user.fid,
        type: 1,
      }),
    )
  }
}
