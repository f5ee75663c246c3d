import type { ByteBudget } from './byte-budget.js'

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
