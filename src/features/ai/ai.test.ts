import { expect, it } from 'vitest'
import type { Caller } from '../../api/caller.js'
import type { AiClient } from '../../platform/ai/ai-client.js'
import { type ErrorCode, PlazaError } from '../../platform/errors.js'
import { createCounter } from '../../platform/limits/counter.js'
import { limits } from '../../platform/limits/limits.js'
import { createAi } from './ai.js'

const caller = { keyId: 1 } as Caller

/** Requests for embeddings of a key that may have two a minute; the endpoint fails the first ones with this code. */
function embedderThatFails(code: ErrorCode, failures: number) {
  let sent = 0
  const client: AiClient = {
    chat: null,
    async embed() {
      sent += 1
      if (sent <= failures) throw new PlazaError(code, 'no answer')
      return [Float32Array.of(1)]
    },
    embeddingModel: 'meaningful',
  }
  return createAi(
    client,
    createCounter<number>(limits.aiRequests, () => 0, 2),
  ).embed!
}

it('requests that are not sent do not count against the limit of a key', async () => {
  const embed = embedderThatFails('unavailable', 5)
  for (let request = 0; request < 5; request += 1) {
    await expect(embed(caller, 'moon')).rejects.toMatchObject({ code: 'unavailable' })
  }
  expect(await embed(caller, 'moon')).toHaveLength(1)
  expect(await embed(caller, 'sun')).toHaveLength(1)
  await expect(embed(caller, 'stars')).rejects.toMatchObject({ code: 'bad_request.rate_limited' })
})

it('requests that the endpoint fails count', async () => {
  const embed = embedderThatFails('unavailable.other_side', 2)
  for (let request = 0; request < 2; request += 1) {
    await expect(embed(caller, 'moon')).rejects.toMatchObject({ code: 'unavailable.other_side' })
  }
  await expect(embed(caller, 'moon')).rejects.toMatchObject({ code: 'bad_request.rate_limited' })
})
