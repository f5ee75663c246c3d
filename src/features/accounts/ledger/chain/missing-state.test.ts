import { HttpRequestError, LimitExceededRpcError, RpcRequestError, TimeoutError, UnknownRpcError } from 'viem'
import { expect, it } from 'vitest'
import { isStateMissing } from './missing-state.js'

const url = 'https://archive.example/missing trie node'
const answer = (message: string) =>
  new UnknownRpcError(new RpcRequestError({ body: {}, url, error: { code: -32_000, message } }))

it.each([
  'missing trie node 1f4a (path )',
  'required historical state unavailable (reexec=128)',
  'historical state 1f4a is not available',
  'state at block #7 is pruned',
  'old data not available due to pruning',
  'project ID does not have access to archive state',
  'Requested data is older than 128 blocks',
])('an RPC that answers "%s" has not the state', (message) => {
  expect(isStateMissing(answer(message))).toBe(true)
})

it.each([
  answer('header not found'),
  answer('archive requests: rate limit exceeded'),
  new LimitExceededRpcError(answer('archive state')),
  new HttpRequestError({ url, status: 429, details: 'archive state' }),
  new HttpRequestError({ url, status: 502, details: 'Bad Gateway' }),
  new TimeoutError({ body: {}, url }),
  new Error('archive.example did not answer in time'),
])('other failures may pass', (error) => {
  expect(isStateMissing(error)).toBe(false)
})
