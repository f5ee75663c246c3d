import { encodeMessage } from '../../src/protocol/codec.js'
import { FarcasterNetwork, MessageData } from '../../src/protocol/definitions.js'
import { mutateBytes, mutateData } from '../../src/protocol/testing/mutate.js'
import type { Random } from '../../src/protocol/testing/random.js'
import { type TestUser, testNow } from '../network.js'

/** Returns a signed well-formed garbage message, a damaged valid one, several of them, or noise. */
export function hostileMessage(random: Random, samples: readonly MessageData[], user: TestUser): Buffer {
  const data = random.pick(samples)
  const messageData = MessageData.fromPartial({
    ...data,
    fid: user.fid,
    timestamp: testNow - 1,
    network: FarcasterNetwork.DEVNET,
  })
  switch (random.below(5)) {
    case 0:
      return signed(mutateData(messageData, random, samples), user)
    case 1:
      return mutateBytes(signed(messageData, user), random)
    case 2: {
      const signedMessage = signed(messageData, user)
      return signedMessage.subarray(0, random.below(signedMessage.length))
    }
    case 3:
      return bulkBody([signed(messageData, user), mutateBytes(signed(messageData, user), random)])
    default:
      return random.bytes(random.below(200))
  }
}

/** Encodes and signs data; falls back to noise when it cannot be encoded. */
function signed(data: MessageData, user: TestUser): Buffer {
  try {
    return encodeMessage(user.key.sign(data))
  } catch {
    return Buffer.from('0a00', 'hex')
  }
}

/** The body of SubmitBulkMessages with these encoded messages. */
export function bulkBody(messages: readonly Buffer[]): Buffer {
  const parts = messages.flatMap((message) => {
    const length = message.length
    const varint = length < 128 ? [length] : [(length & 127) | 128, length >> 7]
    return [Buffer.from([0x0a, ...varint]), message]
  })
  return Buffer.concat(parts)
}
