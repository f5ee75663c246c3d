import type { SignedMessage } from '../../protocol/message.js'
import type { HubEventBody } from '../log/hub-event.js'
import type { StorageLimits, StorageUnits } from '../storage-limits.js'
import type { KeyClaim, KeyState } from './gasless-keys.js'
import type { NameHolder } from './name-holder.js'
import { type ConflictKey, conflictKeyId, type StoredMessage } from './stored-message.js'

/** What the chain says of a fid: the ground on which its messages are accepted. */
export interface Account {
  readonly fid: number
  readonly custodyAddress: Buffer
  /** Unix seconds; 0 if the pro tier was never bought. */
  readonly proUntil: number
  /** Units that it rented itself, whoever uses them. */
  readonly ownUnits: StorageUnits
  /** Units that others use. */
  readonly lentUnits: StorageUnits
  /** What own units, less the lent and plus the borrowed, allow in each set. */
  readonly limits: StorageLimits
  /** The same with every unit that was ever rented; without end where none was. */
  readonly historicalLimits: StorageLimits
}

/** An event in the order it happened, with the fid it is about. */
export interface PendingEvent {
  readonly fid: number | null
  readonly body: HubEventBody
}

/** A slot as the database has it and as this batch leaves it. */
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

/**
 * Everything that the messages of one batch can touch, loaded at once, changed in memory, written at once.
 * Only the shard's writer holds one, and no longer than its transaction, so nothing here can be stale.
 */
export class BatchState {
  readonly events: PendingEvent[] = []
  readonly #messages = new Map<string, TrackedMessage>()
  readonly #messagesByFid = new Map<number, TrackedMessage[]>()
  readonly #names = new Map<string, TrackedValue<NameHolder>>()

  constructor(
    readonly accounts: ReadonlyMap<number, Account>,
    /** Keys that the chain knows, as `fid/public key in hex`, and whether each may sign now. */
    readonly signers: ReadonlyMap<string, boolean>,
    /** Keys that were granted by message, and their nonces. */
    readonly keys: KeyState,
    /** Who authorised the key messages of the batch. */
    readonly keyClaims: ReadonlyMap<SignedMessage, KeyClaim>,
    /** Unix seconds, the same for the whole batch. */
    readonly nowUnix: number,
    /** Messages of the batch that stand in another hub (`SubmitOptions.admitted`). */
    readonly historical: ReadonlySet<SignedMessage>,
  ) {}

  /** Puts what the database holds in a slot. Slots that were asked for and are empty are put as null. */
  load(conflictKey: ConflictKey, stored: StoredMessage | null): void {
    if (!this.#messages.has(conflictKeyId(conflictKey)))
      this.#track({ conflictKey, before: stored, current: stored })
  }

  loadName(name: string, stored: NameHolder | null): void {
    this.#names.set(name, { before: stored, current: stored })
  }

  /** Whether a key of a fid may sign by what the chain says. */
  isActiveSigner(fid: number, publicKey: Uint8Array): boolean {
    return this.signers.get(signerId(fid, publicKey)) === true
  }

  /** Whether the key of a message may have signed it: a key of the past only what stands in another hub. */
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

  /** True when this batch itself put what stands in the slot there. */
  isChangedByBatch(conflictKey: ConflictKey): boolean {
    const track = this.#messages.get(conflictKeyId(conflictKey))
    return track !== undefined && track.current !== track.before
  }

  /** Everything that stands in the sets of a fid, of what was loaded or merged here. */
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

/** How `BatchState.signers` names a key of a fid. */
export function signerId(fid: number, publicKey: Uint8Array): string {
  return `${fid}/${Buffer.from(publicKey).toString('hex')}`
}
