import { expect, it, onTestFinished, vi } from 'vitest'
import { createGate } from '../../../graph/project/testing/transaction-locks.js'
import { createLooks } from './selection-gates.js'

it('a look waits for slow ones of its app until the time for turns is over', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const look = createLooks(new AbortController().signal)
  const turn = { appId: 'garden', untilMs: performance.now() + 60_000 }
  const count = () => Promise.resolve('counted')
  const [slow, slower] = [createGate(), createGate()]
  const looks = [look(turn, () => slow.opened), look(turn, count), look(turn, () => slower.opened)]
  const refused = expect(look(turn, count)).rejects.toMatchObject({ code: 'unavailable' })

  await vi.advanceTimersByTimeAsync(59_000)
  slow.open()
  expect(await looks[1]).toBe('counted')
  await vi.advanceTimersByTimeAsync(1_000)
  await refused
  slower.open()
  await Promise.all(looks)
})
