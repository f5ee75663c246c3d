/** Most undecoded bytes in memory. Decoded, they take about three times as much. */
const MAX_BYTES = 256 * 1024 * 1024
/** Reserved for a response until its size is known. */
const EXPECTED_BYTES = 1024 * 1024

/**
 * Bounds the bytes that are read and not yet merged, over all users. Pages count entries, not bytes. While the
 * budget is full nothing is prefetched; what a reader waits for is still read.
 */
export class ByteBudget {
  #bytes = 0

  constructor(private readonly maxBytes = MAX_BYTES) {}

  /** True if nothing more may be prefetched. */
  get isFull(): boolean {
    return this.#bytes >= this.maxBytes
  }

  /** Reserves space for a response, then its real size until `release`. */
  async reserve<Answer>(pending: Promise<Answer>, bytesOf: (answer: Answer) => number): Promise<Answer> {
    this.#bytes += EXPECTED_BYTES
    try {
      const answer = await pending
      this.#bytes += bytesOf(answer)
      return answer
    } finally {
      this.#bytes -= EXPECTED_BYTES
    }
  }

  /** Releases bytes after their merge. */
  release(bytes: number): void {
    this.#bytes -= bytes
  }
}

/** Pages that are prefetched for each source. */
const PREFETCHED_PAGES = 3

/**
 * Opens several sources at the same time and yields them in order, so that the next is ready when one is done.
 * While the byte budget is full, only the awaited page is read.
 */
export async function* prefetch<Source, Page>(
  sources: AsyncIterable<Source> | Iterable<Source>,
  open: (source: Source) => AsyncGenerator<Page>,
  { concurrency, byteBudget }: { readonly concurrency: number; readonly byteBudget: ByteBudget },
): AsyncGenerator<{ readonly source: Source; readonly pages: AsyncGenerator<Page> }> {
  const openSources: { source: Source; pages: AsyncGenerator<Page> }[] = []
  for await (const source of sources) {
    openSources.push({ source, pages: bufferPages(open(source), byteBudget) })
    if (openSources.length >= concurrency || byteBudget.isFull) yield openSources.shift()!
  }
  yield* openSources
}

/** Starts to read at once and stays some pages ahead while the budget allows. */
function bufferPages<Page>(pages: AsyncGenerator<Page>, byteBudget: ByteBudget): AsyncGenerator<Page> {
  const prefetched: Promise<IteratorResult<Page>>[] = []
  let isReading = false
  function read(): void {
    isReading = true
    const next = pages.next()
    prefetched.push(next)
    next.then(
      ({ done }) => {
        isReading = false
        if (!done) prefetchMore()
      },
      // The reader of the page gets the error.
      () => {},
    )
  }
  // One page at a time, since each may fill the budget.
  function prefetchMore(): void {
    if (!isReading && prefetched.length < PREFETCHED_PAGES && !byteBudget.isFull) read()
  }
  prefetchMore()
  return (async function* () {
    for (;;) {
      if (prefetched.length === 0) read()
      const { done, value } = await prefetched.shift()!
      if (done) return
      prefetchMore()
      yield value
    }
  })()
}
