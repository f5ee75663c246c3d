import { expect, it } from 'vitest'
import { type GateVisit, WorkGate } from './work-gate.js'

const size = { maxRunning: 2, maxRunningOfCaller: 1, maxWaiting: 4, maxWaitingOfCaller: 2, maxWaitMs: 60_000 }

/** Enters, and notes the order in which callers get in. */
function visitors(overrides: Partial<typeof size & { maxSending: number; maxSendingOfCaller: number }> = {}) {
  const gate = new WorkGate({ ...size, ...overrides })
  const inside: string[] = []
  const visits = new Map<string, GateVisit[]>()
  return {
    gate,
    inside,
    enter: (caller: string, signal?: AbortSignal) => {
      const entered = gate.enter(caller, signal).then((visit) => {
        inside.push(caller)
        visits.set(caller, [...(visits.get(caller) ?? []), visit])
      })
      entered.catch(() => {})
      return entered
    },
    /** The oldest visit of the caller. */
    leave: async (caller: string) => {
      visits.get(caller)!.shift()!.leave()
      await Promise.resolve()
      await Promise.resolve()
    },
    visitOf: (caller: string) => visits.get(caller)![0]!,
  }
}

it('callers take turns, and none has more than its share', async () => {
  const { enter, leave, inside, gate } = visitors()
  const all = [enter('a'), enter('a'), enter('a'), enter('b'), enter('c')]
  await Promise.all([all[0], all[3]])
  // c came last, and waits for nobody but those inside.
  await leave('b')
  await all[4]
  await leave('a')
  await all[1]
  await leave('a')
  await all[2]
  expect(inside).toEqual(['a', 'b', 'c', 'a', 'a'])
  expect(gate.usage()).toEqual({ running: 2, sending: 0, waiting: 0 })
})

it('too many of one caller wait -> 429, of all -> 503 with the time after which to retry', async () => {
  const { enter } = visitors()
  await Promise.all([enter('a'), enter('b')])
  for (const caller of ['a', 'a']) enter(caller)
  await expect(enter('a')).rejects.toMatchObject({
    code: 'bad_request.rate_limited',
    retryAfterSeconds: expect.any(Number),
  })
  for (const caller of ['c', 'd']) enter(caller)
  await expect(enter('c')).rejects.toMatchObject({
    code: 'unavailable',
    retryAfterSeconds: expect.any(Number),
  })
})

it('the queue is full -> a caller that has none in it takes a place of the one that has most', async () => {
  const { enter, leave, inside } = visitors({ maxWaitingOfCaller: 4 })
  await Promise.all([enter('a'), enter('b')])
  const flood = [enter('a'), enter('a'), enter('a'), enter('a')]
  const late = enter('c')
  await expect(flood[3]).rejects.toMatchObject({ code: 'unavailable' })
  await leave('b')
  await late
  expect(inside).toEqual(['a', 'b', 'c'])
})

it('a client that leaves frees its place, and one that waits for too long is refused', async () => {
  const { enter, gate } = visitors()
  await enter('a')
  const leaving = new AbortController()
  const waiting = enter('a', leaving.signal)
  expect(gate.usage().waiting).toBe(1)
  leaving.abort()
  await expect(waiting).rejects.toThrow('left')
  await expect(enter('a', leaving.signal)).rejects.toThrow('left')
  expect(gate.usage().waiting).toBe(0)
  const impatient = visitors({ maxWaitMs: 1 })
  await impatient.enter('a')
  await expect(impatient.enter('a')).rejects.toMatchObject({ code: 'unavailable' })
})

it('a reply that is being sent lets the next one work, up to the number that may be sent', async () => {
  const { enter, leave, visitOf, gate } = visitors({ maxRunning: 1, maxSending: 2, maxSendingOfCaller: 1 })
  await enter('a')
  const second = enter('a')
  visitOf('a').send()
  // Its own reply is not taken yet: another caller may work.
  await enter('b')
  visitOf('b').send()
  expect(gate.usage()).toEqual({ running: 0, sending: 2, waiting: 1 })
  await leave('a')
  await second
  expect(gate.usage()).toEqual({ running: 1, sending: 1, waiting: 0 })
  visitOf('b').leave()
  visitOf('b').leave()
  expect(gate.usage().sending).toBe(0)
})
