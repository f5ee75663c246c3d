/** Pages that are read ahead of whoever takes them. */
const PAGES_AHEAD = 3

/**
 * Reads some sources at the same time and hands over what they give one after the other, so that reading the next
 * ones costs no time while the first is being worked on.
 *
 * @param open Starts to read a source.
 */
export async function* readAhead<Source, Page>(
  sources: AsyncIterable<Source> | Iterable<Source>,
  open: (source: Source) => AsyncGenerator<Page>,
  parallel: number,
): AsyncGenerator<{ readonly source: Source; readonly pages: AsyncGenerator<Page> }> {
  const opened: { source: Source; pages: AsyncGenerator<Page> }[] = []
  for await (const source of sources) {
    opened.push({ source, pages: bufferPages(open(source)) })
    if (opened.length >= parallel) yield opened.shift()!
  }
  yield* opened
}

/** Starts at once, and stays some pages ahead. */
function bufferPages<Page>(pages: AsyncGenerator<Page>): AsyncGenerator<Page> {
  const waiting: Promise<IteratorResult<Page>>[] = []
  function fill(): void {
    while (waiting.length < PAGES_AHEAD) {
      const next = pages.next()
      next.catch(() => {})
      waiting.push(next)
    }
  }
  fill()
  return (async function* () {
    for (;;) {
      const { done, value } = await waiting.shift()!
      if (done) return
      fill()
      yield value
    }
  })()
}
