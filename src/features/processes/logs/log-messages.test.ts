import { expect, it } from 'vitest'
import { parseLogRequest, payloadsOf } from './log-messages.js'

const line = (message: string, fields = {}) => ({ atMs: 1, level: 'info' as const, message, fields })

it('splits lines into notifications that PostgreSQL takes, in order, and marks the last', () => {
  const lines = Array.from({ length: 300 }, (_, index) => line(`${index} ${'ä'.repeat(90)}`))
  const message = { process: 'host:1', lines, leftOut: 3, isRecentEnd: true }
  const payloads = payloadsOf(message)
  expect(payloads.length).toBeGreaterThan(5)
  for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(8_000)
  const parts = payloads.map((payload) => JSON.parse(payload))
  expect(parts.flatMap((part) => part.lines)).toEqual(lines)
  expect(parts.map(({ leftOut }) => leftOut).reduce((sum, count) => sum + count)).toBe(3)
  expect(parts.map(({ isRecentEnd }) => isRecentEnd).lastIndexOf(false)).toBe(parts.length - 2)
})

it('an empty message is one notification, and too many fields are left out', () => {
  expect(payloadsOf({ process: 'p', lines: [], leftOut: 0, isRecentEnd: true })).toHaveLength(1)
  const fields = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`f${index}`, 'x'.repeat(300)]))
  const [payload] = payloadsOf({ process: 'p', lines: [line('m', fields)], leftOut: 0, isRecentEnd: false })
  expect(JSON.parse(payload!).lines).toEqual([line('m')])
})

it('what is no request is ignored', () => {
  const request = { reader: '7b0f8a52-51c2-4c0b-9d1e-0f4f3c2b1a00', lines: 5, follow: true, level: 'warn' }
  expect(parseLogRequest(JSON.stringify(request))).toEqual(request)
  // From a reader of a version that asks for no level, or for one that is not there yet.
  for (const level of [undefined, 'trace']) {
    expect(parseLogRequest(JSON.stringify({ ...request, level }))).toEqual({ ...request, level: 'info' })
  }
  for (const payload of [
    '',
    '{',
    'null',
    '[]',
    '{"reader":"x","lines":1}',
    JSON.stringify({ ...request, lines: -1 }),
  ]) {
    expect(parseLogRequest(payload)).toBeNull()
  }
})
