import { expect, it } from 'vitest'
import { Progress, type ProgressOptions } from './progress.js'

function setUp(options: Partial<ProgressOptions> & { isTTY?: boolean } = {}) {
  const state = { nowMs: 0, text: '' }
  const output = {
    isTTY: options.isTTY ?? false,
    columns: 200,
    write: (text: string) => {
      state.text += text
    },
  }
  const progress = new Progress({
    label: 'import',
    unit: 'messages',
    total: 10_000,
    output,
    clock: () => state.nowMs,
    ...options,
  })
  return { state, progress }
}

it('without a terminal: prints a line with rate and remaining time every few seconds', () => {
  const { state, progress } = setUp()
  for (const second of [1, 2, 3, 4, 5]) {
    state.nowMs = second * 1000
    progress.update(second * 1000, second * 1000)
  }
  expect(state.text).toBe('import:  50%, 5,000 messages, 1,000/s, 5s left\n')
})

it('on a terminal: redraws a bar', () => {
  const { state, progress } = setUp({ isTTY: true })
  state.nowMs = 1000
  progress.update(2500, 2500)
  const bar = '\r\u001b[2Kimport: [######..................] 25%, 2,500 messages, 2,500/s'
  expect(state.text).toBe(bar)
  state.nowMs = 5000
  progress.update(5000, 5000)
  expect(state.text.slice(bar.length)).toMatch(/50%, 5,000 messages, 1,000\/s, 8s left$/)
})

it('excludes the work of an earlier run from count, rate and remaining time', () => {
  const { state, progress } = setUp({ start: 8000 })
  state.nowMs = 4_000
  progress.update(8200, 100)
  state.nowMs = 10_000
  progress.update(9000, 500)
  expect(state.text).toBe('import:  90%, 500 messages, 50/s, 8s left\n')
  progress.finish()
  expect(state.text).toMatch(/import: 500 messages in 10s \(50\/s\)\n$/)
})

it('shows neither share nor remaining time if the total is unknown', () => {
  const { state, progress } = setUp({ total: 0 })
  state.nowMs = 5000
  progress.update(5000, 5000)
  expect(state.text).toBe('import: 5,000 messages, 1,000/s\n')
})
