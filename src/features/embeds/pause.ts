/** A pause that can be ended from outside, also before it has begun. */
export class Pause {
  #isOver = false
  #end: (() => void) | undefined

  /** Returns when the time is over, or `end` was called since the last time. */
  async wait(ms: number): Promise<void> {
    if (!this.#isOver) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        this.#end = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    this.#isOver = false
    this.#end = undefined
  }

  end(): void {
    this.#isOver = true
    this.#end?.()
  }
}
