import { type CastTable, grown } from './cast-table.js'

/** The reason why a cast is in a list: its author cast it, or another user recasted or liked it. */
export const entryKind = { cast: 0, recast: 1, like: 2 } as const
export type FeedEntryKind = (typeof entryKind)[keyof typeof entryKind]

/** A cast at a time in the lists of one user. */
export interface FeedEntry {
  readonly kind: FeedEntryKind
  /** Farcaster seconds. */
  readonly ts: number
  /** The author, or the user who recasted or liked. */
  readonly actor: number
  readonly hash: Uint8Array
  /** The author that the reaction names. */
  readonly targetFid: number
}

const FIRST_CAPACITY = 1024

/** The record of an entry: four words of 32 bits, then two numbers of 64. */
const WORDS = 8
const NUMBERS = WORDS / 2
const field = { ts: 0, cast: 1, kind: 2 } as const
const numberField = { actor: 2, targetFid: 3 } as const

/**
 * Entries by number: 32 bytes each, and 4 for each list that holds one. Numbers are used again.
 *
 * The fields of an entry lie side by side. Readers come from lists in any order, and each field in an array of its own would be
 * a miss of the processor's caches of its own.
 */
export class FeedEntryTable {
  #words = new Uint32Array(WORDS * FIRST_CAPACITY)
  #numbers = new Float64Array(this.#words.buffer)
  #free: number[] = []
  #end = 0

  constructor(readonly table: CastTable) {}

  get size(): number {
    return this.#end - this.#free.length
  }

  get byteLength(): number {
    return this.#words.byteLength
  }

  /** Farcaster seconds. */
  ts(id: number): number {
    return this.#words[WORDS * id + field.ts]!
  }

  /** The number of its cast. */
  cast(id: number): number {
    return this.#words[WORDS * id + field.cast]!
  }

  kind(id: number): number {
    return this.#words[WORDS * id + field.kind]!
  }

  actor(id: number): number {
    return this.#numbers[NUMBERS * id + numberField.actor]!
  }

  targetFid(id: number): number {
    return this.#numbers[NUMBERS * id + numberField.targetFid]!
  }

  /** Adds an entry; it holds its cast. */
  add({ kind, ts, actor, hash, targetFid }: FeedEntry): number {
    const id = this.#free.pop() ?? this.#end++
    if (WORDS * id >= this.#words.length) this.#grow()
    this.#words[WORDS * id + field.ts] = ts
    this.#words[WORDS * id + field.cast] = this.table.hold(hash)
    this.#words[WORDS * id + field.kind] = kind
    this.#numbers[NUMBERS * id + numberField.actor] = actor
    this.#numbers[NUMBERS * id + numberField.targetFid] = targetFid
    return id
  }

  /** Removes an entry that is in no list any more. */
  free(id: number): void {
    this.table.release(this.cast(id))
    this.#free.push(id)
  }

  /**
   * Orders two entries as feeds do: by time, then by hash, then a cast after its recasts, and those after one another by the
   * author that they name, the highest fid first: the newest come first.
   */
  compare(a: number, b: number): number {
    const byPosition = this.ts(a) - this.ts(b) || this.table.compare(this.cast(a), this.cast(b))
    return byPosition || this.kind(b) - this.kind(a) || this.targetFid(b) - this.targetFid(a)
  }

  /** Whether an entry is the entry of a message. */
  isAt(id: number, cast: number, { kind, ts, actor, targetFid }: FeedEntry): boolean {
    return (
      this.cast(id) === cast &&
      this.ts(id) === ts &&
      this.kind(id) === kind &&
      this.actor(id) === actor &&
      this.targetFid(id) === targetFid
    )
  }

  #grow(): void {
    this.#words = grown(this.#words, new Uint32Array(2 * this.#words.length))
    this.#numbers = new Float64Array(this.#words.buffer)
  }
}

/** A position in a feed: entries before it come later on the page. */
export interface FeedEntryPosition {
  readonly ts: number
  readonly hash: Uint8Array
}

/**
 * Entries from oldest to newest. Most are added at the end; those of a part that is loaded come before all others, and the oldest
 * go first. So there may be room at both ends, and the shorter side moves.
 */
export class FeedEntryList {
  #ids = new Int32Array(4)
  /** Where the oldest is. */
  #start = 0
  length = 0
  /** The time of the newest entry, if there is one. */
  newestTs = 0

  at(index: number): number {
    return this.#ids[this.#start + index]!
  }

  insert(entries: FeedEntryTable, id: number): void {
    const { length } = this
    let index = length
    if (index > 0 && entries.compare(this.at(index - 1), id) > 0) {
      index = this.#search((other) => entries.compare(other, id) <= 0)
    }
    const isNearStart = index < length - index
    if (isNearStart ? this.#start === 0 : this.#start + length === this.#ids.length)
      this.#makeRoom(isNearStart)
    const start = this.#start
    if (isNearStart) {
      this.#ids.copyWithin(start - 1, start, start + index)
      this.#start -= 1
    } else this.#ids.copyWithin(start + index + 1, start + index, start + length)
    this.#ids[this.#start + index] = id
    this.length += 1
    this.#noteNewest(entries)
  }

  /** Removes an entry of the list. */
  remove(entries: FeedEntryTable, id: number): boolean {
    for (
      let index = this.#search((other) => entries.compare(other, id) < 0);
      index < this.length;
      index += 1
    ) {
      const other = this.at(index)
      if (other === id) {
        this.#removeAt(index)
        this.#noteNewest(entries)
        return true
      }
      if (entries.compare(other, id) !== 0) return false
    }
    return false
  }

  /** Number of entries before a position, the oldest first. */
  countBefore(entries: FeedEntryTable, { ts, hash }: FeedEntryPosition): number {
    const { table } = entries
    return this.#search((id) => {
      const time = entries.ts(id)
      return time < ts || (time === ts && table.compareTo(entries.cast(id), hash) < 0)
    })
  }

  /** The entry of a message; -1 if it is not in the list. */
  find(entries: FeedEntryTable, cast: number, entry: FeedEntry): number {
    const { table } = entries
    const isBefore = (id: number) => {
      const time = entries.ts(id)
      return time < entry.ts || (time === entry.ts && table.compare(entries.cast(id), cast) < 0)
    }
    for (let index = this.#search(isBefore); index < this.length; index += 1) {
      const id = this.at(index)
      if (entries.ts(id) !== entry.ts || entries.cast(id) !== cast) return -1
      if (entries.isAt(id, cast, entry)) return id
    }
    return -1
  }

  /** Removes the oldest. */
  removeFirst(count: number): void {
    this.#start += count
    this.length -= count
  }

  /** Moves the newer half to a new list. */
  split(entries: FeedEntryTable): FeedEntryList {
    const newer = new FeedEntryList()
    const middle = this.length >> 1
    newer.#ids = this.#ids.slice(this.#start + middle, this.#start + this.length)
    newer.length = this.length - middle
    newer.newestTs = this.newestTs
    this.length = middle
    this.#noteNewest(entries)
    return newer
  }

  #removeAt(index: number): void {
    const start = this.#start
    if (index < this.length - 1 - index) {
      this.#ids.copyWithin(start + 1, start, start + index)
      this.#start += 1
    } else this.#ids.copyWithin(start + index, start + index + 1, start + this.length)
    this.length -= 1
  }

  /** Makes room at one end: at least for half as many as there are, so that it is made rarely. The other end keeps up to as much. */
  #makeRoom(isAtStart: boolean): void {
    const { length } = this
    const free = this.#ids.length - length
    const entries = this.#ids.subarray(this.#start, this.#start + length)
    if (free < length) this.#ids = new Int32Array(2 * length)
    const room = this.#ids.length - length
    const kept = Math.min(free, room >> 1)
    this.#start = isAtStart ? room - kept : kept
    this.#ids.set(entries, this.#start)
  }

  #noteNewest(entries: FeedEntryTable): void {
    if (this.length > 0) this.newestTs = entries.ts(this.at(this.length - 1))
  }

  /** Number of entries at the beginning for which a condition holds. */
  #search(isBefore: (id: number) => boolean): number {
    let low = 0
    let high = this.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (isBefore(this.at(middle))) low = middle + 1
      else high = middle
    }
    return low
  }
}
