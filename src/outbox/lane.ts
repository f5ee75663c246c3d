/** How much of a lane one process takes. */
export interface LaneLimits {
  /** Most items of a lane that are being sent at once. */
  readonly concurrency: number
  /** Whether an item takes up capacity until its result is in the database, and not only until it is sent. */
  readonly countsUnsettled: boolean
}

/**
 * The items of one lane that this process has claimed. They start in the order in which they are claimed, a bounded
 * number at once, so that a slow target delays no other lane.
 */
export class Lane<Item> {
  readonly #queued: Item[] = []
  /** Claimed, and not prepared yet. */
  #pending = 0
  #sending = 0
  /** Sent, and the result is not in the database yet. */
  #unsettled = 0
  /** The database may have more that is due. */
  mayHaveMore = false
  /** Nothing is claimed before this moment, in Unix milliseconds. */
  pausedUntilMs = 0
  /** Items of an earlier generation must not start: their lane has changed since they were claimed. */
  #generation = 0
  /** Reasons to claim nothing: results that hold or end the lane and are not in the database yet, and items that are not given back. */
  #holds = 0

  constructor(
    readonly key: string,
    private readonly limits: LaneLimits,
  ) {}

  /** Items that take up capacity. */
  get occupied(): number {
    return this.#open + (this.limits.countsUnsettled ? this.#unsettled : 0)
  }

  /**
   * How many more items to claim. It holds as many as are being sent, so that no lane waits for the database. A small
   * capacity counts as none: a claim of few items costs as much as a claim of many.
   */
  get capacity(): number {
    const { concurrency } = this.limits
    const capacity = 2 * concurrency - this.occupied
    return capacity >= Math.ceil(concurrency / 2) ? capacity : 0
  }

  /** Whether every item is sent and the database has no more, as far as this process knows. */
  get isFinished(): boolean {
    return this.#open === 0 && !this.mayHaveMore
  }

  /** Whether nothing is left to remember. */
  get isForgettable(): boolean {
    return this.isFinished && this.#unsettled === 0 && !this.isHeld
  }

  /** Whether nothing may be claimed yet: the database does not know what has happened to the lane. */
  get isHeld(): boolean {
    return this.#holds > 0
  }

  get generation(): number {
    return this.#generation
  }

  get #open(): number {
    return this.#pending + this.#queued.length + this.#sending
  }

  /** Counts items that are claimed and have to be prepared. */
  addPending(count: number): void {
    this.#pending += count
  }

  /** Takes a pending item that is ready to be sent. */
  addPrepared(item: Item): void {
    this.#pending -= 1
    this.#queued.push(item)
  }

  /** Drops a pending item of an earlier generation. */
  dropPending(): void {
    this.#pending -= 1
    this.mayHaveMore = true
  }

  /** Begins a new generation, and takes out every item that waits to be sent. Pending items drop later. */
  takeQueued(): Item[] {
    this.#generation += 1
    this.mayHaveMore = true
    return this.#queued.splice(0)
  }

  /** Lets nothing be claimed until `endHold`. */
  hold(): void {
    this.#holds += 1
  }

  /** Ends a hold: what the database has now is due. */
  endHold(): void {
    this.#holds -= 1
    this.mayHaveMore = true
  }

  /** Ends a pending item that cannot be prepared: its result has to be settled. */
  endPending(): void {
    this.#pending -= 1
    this.#unsettled += 1
  }

  /** Starts the next item, if there is one and its turn has come. */
  startNext(): Item | undefined {
    if (this.#sending >= this.limits.concurrency) return undefined
    const item = this.#queued.shift()
    if (item !== undefined) this.#sending += 1
    return item
  }

  /** Ends an item that was sent. One without a result has nothing to settle. */
  endSending(hasResult: boolean): void {
    this.#sending -= 1
    if (hasResult) this.#unsettled += 1
  }

  /** Counts a result that is in the database now. */
  endUnsettled(): void {
    this.#unsettled -= 1
  }

  /** Drops every item that has not started. */
  clear(): void {
    this.#queued.length = 0
    this.#pending = 0
  }
}
