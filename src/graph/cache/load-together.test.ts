import { describe, expect, test } from 'vitest'
import { LoadTogether } from './load-together.js'

/** Loads whose end is in our hands. */
function openLoads() {
  const asked: number[][] = []
  const finish: ((error?: Error) => void)[] = []
  const together = new LoadTogether(async (ids: readonly number[]) => {
    asked.push([...ids])
    await new Promise<void>((resolve, reject) => finish.push((error) => (error ? reject(error) : resolve())))
    return new Map(ids.map((id) => [id, `loaded by ${asked.length}`]))
  })
  return { together, asked, finish, turn: () => new Promise(setImmediate) }
}

describe('what is asked for', () => {
  test('at once is loaded at once, each id once', async () => {
    const { together, asked, finish, turn } = openLoads()
    const both = [together.load([1, 2]), together.load([2, 3])]
    await turn()
    expect(asked).toEqual([[1, 2, 3]])
    finish[0]!()
    for (const loaded of await Promise.all(both)) expect([...loaded.keys()]).toEqual([1, 2, 3])
  })

  test('while loads are under way is loaded by the next one, never by one that has begun', async () => {
    const { together, asked, finish, turn } = openLoads()
    const loads = [together.load([1])]
    await turn()
    loads.push(together.load([1]))
    await turn()
    loads.push(together.load([1, 2]), together.load([3]))
    await turn()
    expect(asked).toEqual([[1], [1]])
    finish[0]!()
    await turn()
    expect(asked).toEqual([[1], [1], [1, 2, 3]])
    for (const end of finish) end()
    expect((await Promise.all(loads)).map((loaded) => loaded.has(1))).toEqual([true, true, true, true])
  })

  test('and cannot be loaded fails for all who share the load, and for nobody after', async () => {
    const { together, finish, turn } = openLoads()
    const failing = [together.load([1]), together.load([2])].map((load) =>
      load.catch((error) => error.message),
    )
    await turn()
    finish[0]!(new Error('away'))
    expect(await Promise.all(failing)).toEqual(['away', 'away'])
    const again = together.load([1])
    await turn()
    finish[1]!()
    expect((await again).has(1)).toBe(true)
  })

  test('in great numbers is loaded in parts', async () => {
    const { together, asked, finish, turn } = openLoads()
    const many = Array.from({ length: 2_500 }, (_, id) => together.load([id]))
    for (const _ of [1, 2, 3]) {
      await turn()
      for (const end of finish) end()
    }
    await Promise.all(many)
    expect(asked.map((ids) => ids.length)).toEqual([1_000, 1_000, 500])
  })
})
