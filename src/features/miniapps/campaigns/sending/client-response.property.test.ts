import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { NetAnswer } from '../../../../platform/outbound/net-client.js'
import { netFailure } from '../../../../platform/outbound/net-failure.js'
import { readClientResponse } from './client-response.js'

function responseWith(body: unknown, changed: Partial<NetAnswer> = {}): NetAnswer {
  const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? '')
  return {
    url: 'https://client.example/',
    status: 200,
    headers: {},
    bytes: Buffer.from(text),
    isTruncated: false,
    ...changed,
  }
}

const sent = ['a', 'b', 'c', 'd', 'e']
const someTokens = fc.subarray([...sent, 'not sent', '']) as fc.Arbitrary<string[]>
const lists = fc.record(
  {
    successfulTokens: someTokens,
    invalidTokens: someTokens,
    rateLimitedTokens: someTokens,
    failedTokens: someTokens.map((tokens) => tokens.map((token) => ({ token, reason: 'unknown' }))),
  },
  { requiredKeys: [] },
)

it('finds exactly one outcome for each token, in the first list that names it, in both forms of the answer', () => {
  fc.assert(
    fc.property(lists, fc.boolean(), (listed, isWrapped) => {
      const outcomes = readClientResponse(responseWith(isWrapped ? { result: listed } : listed), sent)
      expect([...outcomes.keys()]).toEqual(sent)
      for (const token of sent) {
        const expected = listed.successfulTokens?.includes(token)
          ? 'success'
          : listed.invalidTokens?.includes(token)
            ? 'invalid_token'
            : listed.rateLimitedTokens?.includes(token)
              ? 'rate_limited'
              : 'failed'
        expect(outcomes.get(token)).toEqual({ outcome: expected, httpStatus: 0 })
      }
    }),
  )
})

it('takes anything for an answer, and nothing for a success that does not say so', () => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.string()), fc.boolean(), (body, cut) => {
      const outcomes = [...readClientResponse(responseWith(body, { isTruncated: cut }), sent).values()]
      expect(outcomes).toEqual(sent.map(() => ({ outcome: 'failed', httpStatus: 0 })))
    }),
  )
})

it('reads no error and no half answer as a success', () => {
  const successful = { result: { successfulTokens: sent } }
  const outcomeOf = (answer: Parameters<typeof readClientResponse>[0]) => [
    ...readClientResponse(answer, ['a']).values(),
  ]
  expect(outcomeOf(responseWith(successful, { isTruncated: true }))).toEqual([
    { outcome: 'failed', httpStatus: 0 },
  ])
  for (const status of [199, 301, 400, 429, 500]) {
    expect(outcomeOf(responseWith(successful, { status }))).toEqual([
      { outcome: 'http_error', httpStatus: status },
    ])
  }
  expect(outcomeOf(responseWith(successful, { status: 202 }))).toEqual([
    { outcome: 'success', httpStatus: 0 },
  ])
})

it('tells a client that cannot be reached from one that must not be', () => {
  const outcomeOf = (kind: 'deadline' | 'forbidden-address') =>
    readClientResponse(netFailure(kind, ''), ['a']).get('a')?.outcome
  expect(outcomeOf('deadline')).toBe('http_error')
  expect(outcomeOf('forbidden-address')).toBe('failed')
})
