import { grown } from './cast-table.js'

const NOBODY = -1
const FIRST_CAPACITY = 1024

/** Fids below this are looked up in an array of at most 16 MB, higher ones in a map. */
const MAX_DIRECT_FID = 2 ** 22

/**
 * Users by number, with the fields that a feed reads for hundreds of users at once. They lie side by side, outside of the
 * JavaScript heap: in a map of objects, each user of a page cost four or five misses of the processor's caches.
 */
export class UserTable<Activity> {
  /** The second after the newest entry of the user's feed, in Farcaster seconds; 0 if there is none. */
  feedEnds = new Uint32Array(FIRST_CAPACITY)
  /** The number of the user's row in `signal-cache.ts`; 0 for none. */
  signalRows = new Uint32Array(FIRST_CAPACITY)
  readonly #activities: (Activity | undefined)[] = []
  #direct = new Int32Array(FIRST_CAPACITY).fill(NOBODY)
  readonly #others = new Map<number, number>()
  #free: number[] = []
  #end = 0

  get size(): number {
    return this.#end - this.#free.length
  }

  get byteLength(): number {
    return this.feedEnds.byteLength + this.signalRows.byteLength + this.#direct.byteLength
  }

  /** Numbers are below this. */
  get end(): number {
    return this.#end
  }

  /** The number of a user; -1 if it has none. */
  find(fid: number): number {
    if (fid < this.#direct.length) return this.#direct[fid]!
    return this.#others.get(fid) ?? NOBODY
  }

  activity(user: number): Activity {
    return this.#activities[user]!
  }

  /** Whether a user has this number. */
  isUsed(user: number): boolean {
    return this.#activities[user] !== undefined
  }

  /** Gives a number to a user that has none. */
  add(fid: number, activity: Activity): number {
    const user = this.#free.pop() ?? this.#end++
    if (user >= this.feedEnds.length) {
      this.feedEnds = grown(this.feedEnds, new Uint32Array(2 * user))
      this.signalRows = grown(this.signalRows, new Uint32Array(2 * user))
    }
    this.feedEnds[user] = 0
    this.#activities[user] = activity
    if (fid >= MAX_DIRECT_FID) this.#others.set(fid, user)
    else {
      if (fid >= this.#direct.length) this.#growDirect(fid)
      this.#direct[fid] = user
    }
    return user
  }

  /** Frees the number of a user. The next user gets it, with its row of signals. */
  remove(fid: number): void {
    const user = this.find(fid)
    this.#activities[user] = undefined
    if (fid < this.#direct.length) this.#direct[fid] = NOBODY
    else this.#others.delete(fid)
    this.#free.push(user)
  }

  /** Forgets all users; keeps the memory. */
  clear(): void {
    this.#direct.fill(NOBODY)
    this.#others.clear()
    this.#activities.length = 0
    this.#free = []
    this.#end = 0
  }

  #growDirect(fid: number): void {
    const from = this.#direct.length
    let length = from
    while (length <= fid) length *= 2
    this.#direct = grown(this.#direct, new Int32Array(length)).fill(NOBODY, from)
  }
}
