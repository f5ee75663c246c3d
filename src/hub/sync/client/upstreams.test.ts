import { status } from '@grpc/grpc-js'
import { expect, onTestFinished, test } from 'vitest'
import { GetInfoResponse } from '../../../protocol/proto/generated/request_response.js'
import type { UpstreamClient } from './upstream-client.js'
import { UpstreamFailure } from './upstream-failure.js'
import { openUpstreams, readShards, type UpstreamsOptions } from './upstreams.js'

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

test('an upstream without shards, or with fewer than it says -> a failure of the upstream', async () => {
  const shardsOf = (numShards: number, shardIds: number[]) => {
    const shardInfos = shardIds.map((shardId) => ({ shardId }))
    const info = GetInfoResponse.fromPartial({ numShards, shardInfos })
    const bytes = Buffer.from(GetInfoResponse.encode(info).finish())
    return readShards({ address: 'first:1', call: async () => bytes } as unknown as UpstreamClient)
  }
  await expect(shardsOf(0, [])).rejects.toThrow('first:1: INTERNAL: it names no shards')
  await expect(shardsOf(0, [0])).rejects.toThrow('it names no shards')
  await expect(shardsOf(2, [2])).rejects.toThrow('1 of its 2 shards')
  expect(await shardsOf(2, [0, 2, 1])).toEqual([1, 2])
  expect(await shardsOf(2, [])).toEqual([1, 2])
})
