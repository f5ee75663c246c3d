import { expect, it } from 'vitest'
import { type Log, silentLog } from '../log/log.js'
import { startScheduledJobs } from './scheduled-jobs.js'

it('runs a chore at once and again, goes on after a failure, and never runs it twice at a time', async () => {
  const errors: unknown[] = []
  const log: Log = { ...silentLog, error: (fields) => errors.push(fields) }
  let runs = 0
  let running = 0
  const run = async () => {
    running += 1
    expect(running).toBe(1)
    await new Promise((resolve) => setImmediate(resolve))
    running -= 1
    runs += 1
    if (runs === 2) throw new Error('no')
  }
  const stop = startScheduledJobs([{ name: 'sweep', everyMs: 1, run }], log)
  await expect.poll(() => runs).toBeGreaterThan(3)
  await stop()
  const atStop = runs
  await new Promise((resolve) => setTimeout(resolve, 10))
  expect([runs, running]).toEqual([atStop, 0])
  expect(errors).toEqual([{ err: new Error('no'), job: 'sweep' }])
})

it('stops at once between two turns, and waits for one that is under way', async () => {
  let finish = () => {}
  const under = new Promise<void>((resolve) => {
    finish = resolve
  })
  const hour = 3_600_000
  const stop = startScheduledJobs(
    [
      { name: 'idle', everyMs: hour, run: async () => {} },
      { name: 'long', everyMs: hour, run: () => under },
    ],
    silentLog,
  )
  let stopped = false
  const stopping = stop().then(() => {
    stopped = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(stopped).toBe(false)
  finish()
  await stopping
})
