import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ByteBudget, prefetch } from './prefetch.js'

interface Page {
  readonly text: string
  readonly bytes: number
}

const MEGABYTE = 1024 * 1024

/** Reads users with pages of some bytes. Returns the most bytes that were read and not taken. */
async function readAll(
  users: readonly (readonly number[])[],
  { most, concurrency }: { readonly most: number; readonly concurrency: number },
): Promise<{ read: string[]; mostWaiting: number }> {
  const byteBudget = new ByteBudget(most)
  let waiting = 0
  let mostWaiting = 0
  async function* pagesOf(user: number): AsyncGenerator<Page> {
    for (const [page, bytes] of users[user]!.entries()) {
      const found = new Promise<Page>((resolve) => {
        setImmediate(() => resolve({ text: `${user}/${page}`, bytes }))
      })
      const weighed = await byteBudget.reserve(found, (each) => each.bytes)
      waiting += bytes
      mostWaiting = Math.max(mostWaiting, waiting)
      yield weighed
    }
  }
  const read: string[] = []
  for await (const { source, pages } of prefetch(users.keys(), pagesOf, {
    concurrency,
    byteBudget,
  })) {
    for await (const { text, bytes } of pages) {
      expect(text.split('/')[0]).toBe(`${source}`)
      read.push(text)
      waiting -= bytes
      byteBudget.release(bytes)
    }
  }
  return { read, mostWaiting }
}

const userPages = fc.array(fc.array(fc.nat({ max: 40 * MEGABYTE }), { maxLength: 6 }), { maxLength: 12 })

test('pages are yielded in order, however many are prefetched', async () => {
  await fc.assert(
    fc.asyncProperty(
      userPages,
      fc.nat({ max: 100 * MEGABYTE }),
      fc.integer({ min: 1, max: 9 }),
      async (users, most, concurrency) => {
        const { read } = await readAll(users, { most, concurrency })
        expect(read).toEqual(users.flatMap((pages, user) => pages.map((_, page) => `${user}/${page}`)))
      },
    ),
  )
})

test('prefetched bytes are bounded for any number of users', async () => {
  const users = Array.from({ length: 256 }, () => Array.from({ length: 4 }, () => 20 * MEGABYTE))
  const { read, mostWaiting } = await readAll(users, { most: 100 * MEGABYTE, concurrency: 256 })
  expect(read).toHaveLength(1024)
  // All pages that were requested before the first response showed its size.
  expect(mostWaiting).toBeLessThanOrEqual(101 * 20 * MEGABYTE)
})
