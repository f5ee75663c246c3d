/** An entry of the schedule. `at` is in Unix seconds. */
export interface Scheduled<T> {
  readonly at: number
  readonly what: T
}

/** A priority queue by time; entries of the same second keep their order. */
export class Schedule<T> {
  readonly #heap: { readonly at: number; readonly order: number; readonly what: T }[] = []
  #order = 0

  /** Time of the next entry; infinity if there is none. */
  get nextAt(): number {
    return this.#heap[0]?.at ?? Number.POSITIVE_INFINITY
  }

  add(at: number, what: T): void {
    const heap = this.#heap
    heap.push({ at, order: this.#order++, what })
    for (let index = heap.length - 1; index > 0; ) {
      const parent = (index - 1) >> 1
      if (!this.#precedes(index, parent)) return
      this.#swap(index, parent)
      index = parent
    }
  }

  /** Removes and returns the next entry. */
  take(): Scheduled<T> | null {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    if (first === undefined || last === undefined) return null
    if (heap.length > 0) {
      heap[0] = last
      this.#sink()
    }
    return { at: first.at, what: first.what }
  }

  #sink(): void {
    for (let index = 0; ; ) {
      const left = 2 * index + 1
      const right = left + 1
      let first = index
      if (left < this.#heap.length && this.#precedes(left, first)) first = left
      if (right < this.#heap.length && this.#precedes(right, first)) first = right
      if (first === index) return
      this.#swap(index, first)
      index = first
    }
  }

  #precedes(a: number, b: number): boolean {
    const [first, second] = [this.#heap[a]!, this.#heap[b]!]
    return first.at < second.at || (first.at === second.at && first.order < second.order)
  }

  #swap(a: number, b: number): void {
    const held = this.#heap[a]!
    this.#heap[a] = this.#heap[b]!
    this.#heap[b] = held
  }
}
