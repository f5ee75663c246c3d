import { expect, test } from 'vitest'
import { TestUser, testNow } from '../../../test/network.js'
import { type Refusal, refuse } from '../../errors.js'
import type { MergeBatch, MergeOutcomes } from './merge.js'
import { type MergeItem, ShardWriter, type ShardWriterOptions } from './shard-writer.js'

const user = new TestUser(1)

function cast(text: string): MergeItem & { kind: 'message' } {
  return { kind: 'message', message: user.cast(text, testNow) }
}

/** A writer over a merge that keeps the batches it is given and lets `decide` answer for each message. */
function writer(
  decide: (text: string, batch: MergeBatch) => Refusal | null = () => null,
  options: Partial<ShardWriterOptions> = {},
) {
  const batches: string[][] = []
  const merge = async (batch: MergeBatch): Promise<MergeOutcomes> => {
    const texts = batch.messages.map(({ data }) => data.castAddBody!.text)
    batches.push(texts)
    await new Promise((resolve) => setImmediate(resolve))
    const messages = texts.map((text) => decide(text, batch))
    return { chainEvents: batch.chainEvents.map(() => null), nameTransfers: [], messages }
  }
  const shardWriter = new ShardWriter({
    merge,
    isRetryable: (error) => error instanceof Error && error.message === 'deadlock',
    isUnavailable: (error) => error instanceof Error && error.message === 'gone',
    ...options,
  })
  return { shardWriter, batches }
}

test('what is submitted while a batch is merged becomes the next batch', async () => {
  const { shardWriter, batches } = writer()
  const first = ['a', 'b'].map((text) => shardWriter.submit(cast(text)))
  await new Promise((resolve) => setImmediate(resolve))
  const second = ['c', 'd', 'e'].map((text) => shardWriter.submit(cast(text)))
  await Promise.all([...first, ...second])
  expect(batches).toEqual([
    ['a', 'b'],
    ['c', 'd', 'e'],
  ])
})

test('everybody gets the answer to what they asked, across kinds and batches', async () => {
  const { shardWriter } = writer((text) => (text === 'b' ? refuse('bad_request.conflict', 'older') : null), {
    batchSize: 2,
  })
  const event: MergeItem = { kind: 'chainEvent', event: user.registered() }
  const outcomes = await Promise.all(
    [cast('a'), event, cast('b'), cast('c')].map((item) => shardWriter.submit(item)),
  )
  expect(outcomes.map((outcome) => outcome?.code ?? null)).toEqual([null, null, 'bad_request.conflict', null])
})

test('one item that breaks the merge fails alone', async () => {
  const { shardWriter } = writer((text) => {
    if (text === 'poison') throw new Error('broken')
    return null
  })
  const texts = ['a', 'b', 'poison', 'c', 'd']
  const settled = await Promise.allSettled(texts.map((text) => shardWriter.submit(cast(text))))
  expect(settled.map((result) => result.status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
  ])
})

test('a deadlock is tried again, a database that is away is told to everybody at once', async () => {
  let attempts = 0
  const retried = writer(() => {
    attempts += 1
    if (attempts < 3) throw new Error('deadlock')
    return null
  })
  expect(await retried.shardWriter.submit(cast('a'))).toBeNull()

  const away = writer(() => {
    throw new Error('gone')
  })
  const settled = await Promise.allSettled(['a', 'b'].map((text) => away.shardWriter.submit(cast(text))))
  expect(settled.map((result) => result.status === 'rejected' && result.reason.code)).toEqual([
    'unavailable',
    'unavailable',
  ])
  expect(away.batches).toHaveLength(1)
})

test('a queue that is full refuses, and takes again once it has drained', async () => {
  const { shardWriter } = writer(undefined, { queueSize: 2 })
  const taken = ['a', 'b'].map((text) => shardWriter.submit(cast(text)))
  await expect(shardWriter.submit(cast('c'))).rejects.toMatchObject({ code: 'unavailable' })
  await Promise.all(taken)
  await shardWriter.drain()
  expect(await shardWriter.submit(cast('d'))).toBeNull()
})
