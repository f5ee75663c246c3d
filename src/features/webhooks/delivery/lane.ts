import type { SigningSecret } from '../secrets.js'
import type { Claimed } from './queue.js'

/** A delivery that can be sent. */
export interface ReadyDelivery extends Claimed {
  readonly data: string
  readonly secrets: readonly SigningSecret[]
}

/** Sends, and never rejects. */
export type Send = (delivery: ReadyDelivery) => Promise<void>

/**
 * What this process has in hand of one webhook. Deliveries start in the order in which they come, a bounded number of
 * them at once: a slow target has a lane of its own to stand in.
 */
export class Lane {
  readonly webhookId: string
  readonly #parallel: number
  readonly #send: Send
  readonly #ready: ReadyDelivery[] = []
  #sending = 0
  /** Taken from the queue and not ready yet. */
  #coming = 0
  /** There may be more in the queue. */
  wanted = false
  /** Not before this moment, in Unix milliseconds: the rate limit was reached. */
  limitedUntilMs = 0

  constructor(webhookId: string, parallel: number, send: Send) {
    this.webhookId = webhookId
    this.#parallel = parallel
    this.#send = send
  }

  /** How many more to take: as many are at hand as are under way, so that none waits for the database. */
  get room(): number {
    const room = 2 * this.#parallel - this.#coming - this.#ready.length - this.#sending
    // Few at a time cost as much as many.
    return room >= Math.ceil(this.#parallel / 2) ? room : 0
  }

  get isIdle(): boolean {
    return this.#coming + this.#ready.length + this.#sending === 0
  }

  expect(count: number): void {
    this.#coming += count
  }

  add(delivery: ReadyDelivery): void {
    this.#coming -= 1
    this.#ready.push(delivery)
    this.#start()
  }

  /** One that was expected is not coming. */
  skip(): void {
    this.#coming -= 1
  }

  /** Forgets what has not begun. */
  clear(): void {
    this.#ready.length = 0
    this.#coming = 0
  }

  #start(): void {
    while (this.#sending < this.#parallel) {
      const delivery = this.#ready.shift()
      if (delivery === undefined) return
      this.#sending += 1
      void this.#send(delivery).then(() => {
        this.#sending -= 1
        this.#start()
      })
    }
  }
}
