import { describe, expect, test } from 'vitest'
import { DataLoader } from './data-loader.js'

/** Loads that end when the test says so. */
function setUpLoader() {
  const batches: number[][] = []
  const finish: ((error?: Error) => void)[] = []
  const loader = new DataLoader(async (ids: readonly number[]) => {
    batches.push([...ids])
    await new Promise<void>((resolve, reject) => finish.push((error) => (error ? reject(error) : resolve())))
    return new Map(ids.map((id) => [id, `loaded by ${batches.length}`]))
  })
  return { loader, batches, finish, nextTurn: () => new Promise(setImmediate) }
}

describe('data loader', () => {
  test('concurrent requests share a load, each id once', async () => {
    const { loader, batches, finish, nextTurn } = setUpLoader()
    const both = [loader.load([1, 2]), loader.load([2, 3])]
    await nextTurn()
    expect(batches).toEqual([[1, 2, 3]])
    finish[0]!()
    for (const loaded of await Promise.all(both)) expect([...loaded.keys()]).toEqual([1, 2, 3])
  })

  test('requests during loads gather for the next load', async () => {
    const { loader, batches, finish, nextTurn } = setUpLoader()
    const loads = [loader.load([1])]
    await nextTurn()
    loads.push(loader.load([1]))
    await nextTurn()
    loads.push(loader.load([1, 2]), loader.load([3]))
    await nextTurn()
    expect(batches).toEqual([[1], [1]])
    finish[0]!()
    await nextTurn()
    expect(batches).toEqual([[1], [1], [1, 2, 3]])
    for (const end of finish) end()
    expect((await Promise.all(loads)).map((loaded) => loaded.has(1))).toEqual([true, true, true, true])
  })

  test('a failed load rejects all of its requests and no later one', async () => {
    const { loader, finish, nextTurn } = setUpLoader()
    const failing = [loader.load([1]), loader.load([2])].map((load) => load.catch((error) => error.message))
    await nextTurn()
    finish[0]!(new Error('away'))
    expect(await Promise.all(failing)).toEqual(['away', 'away'])
    const again = loader.load([1])
    await nextTurn()
    finish[1]!()
    expect((await again).has(1)).toBe(true)
  })

  test('many ids are loaded in several batches', async () => {
    const { loader, batches, finish, nextTurn } = setUpLoader()
    const many = Array.from({ length: 2_500 }, (_, id) => loader.load([id]))
    for (const _ of [1, 2, 3]) {
      await nextTurn()
      for (const end of finish) end()
    }
    await Promise.all(many)
    expect(batches.map((ids) => ids.length)).toEqual([1_000, 1_000, 500])
  })
})
