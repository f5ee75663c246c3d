import { reportFirstFailure } from '../../../platform/log/first-failure.js'
import type { Log } from '../../../platform/log/log.js'
import { pause } from '../../../platform/process/pause.js'

interface Listener<Value> {
  readonly receive: (value: Value) => void
  /** Called when the value could not be read: the last one is old. */
  readonly fail: () => void
}

export interface PolledTopicOptions<Value> {
  readonly name: string
  readonly read: () => Promise<Value>
  readonly everyMs: number
  readonly log: Log
}

/** A value that is read at an interval for all listeners of the process together. Without listeners nothing is read. */
export class PolledTopic<Value> {
  readonly #listeners = new Set<Listener<Value>>()
  #last: Value | undefined
  #stopping: AbortController | null = null

  constructor(private readonly options: PolledTopicOptions<Value>) {}

  /** Adds a listener, which gets the last value at once if others listen already. Returns the function that removes it. */
  subscribe(receive: (value: Value) => void, fail: () => void = () => {}): () => void {
    const listener: Listener<Value> = { receive, fail }
    this.#listeners.add(listener)
    if (this.#stopping === null) {
      this.#stopping = new AbortController()
      void this.#poll(this.#stopping.signal)
    } else if (this.#last !== undefined) receive(this.#last)
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      this.#stopping?.abort()
      this.#stopping = null
      this.#last = undefined
    }
  }

  async #poll(signal: AbortSignal): Promise<void> {
    const { name, read, everyMs, log } = this.options
    const readAndTell = reportFirstFailure(
      async () => {
        const value = await read().catch((error) => {
          if (!signal.aborted) for (const { fail } of this.#listeners) fail()
          throw error
        })
        if (signal.aborted) return
        this.#last = value
        for (const { receive } of this.#listeners) receive(value)
      },
      (error) => log.warn({ err: error, topic: name }, 'a topic of the console could not be read'),
    )
    while (!signal.aborted) {
      await readAndTell()
      await pause(everyMs, signal)
    }
  }
}
