import type { SignedMessage } from '../../protocol/message.js'
import type { HubEventBody } from '../log/hub-event.js'
import type { Account } from './account.js'
import type { KeyClaim } from './gasless-key.js'
import type { KeyState } from './key-state.js'
import { type Slot, type Standing, slotName } from './standing.js'
import type { StandingName } from './standing-name.js'

/** An event in the order it happened, with the fid it is about. */
export interface PendingEvent {
  readonly fid: number | null
  readonly body: HubEventBody
}

/** A slot as the database has it and as this batch leaves it. */
export interface SlotChange {
  readonly slot: Slot
  readonly before: Standing | null
  readonly after: Standing | null
}

interface Place<T> {
  before: T | null
  now: T | null
}

interface SlotPlace extends Place<Standing> {
  readonly slot: Slot
}

/**
 * Everything that the messages of one batch can touch, loaded at once, changed in memory, written at once.
 * Only the shard's writer holds one, and no longer than its transaction, so nothing here can be stale.
 */
export class BatchState {
  readonly events: PendingEvent[] = []
  readonly #slots = new Map<string, SlotPlace>()
  readonly #slotsByFid = new Map<number, SlotPlace[]>()
  readonly #names = new Map<string, Place<StandingName>>()

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
    readonly admitted: ReadonlySet<SignedMessage>,
  ) {}

  /** Puts what the database holds in a slot. Slots that were asked for and are empty are put as null. */
  load(slot: Slot, standing: Standing | null): void {
    if (!this.#slots.has(slotName(slot))) this.#place({ slot, before: standing, now: standing })
  }

  loadName(name: string, standing: StandingName | null): void {
    this.#names.set(name, { before: standing, now: standing })
  }

  /** Whether a key of a fid may sign by what the chain says. */
  isActiveSigner(fid: number, publicKey: Uint8Array): boolean {
    return this.signers.get(signerName(fid, publicKey)) === true
  }

  /** Whether the key of a message may have signed it: a key of the past only what stands in another hub. */
  maySign(message: SignedMessage): boolean {
    const isActive = this.signers.get(signerName(message.data.fid, message.signer))
    return isActive === true || (isActive === false && this.admitted.has(message))
  }

  at(slot: Slot): Standing | null {
    return this.#slots.get(slotName(slot))?.now ?? null
  }

  name(name: string): StandingName | null {
    return this.#names.get(name)?.now ?? null
  }

  set(slot: Slot, standing: Standing | null): void {
    const place = this.#slots.get(slotName(slot))
    if (place) place.now = standing
    else this.#place({ slot, before: null, now: standing })
  }

  setName(name: string, standing: StandingName | null): void {
    const place = this.#names.get(name)
    if (place) place.now = standing
    else this.#names.set(name, { before: null, now: standing })
  }

  /** True when this batch itself put what stands in the slot there. */
  isFresh(slot: Slot): boolean {
    const place = this.#slots.get(slotName(slot))
    return place !== undefined && place.now !== place.before
  }

  /** Everything that stands in the sets of a fid, of what was loaded or merged here. */
  *standingOf(fid: number): Iterable<Standing> {
    for (const place of this.#slotsByFid.get(fid) ?? []) {
      if (place.now) yield place.now
    }
  }

  emit(fid: number | null, body: HubEventBody): void {
    this.events.push({ fid, body })
  }

  changes(): SlotChange[] {
    const changes: SlotChange[] = []
    for (const { slot, before, now } of this.#slots.values()) {
      if (before !== now) changes.push({ slot, before, after: now })
    }
    return changes
  }

  nameChanges(): { name: string; before: StandingName | null; after: StandingName | null }[] {
    const changes = []
    for (const [name, { before, now }] of this.#names) {
      if (before !== now) changes.push({ name, before, after: now })
    }
    return changes
  }

  #place(place: SlotPlace): void {
    this.#slots.set(slotName(place.slot), place)
    const ofFid = this.#slotsByFid.get(place.slot.fid)
    if (ofFid) ofFid.push(place)
    else this.#slotsByFid.set(place.slot.fid, [place])
  }
}

/** How `BatchState.signers` names a key of a fid. */
export function signerName(fid: number, publicKey: Uint8Array): string {
  return `${fid}/${Buffer.from(publicKey).toString('hex')}`
}
