import { expect, it } from 'vitest'
import { silentLog } from '../../../platform/log/log.js'
import { PolledTopic } from './polled-topic.js'

/** A topic whose reads the test answers one after the other. */
function open(everyMs = 0) {
  const reads: { resolve(value: string): void; reject(error: Error): void }[] = []
  const warnings: unknown[] = []
  const log = { ...silentLog, warn: (...line: unknown[]) => warnings.push(line) }
  const read = () => new Promise<string>((resolve, reject) => reads.push({ resolve, reject }))
  /** The read with this number, once it is asked for. */
  const asked = async (number: number) => {
    await expect.poll(() => reads.length).toBe(number)
    return reads[number - 1]!
  }
  return { topic: new PolledTopic({ name: 'test', read, everyMs, log }), reads, asked, warnings }
}

it('all listeners share one read, and a later one gets the last value at once', async () => {
  const { topic, reads, asked } = open()
  const [first, second]: string[][] = [[], []]
  const stopFirst = topic.subscribe((value) => first!.push(value))
  const early: string[] = []
  const stopEarly = topic.subscribe((value) => early.push(value))
  expect(early).toEqual([])
  ;(await asked(1)).resolve('one')
  await asked(2)
  const stopSecond = topic.subscribe((value) => second!.push(value))
  expect([first, early, second]).toEqual([['one'], ['one'], ['one']])
  stopFirst()
  stopEarly()
  reads[1]!.resolve('two')
  await asked(3)
  expect([first, second]).toEqual([['one'], ['one', 'two']])
  stopSecond()
})

it('nothing is read without listeners, and what was on its way reaches no later one', async () => {
  const { topic, reads, asked } = open()
  const late: string[] = []
  topic.subscribe(() => {})()
  const stop = topic.subscribe((value) => late.push(value))
  await asked(2)
  reads[0]!.resolve('old')
  reads[1]!.resolve('new')
  await asked(3)
  expect(late).toEqual(['new'])
  stop()
  reads[2]!.resolve('unseen')
  const values: string[] = []
  const stopAgain = topic.subscribe((value) => values.push(value))
  expect(values).toEqual([])
  await asked(4)
  stopAgain()
  reads[3]!.resolve('unseen too')
  expect(values).toEqual([])
})

it('a failure is logged once until a read succeeds', async () => {
  const { topic, asked, warnings } = open()
  const stop = topic.subscribe(() => {})
  for (const [number, isFailure] of [true, true, false, true].entries()) {
    const read = await asked(number + 1)
    if (isFailure) read.reject(new Error(`failure ${number}`))
    else read.resolve('value')
  }
  await asked(5)
  stop()
  const text = 'a topic of the console could not be read'
  expect(warnings).toEqual([
    [{ err: new Error('failure 0'), topic: 'test' }, text],
    [{ err: new Error('failure 3'), topic: 'test' }, text],
  ])
})
