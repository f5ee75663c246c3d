/** A pause that can be ended from outside, also before it has begun. */
export class WakeableSleep {
  #isWoken = false
  #wake: (() => void) | undefined

  /** Returns when the time is over, or `end` was called since the last time. */
  async sleep(ms: number): Promise<void> {
    if (!this.#isWoken) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    this.#isWoken = false
    this.#wake = undefined
  }

  wake(): void {
    this.#isWoken = true
    this.#wake?.()
  }
}
