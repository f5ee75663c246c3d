/**
 * Turns of the event loop for heavy work. Work that fills the thread for longer than a millisecond does it in slices, and waits
 * for its turn before each. One slice runs in each turn of the loop, however many requests are at work; and while ordinary
 * requests are being answered, only one in each few milliseconds. An ordinary read comes back to the loop some five
 * times: it waits for one slice in all instead of one each time.
 *
 * There is one event loop, so there is one queue.
 */
const waiting: (() => void)[] = []
/** Ordinary requests that are being answered. */
let ordinaryRequests = 0
/** Timer of the next slice; null when nothing waits. */
let timer: NodeJS.Timeout | 'next turn' | null = null

/** Heavy work stands still for no longer: under a full load of ordinary requests it gets a fifth of the thread. */
const MAX_PAUSE_MS = 4
/** A slice that took longer is followed by smaller ones. */
const LONG_SLICE_MS = 1
const MIN_SLICE = 5

/** Waits until the next slice of heavy work may run. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (timer === null) schedule()
  })
}

/** An ordinary request begins to be answered. Returns what ends that; twice is once. */
export function beginOrdinaryRequest(): () => void {
  let isGoing = true
  ordinaryRequests += 1
  return () => {
    if (!isGoing) return
    isGoing = false
    ordinaryRequests -= 1
    if (ordinaryRequests > 0 || timer === null || timer === 'next turn') return
    clearTimeout(timer)
    schedule()
  }
}

function schedule(): void {
  if (ordinaryRequests > 0) {
    timer = setTimeout(runSlice, MAX_PAUSE_MS)
  } else {
    timer = 'next turn'
    setImmediate(runSlice)
  }
}

/** The slice runs when this callback has returned; an immediate that is set here comes in the next turn of the loop. */
function runSlice(): void {
  waiting.shift()!()
  timer = null
  if (waiting.length > 0) schedule()
}

/**
 * Converts a list in slices of at most so many items, each in a turn of its own; a list that is no longer at once. Slices get
 * smaller while they take longer than a millisecond.
 */
export async function inSlices<Item, Part>(
  items: readonly Item[],
  max: number,
  convert: (slice: readonly Item[]) => Part,
): Promise<Part[]> {
  if (items.length <= max) return [convert(items)]
  const parts: Part[] = []
  let size = max
  for (let start = 0; start < items.length; ) {
    await nextTurn()
    const startMs = performance.now()
    parts.push(convert(items.slice(start, start + size)))
    start += size
    const tookMs = performance.now() - startMs
    if (tookMs > LONG_SLICE_MS) size = Math.max(MIN_SLICE, Math.floor(size / 2))
    else if (tookMs < LONG_SLICE_MS / 4) size = Math.min(max, size * 2)
  }
  return parts
}
