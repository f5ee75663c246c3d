import { FeedEntryList, type FeedEntryPosition, type FeedEntryTable } from './feed-entries.js'

/** A list is split above this length: to insert an entry moves at most 16 kB. */
const MAX_PART_ENTRIES = 4096

/** The entries of the window from oldest to newest, in lists of bounded length. */
export class Timeline {
  readonly #parts: FeedEntryList[] = [new FeedEntryList()]
  length = 0

  constructor(private readonly maxPartEntries = MAX_PART_ENTRIES) {}

  insert(entries: FeedEntryTable, id: number): void {
    const index = this.#partOf(entries, id)
    const part = this.#parts[index]!
    part.insert(entries, id)
    this.length += 1
    if (part.length > this.maxPartEntries) this.#parts.splice(index + 1, 0, part.split(entries))
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
