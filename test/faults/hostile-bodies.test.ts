import { expect, test } from 'vitest'
import { encodeMessage } from '../../src/protocol/codec.js'
import { FarcasterNetwork, MessageData } from '../../src/protocol/definitions.js'
import { mutateBytes, mutateData } from '../../src/protocol/testing/mutate.js'
import { type Random, seededRandom } from '../../src/protocol/testing/random.js'
import { validSamples } from '../../src/protocol/testing/sample-messages.js'
import { createTestDatabase } from '../database.js'
import { openHubApi, type TestReply } from '../hub-api.js'
import { TestUser, testNow } from '../network.js'

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

/** Returns a signed well-formed garbage body, a damaged valid one, or noise. */
function body(random: Random, samples: readonly MessageData[]): Buffer {
  const data = random.pick(samples)
  const messageData = MessageData.fromPartial({
    ...data,
    fid: user.fid,
    timestamp: testNow - 1,
    network: FarcasterNetwork.DEVNET,
  })
  switch (random.below(5)) {
    case 0:
      return signed(mutateData(messageData, random, samples))
    case 1:
      return mutateBytes(signed(messageData), random)
    case 2: {
      const signedMessage = signed(messageData)
      return signedMessage.subarray(0, random.below(signedMessage.length))
    }
    case 3:
      return bulk([signed(messageData), mutateBytes(signed(messageData), random)])
    default:
      return random.bytes(random.below(200))
  }
}

/** Encodes and signs data; falls back to noise when it cannot be encoded. */
function signed(data: MessageData): Buffer {
  try {
    return encodeMessage(user.key.sign(data))
  } catch {
    return Buffer.from('0a00', 'hex')
  }
}

function bulk(messages: readonly Buffer[]): Buffer {
  const parts = messages.flatMap((message) => {
    const length = message.length
    const varint = length < 128 ? [length] : [(length & 127) | 128, length >> 7]
    return [Buffer.from([0x0a, ...varint]), message]
  })
  return Buffer.concat(parts)
}

function expectAnswered(reply: TestReply): void {
  expect(reply.status).toBeLessThan(500)
  if (reply.status >= 400) {
    expect(Object.keys(reply.body)).toEqual(
      expect.arrayContaining(['error', 'error_detail', 'errCode', 'code']),
    )
  }
}

test(`${bodies} hostile bodies are each answered, none with a server error`, {
  timeout: 240_000,
}, async () => {
  await api.hub.submitOnChainEvents(user.onChain({ units: 100 }))
  const random = seededRandom(20_261_120)
  const samples = Object.values(await validSamples())
  for (const path of paths) {
    for (const each of craftedBodies) expectAnswered(await api.post(path, each))
  }
  for (let sent = 0; sent < bodies; sent += 24) {
    const replies = Array.from({ length: 24 }, (_, n) =>
      api.post(paths[(sent + n) % paths.length]!, body(random, samples)),
    )
    for (const reply of await Promise.all(replies)) expectAnswered(reply)
  }
  const cast = user.cast('still here', testNow)
  expect((await api.post('/v1/submitMessage', encodeMessage(cast))).status).toBe(200)
})
