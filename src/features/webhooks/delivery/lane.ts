import type { SigningSecret } from '../secrets.js'
import type { ClaimedDelivery } from './queue.js'

/** A delivery that can be sent. */
export interface PreparedDelivery extends ClaimedDelivery {
  readonly data: string
  readonly secrets: readonly SigningSecret[]
}

/** Sends, and never rejects. */
export type SendDelivery = (delivery: PreparedDelivery) => Promise<void>

/**
 * What this process has in hand of one webhook. Deliveries start in the order in which they come, a bounded number of
 * them at once: a slow target has a lane of its own to stand in.
 */
export class Lane {
  readonly webhookId: string
  readonly #concurrency: number
  readonly #send: SendDelivery
  readonly #prepared: PreparedDelivery[] = []
  #sending = 0
  /** Taken from the queue and not ready yet. */
  #pending = 0
  /** There may be more in the queue. */
  mayHaveMore = false
  /** Not before this moment, in Unix milliseconds: the rate limit was reached. */
  rateLimitedUntilMs = 0

  constructor(webhookId: string, concurrency: number, send: SendDelivery) {
    this.webhookId = webhookId
    this.#concurrency = concurrency
    this.#send = send
  }

  /** How many more to take: as many are at hand as are under way, so that none waits for the database. */
  get capacity(): number {
    const capacity = 2 * this.#concurrency - this.#pending - this.#prepared.length - this.#sending
    // Few at a time cost as much as many.
    return capacity >= Math.ceil(this.#concurrency / 2) ? capacity : 0
  }

  get isIdle(): boolean {
    return this.#pending + this.#prepared.length + this.#sending === 0
  }

  addPending(count: number): void {
    this.#pending += count
  }

  add(delivery: PreparedDelivery): void {
    this.#pending -= 1
    this.#prepared.push(delivery)
    this.#start()
  }

  /** One that was expected is not coming. */
  removePending(): void {
    this.#pending -= 1
  }

  /** Forgets what has not begun. */
  clear(): void {
    this.#prepared.length = 0
    this.#pending = 0
  }

  #start(): void {
    while (this.#sending < this.#concurrency) {
      const delivery = this.#prepared.shift()
      if (delivery === undefined) return
      this.#sending += 1
      void this.#send(delivery).then(() => {
        this.#sending -= 1
        this.#start()
      })
    }
  }
}
