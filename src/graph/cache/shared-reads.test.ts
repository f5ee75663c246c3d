import { describe, expect, test } from 'vitest'
import { SharedReads } from './shared-reads.js'
import { Tags } from './tags.js'

const maxAgeMs = 1_000

/** Reads whose end is in our hands. */
function openReads() {
  let now = 0
  const tags = new Tags()
  const shared = new SharedReads(() => now, tags)
  const waiting: ((value: string) => void)[] = []
  const read = () =>
    shared.read('key', maxAgeMs, async () => {
      const value = await new Promise<string>((resolve) => waiting.push(resolve))
      return { value, tags: ['tag'] }
    })
  const finish = async (value: string) => {
    waiting.shift()!(value)
    await new Promise(setImmediate)
  }
  return { shared, tags, waiting, read, finish, pass: (ms: number) => (now += ms) }
}

describe('what many ask for', () => {
  test('at once is read once', async () => {
    const { shared, waiting, read, finish } = openReads()
    const both = Promise.all([read(), read()])
    expect(shared.has('key')).toBe(false)
    await finish('page')
    expect(shared.has('key')).toBe(true)
    expect([await both, waiting.length]).toEqual([['page', 'page'], 0])
  })

  test('soon after is what was read, and later is read anew', async () => {
    const { waiting, read, finish, pass } = openReads()
    const first = read()
    await finish('old')
    pass(maxAgeMs)
    expect([await first, await read(), waiting.length]).toEqual(['old', 'old', 0])
    pass(1)
    const second = read()
    await finish('new')
    expect(await second).toBe('new')
  })

  test('is not what was read before a drop, nor what is being read at the drop', async () => {
    const { tags, read, finish } = openReads()
    const before = read()
    tags.drop(['tag'])
    const after = read()
    await finish('read before')
    await finish('read after')
    expect([await before, await after, await read()]).toEqual(['read before', 'read after', 'read after'])
    tags.drop(['tag'])
    const again = read()
    await finish('read again')
    expect(await again).toBe('read again')
  })

  test('and cannot be read is asked for again', async () => {
    const shared = new SharedReads(() => 0, new Tags())
    const failing = shared.read('key', maxAgeMs, () => Promise.reject(new Error('away')))
    await expect(failing).rejects.toThrow('away')
    expect(await shared.read('key', maxAgeMs, async () => ({ value: 'back', tags: [] }))).toBe('back')
  })

  test('and was made of what authors cast is read anew when one of them does something, and else not', async () => {
    const shared = new SharedReads(() => 0, new Tags())
    let reads = 0
    const read = () =>
      shared.read('key', maxAgeMs, async () => {
        reads += 1
        return { value: reads, tags: [], authors: new Set([1, 2]) }
      })
    expect([await read(), await read()]).toEqual([1, 1])
    shared.activity.note([3, 4])
    expect(await read()).toBe(1)
    shared.activity.note([3, 2])
    expect([await read(), await read()]).toEqual([2, 2])
    // So much that it is not known any more who has done something.
    shared.activity.note(Array.from({ length: 30_000 }, () => 3))
    expect([await read(), await read()]).toEqual([3, 3])
  })

  test('is shared while it is being read, and by nobody later, where nothing is kept', async () => {
    const shared = new SharedReads(() => 0, new Tags(), false)
    let reads = 0
    const read = () =>
      shared.read('key', maxAgeMs, async () => {
        reads += 1
        return { value: reads, tags: [] }
      })
    expect(await Promise.all([read(), read()])).toEqual([1, 1])
    expect(await read()).toBe(2)
  })
})
