import { EventEmitter } from 'node:events'
import { expect, it, onTestFinished, vi } from 'vitest'
import { StoppedError, StopSignals } from './stop-signals.js'

/** Notes what a process is told, at a time that the test sets. */
function setUp() {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const calls: unknown[] = []
  const exit = (code: number) => calls.push(['exit', code])
  const process = Object.assign(new EventEmitter(), { exit }) as unknown as NodeJS.Process
  const stops = new StopSignals(process)
  const stopDatabase = (error: Error | null, isHandled: boolean) =>
    calls.push([
      isHandled ? 'waiting database' : 'database',
      error instanceof StoppedError ? error.exitCode : error,
    ])
  return { calls, stops, stopDatabase, kill: (signal: NodeJS.Signals) => process.emit(signal) }
}

it('a command that does not handle signals: its database is closed, and aborted at the second signal', () => {
  const { calls, stops, stopDatabase, kill } = setUp()
  stops.onDatabaseStop(stopDatabase)
  kill('SIGINT')
  // The same signal, which `npm` repeats.
  kill('SIGINT')
  expect(calls).toEqual([['database', 130]])
  vi.advanceTimersByTime(2_000)
  kill('SIGINT')
  vi.advanceTimersByTime(1_000)
  expect(calls).toEqual([
    ['database', 130],
    ['database', null],
    ['exit', 1],
  ])
})

it('a command that handles signals: it is told first, and an open database only at the second signal', () => {
  const { calls, stops, stopDatabase, kill } = setUp()
  stops.onDatabaseStop(stopDatabase)
  stops.onStop((isForced) => calls.push(['command', isForced]))
  kill('SIGTERM')
  expect(calls).toEqual([
    ['command', false],
    ['waiting database', 143],
  ])
  vi.advanceTimersByTime(2_000)
  kill('SIGTERM')
  expect(calls.slice(2)).toEqual([
    ['command', true],
    ['database', null],
  ])
})

it('a command whose database is closed already ends at once', () => {
  const { calls, stops, stopDatabase, kill } = setUp()
  stops.onDatabaseStop(stopDatabase)()
  kill('SIGHUP')
  expect(calls).toEqual([['exit', 129]])
})

it('output that nobody reads: stops a command that handles signals once, and no other', () => {
  const { calls, stops, stopDatabase } = setUp()
  stops.onDatabaseStop(stopDatabase)
  stops.stopCommand()
  expect(calls).toEqual([])
  stops.onStop((isForced) => calls.push(['command', isForced]))
  vi.advanceTimersByTime(2_000)
  stops.stopCommand()
  vi.advanceTimersByTime(2_000)
  stops.stopCommand()
  expect(calls).toEqual([
    ['command', false],
    ['waiting database', 143],
  ])
})

it('a command that does not end in time is forced to', () => {
  const { calls, stops, kill } = setUp()
  stops.onStop((isForced) => calls.push(['command', isForced]), 5_000)
  kill('SIGTERM')
  vi.advanceTimersByTime(6_000)
  expect(calls).toEqual([
    ['command', false],
    ['command', true],
    ['exit', 1],
  ])
})
