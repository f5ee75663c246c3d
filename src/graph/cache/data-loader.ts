/** What is being asked for, until it is loaded. */
interface Batch<Id, Loaded> {
  readonly ids: Set<Id>
  readonly loaded: Promise<Loaded>
  readonly start: () => void
}

/** Loads that run at once. While they do, what else is asked for gathers. */
const MAX_IN_FLIGHT = 2
/** A batch of so many ids takes no more, unless told. */
const MAX_BATCH_SIZE = 1_000

/**
 * Loads in one go what many requests ask for at the same time: what is asked for while loads are under way is gathered,
 * each id once, and loaded by the next. Nobody waits for a timer, and nobody gets what was read before it asked. Under
 * load a statement then serves many requests, which costs the server and PostgreSQL far less than one for each.
 */
export class DataLoader<Id, Loaded> {
  readonly #load: (ids: readonly Id[]) => Promise<Loaded>
  readonly #maxBatchSize: number
  readonly #queue: Batch<Id, Loaded>[] = []
  #inFlight = 0

  constructor(load: (ids: readonly Id[]) => Promise<Loaded>, maxBatchSize = MAX_BATCH_SIZE) {
    this.#load = load
    this.#maxBatchSize = maxBatchSize
  }

  /** What was loaded: these ids, and those that others have asked for. Fails with all who share the load. */
  load(ids: readonly Id[]): Promise<Loaded> {
    let batch = this.#queue.at(-1)
    if (!batch || batch.ids.size >= this.#maxBatchSize) {
      batch = this.#createBatch()
      this.#queue.push(batch)
      queueMicrotask(() => this.#startNext())
    }
    for (const id of ids) batch.ids.add(id)
    return batch.loaded
  }

  #createBatch(): Batch<Id, Loaded> {
    const ids = new Set<Id>()
    let start: () => void = () => {}
    const loaded = new Promise<void>((resolve) => {
      start = resolve
    }).then(() => this.#load([...ids]))
    return { ids, loaded, start }
  }

  #startNext(): void {
    if (this.#inFlight === MAX_IN_FLIGHT) return
    const batch = this.#queue.shift()
    if (!batch) return
    this.#inFlight += 1
    const end = () => {
      this.#inFlight -= 1
      this.#startNext()
    }
    batch.loaded.then(end, end)
    batch.start()
  }
}
