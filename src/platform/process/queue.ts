/** Creates a queue that runs work in the order of arrival. The next begins when one has ended, successfully or not. */
export function createQueue(maxRunning = 1): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running === maxRunning) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await work()
    } finally {
      // The next one gets the place; without a next one it is free.
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
