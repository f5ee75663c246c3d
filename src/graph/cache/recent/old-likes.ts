import type { FeedEntryList, FeedEntryTable } from './feed-entries.js'
import type { UserTable } from './user-table.js'

/** Likes and users of one slice: one takes some milliseconds of the thread of all requests. A block brings at most 1,000 likes. */
const MAX_LIKES = 4_000
const MAX_USERS = 4_000

/**
 * Takes likes from before a time out of the lists of their users, a slice at a time: there is no list of likes by time, and six
 * hours may have millions.
 */
export class OldLikes {
  /** The first user that may have old likes: those with lower numbers have been looked through. Infinite when all have. */
  #nextUser = Number.POSITIVE_INFINITY

  constructor(private readonly users: UserTable<{ readonly likes: FeedEntryList }>) {}

  /** Whether some may be left. */
  get areLeft(): boolean {
    return this.#nextUser < Number.POSITIVE_INFINITY
  }

  /** Begins with the first user: more likes have become old. */
  restart(): void {
    this.#nextUser = 0
  }

  /**
   * Takes the next slice of the likes from before a time. No older likes may be added meanwhile.
   *
   * @returns Entries that are in no list any more.
   */
  take(entries: FeedEntryTable, ts: number): number[] {
    const { users } = this
    const taken: number[] = []
    const end = Math.min(users.end, this.#nextUser + MAX_USERS)
    for (let user = this.#nextUser; user < end && taken.length < MAX_LIKES; user += 1) {
      const likes = users.isUsed(user) ? users.activity(user).likes : null
      const old = likes?.countBefore(entries, { ts, hash: new Uint8Array(0) }) ?? 0
      const count = Math.min(old, MAX_LIKES - taken.length)
      for (let index = 0; index < count; index += 1) taken.push(likes!.at(index))
      likes?.removeFirst(count)
      this.#nextUser = count === old ? user + 1 : user
    }
    if (this.#nextUser >= users.end) this.#nextUser = Number.POSITIVE_INFINITY
    return taken
  }
}
