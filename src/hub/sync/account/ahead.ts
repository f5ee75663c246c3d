import type { Scales } from './scales.js'

/** Pages that are read ahead of whoever takes them. */
const PAGES_AHEAD = 3

/**
 * Reads some sources at the same time and hands over what they give one after the other, so that reading the next
 * ones costs no time while the first is being worked on. While the scales are full nothing is read but what is waited
 * for.
 *
 * @param open Starts to read a source.
 */
export async function* readAhead<Source, Page>(
  sources: AsyncIterable<Source> | Iterable<Source>,
  open: (source: Source) => AsyncGenerator<Page>,
  { parallel, scales }: { readonly parallel: number; readonly scales: Scales },
): AsyncGenerator<{ readonly source: Source; readonly pages: AsyncGenerator<Page> }> {
  const opened: { source: Source; pages: AsyncGenerator<Page> }[] = []
  for await (const source of sources) {
    opened.push({ source, pages: bufferPages(open(source), scales) })
    if (opened.length >= parallel || scales.isFull) yield opened.shift()!
  }
  yield* opened
}

/** Starts at once, and stays some pages ahead, as long as the scales have room. */
function bufferPages<Page>(pages: AsyncGenerator<Page>, scales: Scales): AsyncGenerator<Page> {
  const waiting: Promise<IteratorResult<Page>>[] = []
  let isReading = false
  function read(): void {
    isReading = true
    const next = pages.next()
    waiting.push(next)
    next.then(
      ({ done }) => {
        isReading = false
        if (!done) fill()
      },
      // Whoever takes it is told.
      () => {},
    )
  }
  // One after the other, since each may fill the scales.
  function fill(): void {
    if (!isReading && waiting.length < PAGES_AHEAD && !scales.isFull) read()
  }
  fill()
  return (async function* () {
    for (;;) {
      if (waiting.length === 0) read()
      const { done, value } = await waiting.shift()!
      if (done) return
      fill()
      yield value
    }
  })()
}
