import { status } from '@grpc/grpc-js'
import { expect, onTestFinished, test } from 'vitest'
import { UpstreamFailure } from './upstream-failure.js'
import { openUpstreams, type UpstreamsOptions } from './upstreams.js'

const down = new UpstreamFailure(status.UNAVAILABLE, 'first:1', 'down')

function open(options: UpstreamsOptions, addresses = ['127.0.0.1:1']) {
  const settings = { addresses, tls: false, headers: new Map(), trusted: false }
  const upstreams = openUpstreams(settings, options)
  onTestFinished(() => upstreams.close())
  return upstreams
}

test('onRetry is called once for each kind of failure', async () => {
  const reported: string[] = []
  const upstreams = open({ onRetry: ({ message }) => reported.push(message) })
  let calls = 0
  const answer = await upstreams.request(async () => {
    calls += 1
    if (calls < 4) throw down
    return 'answer'
  })
  expect(answer).toBe('answer')
  expect(reported).toEqual([down.message])
})

test('a cancelled request throws the cause, not the cancellation', async () => {
  const stop = new AbortController()
  const upstreams = open({ onRetry: () => stop.abort() })
  const ask = upstreams.request(async () => {
    throw stop.signal.aborted ? new UpstreamFailure(status.CANCELLED, 'first:1', 'Cancelled on client') : down
  }, stop.signal)
  await expect(ask).rejects.toThrow(down.message)
})

test('answerTimeoutMs includes the time of unanswered calls', async () => {
  let nowMs = 0
  const upstreams = open({ answerTimeoutMs: 60_000, clock: () => nowMs })
  let calls = 0
  const ask = upstreams.request(async () => {
    calls += 1
    nowMs += 30_000
    throw new UpstreamFailure(status.DEADLINE_EXCEEDED, 'first:1', 'Deadline exceeded')
  })
  await expect(ask).rejects.toThrow('Deadline exceeded')
  expect(calls).toBe(2)
})

test('an upstream that took all the time of a request -> the next request asks the next one', async () => {
  const upstreams = open({ answerTimeoutMs: 0 }, ['first:1', 'second:1'])
  const ask = upstreams.request(async () => {
    throw down
  })
  await expect(ask).rejects.toThrow(down.message)
  expect(await upstreams.request(async ({ address }) => address)).toBe('second:1')
})
