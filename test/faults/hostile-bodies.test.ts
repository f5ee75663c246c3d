import { expect, test } from 'vitest'
import { encodeMessage } from '../../src/protocol/codec.js'
import { seededRandom } from '../../src/protocol/testing/random.js'
import { validSamples } from '../../src/protocol/testing/sample-messages.js'
import { createTestDatabase } from '../database.js'
import { openHubApi, type TestReply } from '../hub-api.js'
import { TestUser, testNow } from '../network.js'
import { hostileMessage } from './hostile-messages.js'

/** `HOSTILE_BODIES=100000` runs it for long. */
const bodies = Number(process.env.HOSTILE_BODIES ?? 8_000)
const bodyLimit = 64 * 1024
const { db } = await createTestDatabase()
const api = await openHubApi(db, { config: { bodyLimit } })
const user = new TestUser(1)
const paths = ['/v1/submitMessage', '/v1/validateMessage', '/v1/submitBulkMessages']

/** Overlong varints, lengths around powers of two, groups, deep nesting, empty bodies. */
const craftedBodies = [
  Buffer.alloc(0),
  Buffer.from('ffffffffffffffffffff', 'hex'),
  Buffer.from('0affffffff0f', 'hex'),
  Buffer.from('0a8080808010', 'hex'),
  Buffer.from('3aff7f', 'hex'),
  Buffer.from('0b0b0b0b0b0c0c', 'hex'),
  Buffer.concat(Array.from({ length: 500 }, () => Buffer.from('0a0a', 'hex'))),
  Buffer.alloc(bodyLimit - 1, 0x0a),
  Buffer.alloc(bodyLimit + 1, 0x08),
  Buffer.from('\u0000{"data":{}}'),
]

function expectAnswered(reply: TestReply): void {
  expect(reply.status).toBeLessThan(500)
  if (reply.status >= 400) {
    expect(Object.keys(reply.body)).toEqual(
      expect.arrayContaining(['error', 'error_detail', 'errCode', 'code']),
    )
  }
}

test(`${bodies} hostile bodies are each answered, none with a server error`, async () => {
  await api.hub.submitOnChainEvents(user.onChain({ units: 100 }))
  const random = seededRandom(20_261_120)
  const samples = Object.values(await validSamples())
  for (const path of paths) {
    for (const each of craftedBodies) expectAnswered(await api.post(path, each))
  }
  for (let sent = 0; sent < bodies; sent += 24) {
    const replies = Array.from({ length: 24 }, (_, n) =>
      api.post(paths[(sent + n) % paths.length]!, hostileMessage(random, samples, user)),
    )
    for (const reply of await Promise.all(replies)) expectAnswered(reply)
  }
  const cast = user.cast('still here', testNow)
  expect((await api.post('/v1/submitMessage', encodeMessage(cast))).status).toBe(200)
})
