import { type CastTable, grown } from './cast-table.js'

/** Why a cast stands in a list: its author cast it, or another user recasted or liked it. */
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

/** Entries from oldest to newest. Most are added at the end. */
export class FeedEntryList {
  #ids = new Int32Array(4)
  length = 0
  /** The time of the newest entry, if there is one. */
  newestTs = 0

  at(index: number): number {
    return this.#ids[index]!
  }

  insert(entries: FeedEntryTable, id: number): void {
    let index = this.length
    if (index > 0 && entries.compare(this.#ids[index - 1]!, id) > 0) {
      index = this.#search((other) => entries.compare(other, id) <= 0)
    }
    if (this.length === this.#ids.length) this.#ids = grown(this.#ids, new Int32Array(2 * this.length))
    this.#ids.copyWithin(index + 1, index, this.length)
    this.#ids[index] = id
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
      const other = this.#ids[index]!
      if (other === id) {
        this.#ids.copyWithin(index, index + 1, this.length)
        this.length -= 1
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
      const id = this.#ids[index]!
      if (entries.ts(id) !== entry.ts || entries.cast(id) !== cast) return -1
      if (entries.isAt(id, cast, entry)) return id
    }
    return -1
  }

  /** Removes the oldest. */
  removeFirst(count: number): void {
    this.#ids.copyWithin(0, count, this.length)
    this.length -= count
  }

  /** Moves the newer half to a new list. */
  split(entries: FeedEntryTable): FeedEntryList {
    const newer = new FeedEntryList()
    const middle = this.length >> 1
    newer.#ids = this.#ids.slice(middle, this.length)
    newer.length = this.length - middle
    newer.newestTs = this.newestTs
    this.length = middle
    this.#noteNewest(entries)
    return newer
  }

  #noteNewest(entries: FeedEntryTable): void {
    if (this.length > 0) this.newestTs = entries.ts(this.#ids[this.length - 1]!)
  }

  /** Number of entries at the beginning for which a condition holds. */
  #search(isBefore: (id: number) => boolean): number {
    let low = 0
    let high = this.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (isBefore(this.#ids[middle]!)) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** A list is split above this length: to insert an entry moves at most 16 kB. */
const MAX_PART_ENTRIES = 4096

/** All entries of the window from oldest to newest, in lists of bounded length. */
export class Timeline {
  readonly #parts: FeedEntryList[] = [new FeedEntryList()]
  length = 0

  constructor(private readonly longestPart = MAX_PART_ENTRIES) {}

  insert(entries: FeedEntryTable, id: number): void {
    const index = this.#partOf(entries, id)
    const part = this.#parts[index]!
    part.insert(entries, id)
    this.length += 1
    if (part.length > this.longestPart) this.#parts.splice(index + 1, 0, part.split(entries))
  }

  remove(entries: FeedEntryTable, id: number): void {
    // Equal entries may have been split into two parts.
    for (let index = this.#partOf(entries, id); index >= 0; index -= 1) {
      if (!this.#parts[index]!.remove(entries, id)) continue
      this.length -= 1
      if (this.#parts[index]!.length === 0 && this.#parts.length > 1) this.#parts.splice(index, 1)
      return
    }
  }

  /** Calls back with each entry before a position, the newest first, until it returns false. */
  descend(entries: FeedEntryTable, before: FeedEntryPosition | null, visit: (id: number) => boolean): void {
    for (let index = this.#parts.length - 1; index >= 0; index -= 1) {
      const part = this.#parts[index]!
      const count = before === null ? part.length : part.countBefore(entries, before)
      for (let at = count - 1; at >= 0; at -= 1) if (!visit(part.at(at))) return
    }
  }

  /** The time of the entry that has this many older ones. */
  timeAt(entries: FeedEntryTable, count: number): number {
    let older = count
    for (const part of this.#parts) {
      if (older < part.length) return entries.ts(part.at(older))
      older -= part.length
    }
    return Number.POSITIVE_INFINITY
  }

  /** Removes the entries that are older than a time and returns them. */
  removeBefore(entries: FeedEntryTable, ts: number): number[] {
    const removed: number[] = []
    while (this.length > 0) {
      const part = this.#parts[0]!
      const count = part.countBefore(entries, { ts, hash: new Uint8Array(0) })
      for (let at = 0; at < count; at += 1) removed.push(part.at(at))
      const isWhole = count === part.length
      part.removeFirst(count)
      this.length -= count
      if (!isWhole) break
      if (this.#parts.length > 1) this.#parts.shift()
    }
    return removed
  }

  /** The last part whose first entry is not after an entry. */
  #partOf(entries: FeedEntryTable, id: number): number {
    let low = 0
    let high = this.#parts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (entries.compare(this.#parts[middle]!.at(0), id) <= 0) low = middle
      else high = middle - 1
    }
    return low
  }
}
