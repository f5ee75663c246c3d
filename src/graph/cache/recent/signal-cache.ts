import { forYouWindow } from '../../query/ranks.js'
import { grown } from './cast-table.js'
import type { UserTable } from './user-table.js'

/**
 * The layout of a row: a header of five words, then the latest casts, recasts and likes of the user, in this order. The row is
 * valid for requests that start at or after `since` and end at or after `newest`, in Farcaster seconds. `recastsFrom`,
 * `likesFrom` and `end` are offsets in the row.
 */
export const signalRow = {
  since: 0,
  newest: 1,
  recastsFrom: 2,
  likesFrom: 3,
  end: 4,
  headerWords: 5,
} as const

/** The layout of a signal: the number of the cast, the time, and the author that the signal names. */
export const signalField = { cast: 0, ts: 1, fidLow: 2, fidHigh: 3 } as const

/** Words of a signal. */
export const SIGNAL_WORDS = 4

const ROW_WORDS =
  signalRow.headerWords + SIGNAL_WORDS * (forYouWindow.casts + forYouWindow.recasts + forYouWindow.likes)

/** 21 MB. */
const MAX_ROWS = 50_000
const FIRST_ROWS = 64

/** A start that no request has: the row is invalid. */
const NEVER = 0xffff_ffff

/**
 * Caches the signals of each user in a row until the user acts. Hundreds of users count for one page of a for-you feed, and
 * their lists are all over the memory: with the signals of each side by side a page takes 0.64 ms of CPU instead of 1.46.
 */
export class SignalCache {
  words = new Uint32Array(FIRST_ROWS * ROW_WORDS)
  /** Rows in use. Row 0 belongs to no user. */
  #rows = 1

  constructor(private readonly users: UserTable<unknown>) {}

  get byteLength(): number {
    return this.words.byteLength
  }

  /** Returns the start of the user's row if it is valid for a request from `since` to `ts`; else 0. */
  rowOf(user: number, since: number, ts: number): number {
    const start = ROW_WORDS * this.users.signalRows[user]!
    const { words } = this
    return words[start + signalRow.since]! <= since && words[start + signalRow.newest]! <= ts ? start : 0
  }

  /** Stores the signals of a user, unless no row is left; see `makeRoom`. */
  store(user: number, row: ArrayLike<number>): void {
    const { signalRows } = this.users
    if (signalRows[user] === 0) {
      if (this.#rows === MAX_ROWS) return
      signalRows[user] = this.#rows
      this.#rows += 1
    }
    const start = ROW_WORDS * signalRows[user]!
    if (start + ROW_WORDS > this.words.length)
      this.words = grown(this.words, new Uint32Array(Math.min(2 * this.words.length, MAX_ROWS * ROW_WORDS)))
    this.words.set(row, start)
  }

  /** Invalidates the row of a user who has acted. */
  invalidate(user: number): void {
    this.words[ROW_WORDS * this.users.signalRows[user]! + signalRow.since] = NEVER
  }

  /** Clears the cache if every row is in use. Call it between requests: a request holds the rows that it found. */
  makeRoom(): void {
    if (this.#rows === MAX_ROWS) this.clear()
  }

  clear(): void {
    this.users.signalRows.fill(0)
    this.#rows = 1
  }
}
