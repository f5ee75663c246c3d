/**
 * Turns of the event loop for heavy work. Work that fills the thread for longer than a millisecond does it in slices, and waits
 * for its turn before each. One slice runs in each turn of the loop, however many requests are at work: another request
 * waits for at most one of them each time that it comes back to the loop. With a turn for each request, 32 of them held an
 * ordinary read up 32 times as long.
 *
 * There is one event loop, so there is one queue.
 */
const waiting: (() => void)[] = []

/** Waits until the next slice of heavy work may run. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(runSlice)
  })
}

/** The slice runs when this callback has returned; an immediate that is set here comes in the next turn of the loop. */
function runSlice(): void {
  waiting[0]!()
  waiting.shift()
  if (waiting.length > 0) setImmediate(runSlice)
}

/** Converts a list in slices of so many items, each in a turn of its own; a short list at once. */
export async function inSlices<Item, Part>(
  items: readonly Item[],
  size: number,
  convert: (slice: readonly Item[]) => Part,
): Promise<Part[]> {
  if (items.length <= size) return [convert(items)]
  const parts: Part[] = []
  for (let start = 0; start < items.length; start += size) {
    await nextTurn()
    parts.push(convert(items.slice(start, start + size)))
  }
  return parts
}
