/** A pause that `end` interrupts, also before it begins. */
export class WakeableSleep {
  #isWoken = false
  #wake: (() => void) | undefined

  /** Resolves after the time, or when `end` was called since the last sleep. */
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
