import { expect, it } from 'vitest'
import { silentLog } from './log.js'
import { LogFeed, recorded } from './log-feed.js'

const request = { method: 'GET', route: '/x', status: 200, ms: 3, requestId: 'r' }

function feedAt(atMs = 0) {
  const feed = new LogFeed(() => atMs)
  return { feed, log: recorded(silentLog, feed) }
}

it('has lines and requests in their order, and requests push no lines out', () => {
  const { feed, log } = feedAt(7)
  log.debug({}, 'not kept')
  log.info({ port: 80 }, 'listening')
  for (let index = 0; index < 2_000; index += 1) feed.noteRequest({ ...request, ms: index })
  log.error({ err: new Error('away') }, 'failed')
  const lines = feed.since(0, 10_000)
  expect(lines.length).toBe(502)
  expect(lines[0]).toEqual({ atMs: 7, level: 'info', message: 'listening', fields: { port: 80 } })
  expect(lines[1]!.message).toBe('GET /x 200 in 1500 ms')
  expect(lines.at(-1)).toMatchObject({ level: 'error', message: 'failed', fields: { err: 'away' } })
  expect(feed.since(0, 1)).toEqual([lines.at(-1)])
  expect(feed.since(feed.sequence, 10)).toEqual([])
})

it('finds the newest of a level, and counts all that there were', () => {
  const { feed, log } = feedAt()
  log.error({}, 'failed')
  feed.noteRequest({ ...request, status: 503 })
  feed.noteRequest({ ...request, status: 404 })
  for (let index = 0; index < 450; index += 1) log.info({}, 'fine')
  expect(feed.since(0, 10, 'error').map(({ message }) => message)).toEqual(['failed', 'GET /x 503 in 3 ms'])
  expect(feed.since(0, 2, 'warn').map(({ message }) => message)).toEqual([
    'GET /x 503 in 3 ms',
    'GET /x 404 in 3 ms',
  ])
  expect([feed.countOf('error'), feed.countOf('warn'), feed.countOf('info')]).toEqual([2, 3, 453])
})

it('leaves out secrets, and what is no plain value', () => {
  const { feed, log } = feedAt()
  const err = new Error('connect to postgres://user:hunter2@db/plaza failed')
  const url = 'https://a.example/hook?token=hunter2'
  log.warn({ password: 'hunter2', req: { headers: { cookie: 'hunter2' } }, err, url, fid: 1 }, 'text')
  expect(JSON.stringify(feed.since(0, 1))).not.toContain('hunter2')
  expect(feed.since(0, 1)[0]!.fields).toMatchObject({ fid: 1, url: 'https://a.example/…' })
})
