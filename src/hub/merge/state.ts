import type { Refusal } from '../../platform/errors.js'
import type { UserNameProof } from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import type { MessageSet } from '../../protocol/message-kind.js'
import { farcasterSecondsFromUnixSeconds } from '../../protocol/time.js'
import type { HubEventBody } from '../log/hub-event.js'
import type { StorageLimits, StorageUnits } from '../storage-limits.js'
import type { ChannelState } from './channels/channel-state.js'
import { EndedLoans } from './ended-loans.js'
import type { KeyClaim } from './keys/key-claims.js'
import type { KeyState } from './keys/key-state.js'
import { LinkCutoffs } from './link-cutoffs.js'
import { type ConflictKey, conflictKeyId, type StoredMessage } from './stored-message.js'

/** The state of a fid from on-chain events, by which its messages are accepted. */
export interface Account {
  readonly fid: number
  readonly custodyAddress: Buffer
  /** Unix seconds; 0 if the pro tier was never bought. */
  readonly proUntil: number
  /** Units that the fid has rented, lent ones included. */
  readonly ownUnits: StorageUnits
  /** Units that the fid lends to others. */
  readonly lentUnits: StorageUnits
  /** Limits by set of own units, minus lent, plus borrowed. */
  readonly limits: StorageLimits
  /** The same with all units ever rented; unlimited if there were none. */
  readonly historicalLimits: StorageLimits
  /** Loaded for the senders of verifications. */
  readonly verifications?: VerificationCounts | null
}

/** The rows of a user's set of verifications. */
export interface VerificationCounts {
  readonly live: number
  readonly removed: number
}

/** The holder of a name: a row of `hub.username_proofs`. */
export interface NameHolder {
  readonly name: string
  /**
   * 0 after a release, or when the name was lost (`isLost`); the row remains, so that an older transfer or the same proof cannot
   * restore the name.
   */
  readonly fid: number
  readonly proof: UserNameProof
  /** Hash of the message that carried the proof; null for transfers of the fname registry. */
  readonly messageHash: Buffer | null
}

/** An event in the order of the merge, and the fid that it concerns. */
export interface PendingEvent {
  readonly fid: number | null
  readonly body: HubEventBody
}

/** The number of messages in a set of a fid. */
export interface SetCount {
  readonly fid: number
  readonly set: MessageSet
  readonly count: number
}

/** A conflict key before and after the batch. */
export interface MessageChange {
  readonly conflictKey: ConflictKey
  readonly before: StoredMessage | null
  readonly after: StoredMessage | null
}

interface TrackedValue<T> {
  before: T | null
  current: T | null
}

interface TrackedMessage extends TrackedValue<StoredMessage> {
  readonly conflictKey: ConflictKey
}

/** The context of a batch, and the state that is loaded whole. */
export interface BatchInput {
  readonly accounts: ReadonlyMap<number, Account>
  /** On-chain signers by `signerId`: active or not. */
  readonly signers: ReadonlyMap<string, boolean>
  /** Gasless keys and their nonces. */
  readonly keys: KeyState
  /** Authorizations of the key messages of the batch. */
  readonly keyClaims: ReadonlyMap<SignedMessage, KeyClaim>
  /** Messages that another hub has accepted (docs/protocol.md §4.14). */
  readonly historical: ReadonlySet<SignedMessage>
  /** Messages of an upstream or an archive. */
  readonly synced: ReadonlySet<SignedMessage>
  /** Whether the historical ones come from what another hub had stored, in no order, and not from its log. */
  readonly isCopy: boolean
  /** Channels that the batch names, and their slots. */
  readonly channels: ChannelState
  /** Refusals of messages whose claim no chain has confirmed. */
  readonly unconfirmed: ReadonlyMap<SignedMessage, Refusal>
  /** USERNAME entries that a chain has confirmed, and the proofs by which it has. */
  readonly confirmedProofs: ReadonlyMap<SignedMessage, UserNameProof>
  /** Whether the hub is one of mainnet, whatever network its messages name. */
  readonly isMainnet: boolean
  /** Unix seconds, the same for the whole batch. */
  readonly nowUnix: number
  /** Returns true for times, in Farcaster seconds, at which the network runs engine V21. */
  readonly isV21: (time: number) => boolean
}

/**
 * All state that the messages of a batch can read or change: loaded once, changed in memory, written once.
 * It lives as long as the transaction that holds the shard's lock, so it is never stale.
 */
export class BatchState {
  readonly events: PendingEvent[] = []
  readonly linkCutoffs = new LinkCutoffs()
  readonly endedLoans = new EndedLoans()
  readonly #messages = new Map<string, TrackedMessage>()
  readonly #messagesByFid = new Map<number, TrackedMessage[]>()
  readonly #names = new Map<string, TrackedValue<NameHolder>>()
  readonly #counts = new Map<number, Map<MessageSet, number>>()
  #ownedChannels: ReadonlyMap<string, readonly string[]> = new Map()

  readonly accounts: ReadonlyMap<number, Account>
  readonly signers: ReadonlyMap<string, boolean>
  readonly keys: KeyState
  readonly keyClaims: ReadonlyMap<SignedMessage, KeyClaim>
  readonly historical: ReadonlySet<SignedMessage>
  readonly synced: ReadonlySet<SignedMessage>
  readonly isCopy: boolean
  readonly channels: ChannelState
  readonly unconfirmed: ReadonlyMap<SignedMessage, Refusal>
  readonly confirmedProofs: ReadonlyMap<SignedMessage, UserNameProof>
  readonly isMainnet: boolean
  readonly nowUnix: number
  /** Farcaster seconds of `nowUnix`. */
  readonly now: number
  readonly isV21: (time: number) => boolean
  /** Whether the network runs engine V21 now. */
  readonly hasV21: boolean

  constructor(input: BatchInput) {
    this.accounts = input.accounts
    this.signers = input.signers
    this.keys = input.keys
    this.keyClaims = input.keyClaims
    this.historical = input.historical
    this.synced = input.synced
    this.isCopy = input.isCopy
    this.channels = input.channels
    this.unconfirmed = input.unconfirmed
    this.confirmedProofs = input.confirmedProofs
    this.isMainnet = input.isMainnet
    this.nowUnix = input.nowUnix
    this.now = farcasterSecondsFromUnixSeconds(input.nowUnix)
    this.isV21 = input.isV21
    this.hasV21 = this.isV21(this.now)
  }

  /** Stores what the database holds under a conflict key; null if it holds nothing. */
  load(conflictKey: ConflictKey, stored: StoredMessage | null): void {
    if (!this.#messages.has(conflictKeyId(conflictKey)))
      this.#track({ conflictKey, before: stored, current: stored })
  }

  loadName(name: string, stored: NameHolder | null): void {
    this.#names.set(name, { before: stored, current: stored })
  }

  /** Stores how many messages the sets of users hold. A set without a row holds none. */
  loadCounts(fids: readonly number[], counts: readonly SetCount[]): void {
    for (const fid of fids) this.#counts.set(fid, new Map())
    for (const { fid, set, count } of counts) this.#counts.get(fid)?.set(set, count)
  }

  /** Returns how many messages the changed sets of senders hold. Of other users, a batch only deletes messages. */
  countsAfter(deltas: readonly SetCount[]): SetCount[] {
    return deltas.flatMap(({ fid, set, count }) => {
      const loaded = this.#counts.get(fid)
      return loaded === undefined ? [] : [{ fid, set, count: (loaded.get(set) ?? 0) + count }]
    })
  }

  /** Returns how much each changed set of each user grows or shrinks: 0 if messages were only replaced. */
  countDeltas(): SetCount[] {
    const deltas = new Map<string, { fid: number; set: MessageSet; count: number }>()
    for (const { conflictKey, before, after } of this.changes()) {
      const name = `${conflictKey.fid}/${conflictKey.set}`
      const entry = deltas.get(name) ?? { fid: conflictKey.fid, set: conflictKey.set, count: 0 }
      entry.count += Number(after !== null) - Number(before !== null)
      deltas.set(name, entry)
    }
    return [...deltas.values()]
  }

  /** Stores the keys of channels by the address that owns them, in hex. */
  loadOwnedChannels(keysByOwner: ReadonlyMap<string, readonly string[]>): void {
    this.#ownedChannels = keysByOwner
  }

  /** Returns the keys of the channels that an address owns; none on networks without channels. */
  ownedChannels(address: Buffer): readonly string[] {
    return this.#ownedChannels.get(address.toString('hex')) ?? []
  }

  /** Returns true if a key is an active on-chain signer of a fid. */
  isActiveSigner(fid: number, publicKey: Uint8Array): boolean {
    return this.signers.get(signerId(fid, publicKey)) === true
  }

  /** Returns true if the signer is on chain: active, or for historical messages once active. */
  maySign(message: SignedMessage): boolean {
    const isActive = this.signers.get(signerId(message.data.fid, message.signer))
    return isActive === true || (isActive === false && this.historical.has(message))
  }

  get(conflictKey: ConflictKey): StoredMessage | null {
    return this.#messages.get(conflictKeyId(conflictKey))?.current ?? null
  }

  name(name: string): NameHolder | null {
    return this.#names.get(name)?.current ?? null
  }

  set(conflictKey: ConflictKey, stored: StoredMessage | null): void {
    const track = this.#messages.get(conflictKeyId(conflictKey))
    if (track) track.current = stored
    else this.#track({ conflictKey, before: null, current: stored })
  }

  setName(name: string, stored: NameHolder | null): void {
    const track = this.#names.get(name)
    if (track) track.current = stored
    else this.#names.set(name, { before: null, current: stored })
  }

  /** Returns true if this batch stored what a conflict key holds. */
  isChangedByBatch(conflictKey: ConflictKey): boolean {
    const track = this.#messages.get(conflictKeyId(conflictKey))
    return track !== undefined && track.current !== track.before
  }

  /** Returns true if this batch changed the holder of a name. */
  isNameChangedByBatch(name: string): boolean {
    const track = this.#names.get(name)
    return track !== undefined && track.current !== track.before
  }

  /** Iterates over loaded and merged messages of a fid. */
  *storedMessagesOf(fid: number): Iterable<StoredMessage> {
    for (const track of this.#messagesByFid.get(fid) ?? []) {
      if (track.current) yield track.current
    }
  }

  emit(fid: number | null, body: HubEventBody): void {
    this.events.push({ fid, body })
  }

  changes(): MessageChange[] {
    const changes: MessageChange[] = []
    for (const { conflictKey, before, current } of this.#messages.values()) {
      if (before !== current) changes.push({ conflictKey, before, after: current })
    }
    return changes
  }

  nameChanges(): { name: string; before: NameHolder | null; after: NameHolder | null }[] {
    const changes = []
    for (const [name, { before, current }] of this.#names) {
      if (before !== current) changes.push({ name, before, after: current })
    }
    return changes
  }

  #track(track: TrackedMessage): void {
    this.#messages.set(conflictKeyId(track.conflictKey), track)
    const trackedOfFid = this.#messagesByFid.get(track.conflictKey.fid)
    if (trackedOfFid) trackedOfFid.push(track)
    else this.#messagesByFid.set(track.conflictKey.fid, [track])
  }
}

/** Returns the key of `BatchState.signers` for a fid and a public key. */
export function signerId(fid: number, publicKey: Uint8Array): string {
  return `${fid}/${Buffer.from(publicKey).toString('hex')}`
}
