import { type Data, hex } from './message.js'

/** The sets of a user. `keys` and the slots of channels are apart. */
export type SetName =
  | 'casts'
  | 'links'
  | 'reactions'
  | 'userData'
  | 'verifications'
  | 'usernameProofs'
  | 'lends'

export type UnitKind = 'legacy' | 'y2024' | 'y2025'

/** A message that is stored. */
export interface Stored {
  readonly fid: number
  readonly set: SetName
  /** What it competes for in its set. */
  readonly key: string
  readonly isRemove: boolean
  readonly isCompact: boolean
  readonly timestamp: number
  /** Hexadecimal. */
  readonly hash: string
  readonly data: Data
}

export interface Rent {
  readonly kind: UnitKind
  readonly units: number
  /** Unix seconds. */
  readonly expiresAt: number
}

export interface Account {
  /** Hexadecimal. */
  custody: string
  /** On-chain signers by key; false: removed. */
  readonly signers: Map<string, boolean>
  readonly rents: Rent[]
  /** Unix seconds; 0: never. */
  proUntil: number
}

export interface GaslessKey {
  readonly fid: number
  readonly requestFid: number
  readonly scopes: readonly number[]
  readonly ttl: number
  /** Farcaster seconds, on the home shard and on shard 0. */
  homeUsedAt: number
  zeroUsedAt: number
}

export interface Channel {
  readonly channelKey: string
  /** Hexadecimal. */
  readonly owner: string
}

/** A channel message in its slot. */
export interface Slot {
  readonly fid: number
  readonly hash: string
  readonly timestamp: number
  readonly data: Data
}

/** All state of a group of users who may affect each other. */
export class State {
  readonly accounts = new Map<number, Account>()
  /** Names of the registry, by name. */
  readonly fnames = new Map<string, { fid: number; timestamp: number }>()
  /** Gasless keys by public key: a key belongs to one fid. */
  readonly keys = new Map<string, GaslessKey>()
  /** The last nonce by fid. Whether apps have one of their own is not documented. */
  readonly nonces = new Map<number, number>()
  /** Stored messages by fid, set and key. */
  readonly messages = new Map<string, Map<string, Stored>>()
  /** Channels by label, hexadecimal. */
  readonly channels = new Map<string, Channel>()
  readonly slots = new Map<string, Slot>()

  /** Returns the stored messages of a user in a set by their conflict keys; an empty one is created. */
  set(fid: number, set: SetName): Map<string, Stored> {
    const id = `${fid}/${set}`
    const found = this.messages.get(id)
    if (found !== undefined) return found
    const created = new Map<string, Stored>()
    this.messages.set(id, created)
    return created
  }

  /** Stores a message in the place of the one with its conflict key. */
  put(stored: Stored): void {
    this.set(stored.fid, stored.set).set(stored.key, stored)
  }

  /** Removes the message with a conflict key. */
  delete(stored: Stored): void {
    this.set(stored.fid, stored.set).delete(stored.key)
  }

  /** All stored messages of a user but key messages; without links if so told. */
  hashesOf(fid: number, withLinks: boolean): string[] {
    const inSets = [...this.messages].flatMap(([id, set]) =>
      id.startsWith(`${fid}/`) && (withLinks || id !== `${fid}/links`)
        ? [...set.values()].map(({ hash }) => hash)
        : [],
    )
    const inSlots = [...this.slots.values()].filter((slot) => slot.fid === fid).map(({ hash }) => hash)
    return [...inSets, ...inSlots].sort()
  }

  /** A copy that can be changed without changing this one. */
  clone(): State {
    const copy = new State()
    for (const [fid, account] of this.accounts)
      copy.accounts.set(fid, { ...account, signers: new Map(account.signers), rents: [...account.rents] })
    for (const [name, proof] of this.fnames) copy.fnames.set(name, proof)
    for (const [key, value] of this.keys) copy.keys.set(key, { ...value })
    for (const [id, nonce] of this.nonces) copy.nonces.set(id, nonce)
    for (const [id, set] of this.messages) copy.messages.set(id, new Map(set))
    for (const [label, channel] of this.channels) copy.channels.set(label, channel)
    for (const [id, slot] of this.slots) copy.slots.set(id, slot)
    return copy
  }
}

/** Order by time, then by hash. */
export function tsHash(message: Pick<Stored, 'timestamp' | 'hash'>): string {
  return message.timestamp.toString(16).padStart(8, '0') + message.hash
}

/** Whether a user has a live verification of an address, as bytes. */
export function hasVerified(state: State, fid: number, address: Uint8Array): boolean {
  const stored = state.set(fid, 'verifications').get(hex(address))
  return stored !== undefined && !stored.isRemove
}
