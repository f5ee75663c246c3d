import { expect, it } from 'vitest'
import { testNow, testNowUnix } from '../../../../test/network.js'
import { createTestApi, type TestApiOptions } from '../../../app/testing/test-api.js'
import { messageJson } from '../../../hub/methods/json/message.js'
import { PlazaError, refuse } from '../../../platform/errors.js'
import { toProtobuf } from '../../../protocol/codec.js'
import { bodyOf, createPublishingNetwork } from './testing/publishing-network.js'

const { db, hub, connect, users, signers } = await createPublishingNetwork()
const [signer_uuid] = signers
const clock = () => testNowUnix * 1000

/** Every way into the hub, with requests that would be right. */
const requests = [
  ['POST', 'cast', { text: 'hello' }],
  ['POST', 'cast', { text: 'hello once', idem: 'once' }],
  ['POST', 'reaction', { reaction_type: 'like', target: 'https://a.example' }],
  ['POST', 'user/follow', { target_fids: [2] }],
  ['PATCH', 'user', { bio: 'gardens' }],
  ['POST', 'message', messageJson(toProtobuf(users[0].cast('signed', testNow - 5)))],
] as const

async function answers(options: Partial<TestApiOptions>) {
  const api = await createTestApi({ db, hub, clock, ...options })
  const replies = await Promise.all(
    requests.map(([method, path, body]) =>
      api.send(method, path, path === 'message' ? body : { signer_uuid, ...body }),
    ),
  )
  return replies.map((reply) => [reply.statusCode, reply.json().code, reply.headers['retry-after']])
}

const unavailable = requests.map(() => [503, 'Unavailable', '1'])

it('a full queue of the hub -> 503', async () => {
  const submit = () => Promise.reject(new PlazaError('unavailable', 'too many messages wait'))
  expect(await answers({ hub: { ...hub, submit } })).toEqual(unavailable)
})

it('no signature checks -> 503', async () => {
  const submit: typeof hub.submit = async (messages) => messages.map(() => refuse('unavailable', 'too many'))
  expect(await answers({ hub: { ...hub, submit } })).toEqual(unavailable)
})

it('an unreachable database -> 503', async () => {
  const closedDb = connect({ poolSize: 1 })
  await closedDb.end()
  const api = await createTestApi({ db, hub, clock, writerDb: closedDb })
  const reply = await api.send('POST', 'cast', { signer_uuid, text: 'hello @bob' })
  expect([reply.statusCode, reply.json().code]).toEqual([503, 'Unavailable'])
})

it('after an outage, a retry succeeds', async () => {
  const api = await createTestApi({ db, hub, clock })
  for (const [method, path, body] of requests) {
    bodyOf(await api.send(method, path, path === 'message' ? body : { signer_uuid, ...body }))
  }
  expect(await db`select from social.casts where text like 'hello%'`).toHaveLength(2)
})
