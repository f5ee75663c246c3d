import { expect, it } from 'vitest'
import { createLogger } from './logger.js'
import { prettyLines } from './pretty-lines.js'

type Write = (log: ReturnType<typeof createLogger>) => void

function written(write: Write, hasColors = false): string {
  let text = ''
  const output = prettyLines({ write: (line: string) => (text += line) }, hasColors)
  write(createLogger('debug', output))
  return text.replace(/\d\d:\d\d:\d\d\.\d{3}/, '12:34:56.789')
}

it('a line -> time, level, sentence and fields', () => {
  expect(written((log) => log.info({ shard: 1, reason: 'it is late', ids: [1] }, 'consumer recovered'))).toBe(
    '12:34:56.789 info  consumer recovered shard=1 reason="it is late" ids=[1]\n',
  )
})

it('the line of a request -> method, route, status and time', () => {
  const fields = { method: 'GET', route: '/v2/farcaster/feed', status: 503, ms: 12, reqId: 'a1' }
  expect(written((log) => log.info(fields, 'request'))).toBe(
    '12:34:56.789 info  GET /v2/farcaster/feed 503 12 ms reqId=a1\n',
  )
})

it('an error -> its message and its causes, each with where it was thrown', () => {
  const cause = Object.assign(new Error('no route to host'), { code: 'EHOSTUNREACH' })
  const text = written((log) => log.error({ err: new Error('sync failed', { cause }) }, 'a job failed'))
  const withoutFrames = text.replaceAll(/^ +at .*\n/gm, '').trimEnd()
  expect(withoutFrames.split('\n')).toEqual([
    '12:34:56.789 error a job failed',
    '    Error: sync failed',
    '    Error: no route to host (EHOSTUNREACH)',
  ])
  expect(text).toMatch(/^ {6}at .*pretty-lines\.test/m)
})

it('secrets stay hidden, long values are cut off, and a sentence keeps its line', () => {
  const text = written((log) => log.warn({ password: 'hunter2', text: `a\n${'b'.repeat(500)}` }, 'x'))
  expect(text).not.toContain('hunter2')
  expect(text.split('\n')).toHaveLength(2)
  expect(text.length).toBeLessThan(250)
})

it('colors are used where they are turned on', () => {
  const write: Write = (log) => log.error({}, 'x')
  expect(written(write, true)).toContain('\u001b[31merror\u001b[39m')
  expect(written(write)).not.toContain('\u001b')
})
