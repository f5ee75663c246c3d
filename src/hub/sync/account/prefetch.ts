/** So much may be read and wait to be merged, as it came. Decoded it takes about three times as much memory. */
const MAX_BYTES = 256 * 1024 * 1024
/** What an answer is taken to weigh until it is there. */
const EXPECTED_BYTES = 1024 * 1024

/**
 * Weighs what was read and waits to be merged, of all users who are read at the same time: pages are of so many
 * entries, which says nothing of their size. Whoever reads ahead stops while it is full; what is waited for is read.
 */
export class ByteBudget {
  readonly #maxBytes: number
  #bytes = 0

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes
  }

  /** Whether nothing more is to be read ahead. */
  get isFull(): boolean {
    return this.#bytes >= this.#maxBytes
  }

  /** Weighs an answer: at first as what it is expected to be, then as what it is, until it is taken off. */
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

  /** So much was handed on. */
  release(bytes: number): void {
    this.#bytes -= bytes
  }
}

/** Pages that are read ahead of whoever takes them. */
const PREFETCHED_PAGES = 3

/**
 * Reads some sources at the same time and hands over what they give one after the other, so that reading the next
 * ones costs no time while the first is being worked on. While the scales are full nothing is read but what is waited
 * for.
 *
 * @param open Starts to read a source.
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

/** Starts at once, and stays some pages ahead, as long as the scales have room. */
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
      // Whoever takes it is told.
      () => {},
    )
  }
  // One after the other, since each may fill the scales.
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
