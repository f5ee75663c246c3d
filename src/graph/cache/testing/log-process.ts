import type { ShardRange } from '../../../hub/log/log-range.js'
import type { LoggedEvent } from '../../../hub/log/write.js'
import type { Database } from '../../../platform/db/connection.js'
import { applyPage, rangesFromLogEnd } from '../cache-follower.js'
import { cacheTag } from '../cache-tags.js'
import { Hydrator } from '../hydrator.js'

/** A process with its own caches over a database that others write to, too. A test says when it reads the log. */
export class LogProcess {
  readonly hydrator: Hydrator
  #ranges: readonly ShardRange[] = []
  /** Notifications that are under way to it. */
  #tags: string[] = []
  #gate: Promise<void> | null = null
  #open: () => void = () => {}
  #onRead: () => void = () => {}

  constructor(
    private readonly db: Database,
    private readonly shards: number,
    maxViewerSetsBytes: number,
  ) {
    this.hydrator = new Hydrator({
      db: new Proxy(db, {
        apply: (target, self, statement) => this.#held(Reflect.apply(target, self, statement)),
      }),
      clock: Date.now,
      locationOf: () => null,
      maxViews: 100,
      maxViewerSetsBytes,
    })
  }

  /** Takes its position at the end of the log, also when it had one. */
  async start(): Promise<void> {
    const { db, shards } = this
    const { invalidation } = this.hydrator
    this.#ranges = await rangesFromLogEnd({ db, shards, invalidation })
  }

  /** Loses its position in the log. */
  lose(): void {
    this.hydrator.invalidation.blocks.lose()
    this.hydrator.invalidation.apply({ tags: [cacheTag.everything, cacheTag.tables] })
  }

  committed(events: readonly LoggedEvent[]): void {
    this.hydrator.invalidation.applyCommitted(events)
  }

  /** Reads a page of the log. Returns whether it was the last. */
  async readPage(limit: number): Promise<boolean> {
    const { invalidation } = this.hydrator
    if (invalidation.blocks.isLost()) await this.start()
    const unread = invalidation.localCommits.skip(this.#ranges)
    if (unread !== this.#ranges) {
      this.#ranges = unread
      return false
    }
    const { remaining, isEnd } = await applyPage(this.db, invalidation, this.#ranges, limit)
    this.#ranges = remaining
    return isEnd
  }

  /** Keeps what its hydrator reads from now on under way until `release`. */
  hold(): void {
    this.#gate ??= new Promise((resolve) => {
      this.#open = resolve
    })
  }

  /** Holds the result of a statement. A part of another statement is not awaited, and stays as it is. */
  #held<Query extends PromiseLike<unknown>>(query: Query): Query {
    const wait = async (rows: unknown) => {
      this.#onRead()
      await this.#gate
      return rows
    }
    const read = query.then.bind(query)
    // biome-ignore lint/suspicious/noThenProperty: the driver sends a query when it is awaited.
    return Object.assign(query, { then: (...then: Parameters<typeof read>) => read(wait).then(...then) })
  }

  /** Resolves when its hydrator has read next. */
  async read(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#onRead = resolve
    })
  }

  release(): void {
    this.#gate = null
    this.#open()
  }

  /** Another process published tags. */
  notify(tags: readonly string[]): void {
    this.#tags.push(...tags)
  }

  /** Hears what was published. */
  hear(): void {
    const tags = this.#tags.splice(0)
    if (tags.length > 0) this.hydrator.invalidation.apply({ tags })
  }

  /** Reads the log to its end and hears everything. */
  async catchUp(): Promise<void> {
    this.hear()
    while (!(await this.readPage(1000)));
  }
}
