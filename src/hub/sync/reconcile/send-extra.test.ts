import { status } from '@grpc/grpc-js'
import { expect, test } from 'vitest'
import { TestUser, testNow } from '../../../../test/network.js'
import { UpstreamFailure } from '../client/upstream-failure.js'
import { openUpstreams } from '../client/upstreams.js'
import { addSent, createSentTally, sendExtra } from './send-extra.js'

const user = new TestUser(1)

/** Sends one message for each answer: null accepts it. */
async function send(answers: readonly (UpstreamFailure | null)[]) {
  const left = [...answers]
  const upstreams = openUpstreams(
    { addresses: ['node.example:3383'], tls: false, headers: new Map(), trusted: false },
    {
      answerTimeoutMs: 0,
      connect: (address) => ({
        address,
        async call() {
          const answer = left.shift() ?? null
          if (answer !== null) throw answer
          return Buffer.alloc(0)
        },
        subscribe: () => Promise.reject(new Error('not called')) as never,
        events: () => Promise.reject(new Error('not called')),
        close: () => {},
      }),
    },
  )
  const messages = answers.map((_, n) => user.cast(`${n}`, testNow + n))
  return await sendExtra(upstreams, messages, new AbortController().signal)
}

/** A failure as nodes answer it: with the code in the text, too. */
function failure(errorCode: string | null, text: string, code = status.INVALID_ARGUMENT): UpstreamFailure {
  const details = errorCode === null ? text : `${errorCode}/${text}`
  return new UpstreamFailure(code, 'node.example:3383', details, errorCode)
}

test('each answer is counted as what it is, a refusal with the code and text of the upstream', async () => {
  const tally = await send([
    null,
    failure('bad_request.duplicate', 'message has already been merged'),
    failure('bad_request.conflict', 'message conflicts with a more recent add'),
    failure('bad_request.validation_failure', 'signer is not active'),
    failure('bad_request.validation_failure', 'signer is not active'),
    failure(null, 'give a key', status.UNAUTHENTICATED),
  ])
  expect(tally).toEqual({
    accepted: 1,
    duplicates: 1,
    conflicts: 1,
    refused: new Map([
      ['bad_request.validation_failure: signer is not active', 2],
      ['UNAUTHENTICATED: give a key', 1],
    ]),
  })
})

test('an upstream that does not answer is no refusal', async () => {
  const away = failure(null, 'gone', status.UNAVAILABLE)
  await expect(send([null, away])).rejects.toBe(away)
})

test('reasons have a limit, and none is lost in the counts', async () => {
  const tally = createSentTally()
  for (const part of [0, 15]) {
    const refusals = Array.from({ length: 15 }, (_, n) => failure('bad_request', `refused ${part + n}`))
    addSent(tally, await send(refusals))
  }
  expect(tally.refused.size).toBe(21)
  expect(tally.refused.get('bad_request: refused 19')).toBe(1)
  expect(tally.refused.get('other reasons')).toBe(10)
})
