import { expect, test, vi } from 'vitest'
import { nameTransfer, TestUser, testNow } from '../../../test/network.js'
import { PlazaError, type Refusal, refuse } from '../../platform/errors.js'
import type { MergeBatch, MergeOutcomes } from './batch.js'
import { type MergeItem, ShardWriter, type ShardWriterOptions } from './shard-writer.js'

const user = new TestUser(1)

function cast(text: string): MergeItem & { kind: 'message' } {
  return { kind: 'message', message: user.cast(text, testNow) }
}

/** A writer over a merge that records its batches; `decide` answers for each message. */
function writer(
  decide: (text: string, batch: MergeBatch) => Refusal | null = () => null,
  options: Partial<ShardWriterOptions> = {},
) {
  const batches: string[][] = []
  const merge = async (batch: MergeBatch): Promise<MergeOutcomes> => {
    const texts = batch.messages.map(({ data }) => data.castAddBody?.text ?? 'loan')
    batches.push(texts)
    await new Promise((resolve) => setImmediate(resolve))
    const messages = texts.map((text) => decide(text, batch))
    return { chainEvents: batch.chainEvents.map(() => null), nameTransfers: [], messages }
  }
  const shardWriter = new ShardWriter({
    merge,
    isRetryable: (error) => error instanceof Error && error.message === 'deadlock',
    isBeyondLimits: (error) => error instanceof Error && error.message === 'too large',
    unavailableError: (error) =>
      error instanceof Error && (error.message === 'gone' || error.message === 'too large')
        ? new PlazaError('unavailable', 'the database is unavailable', { cause: error })
        : null,
    ...options,
  })
  return { shardWriter, batches }
}

test('items submitted during a merge form the next batch', async () => {
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

test('a loan of storage is a batch of its own', async () => {
  const { shardWriter, batches } = writer()
  const loan: MergeItem = { kind: 'message', message: user.lendStorage(2, 5, 2, testNow) }
  await Promise.all([cast('a'), cast('b'), loan, loan, cast('c')].map((item) => shardWriter.submit(item)))
  expect(batches).toEqual([['a', 'b'], ['loan'], ['loan'], ['c']])
})

test('while the process is busy, an item that comes soon after a batch waits for others', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    let third: Promise<Refusal | null> | undefined
    const { shardWriter, batches } = writer(() => null, {
      isBusy: () => {
        if (third !== undefined) vi.advanceTimersByTime(25)
        third ??= shardWriter.submit(cast('c'))
        return true
      },
    })
    await shardWriter.submit(cast('a'))
    await shardWriter.submit(cast('b'))
    await third
    expect(batches).toEqual([['a'], ['b', 'c']])
  } finally {
    vi.useRealTimers()
  }
})

test('the more items wait, the sooner they are a batch', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const { shardWriter, batches } = writer(() => null, { isBusy: () => true })
    await shardWriter.submit(cast('a'))
    vi.advanceTimersByTime(10)
    const texts = ['b', 'c', 'd', 'e', 'f']
    await Promise.all(texts.map((text) => shardWriter.submit(cast(text))))
    expect(batches).toEqual([['a'], texts])
  } finally {
    vi.useRealTimers()
  }
})

test('each sender gets its own outcome, across kinds and batches', async () => {
  const { shardWriter } = writer((text) => (text === 'b' ? refuse('bad_request.conflict', 'older') : null), {
    batchSize: 2,
  })
  const event: MergeItem = { kind: 'chainEvent', event: user.registered() }
  const outcomes = await Promise.all(
    [cast('a'), event, cast('b'), cast('c')].map((item) => shardWriter.submit(item)),
  )
  expect(outcomes.map((outcome) => outcome?.code ?? null)).toEqual([null, null, 'bad_request.conflict', null])
})

test('an item that breaks the merge fails alone', async () => {
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

test('a deadlock is repeated; an unavailable database fails the whole batch at once', async () => {
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

test('a batch that is too large for the database is merged in parts, in the order of its items', async () => {
  const { shardWriter, batches } = writer((_, { messages }) => {
    if (messages.length > 2) throw new Error('too large')
    return null
  })
  const texts = ['a', 'b', 'c', 'd', 'e']
  const outcomes = await Promise.all(texts.map((text) => shardWriter.submit(cast(text))))
  expect(outcomes).toEqual(texts.map(() => null))
  expect(batches.filter(({ length }) => length <= 2)).toEqual([['a', 'b'], ['c'], ['d', 'e']])
})

test('a database that is slow or goes away within a batch: no item is merged without those before it', async () => {
  for (const reason of ['too large', 'gone']) {
    const { shardWriter, batches } = writer((_, { messages }) => {
      const texts = messages.map(({ data }) => data.castAddBody!.text)
      if (texts.length > 2) throw new Error('too large')
      if (texts.includes('c')) throw new Error(reason)
      return null
    })
    const texts = ['a', 'b', 'c', 'd', 'e', 'f']
    const settled = await Promise.allSettled(texts.map((text) => shardWriter.submit(cast(text))))
    const outcomes = settled.map((result) => (result.status === 'rejected' ? result.reason.code : 'merged'))
    expect(outcomes).toEqual(['merged', 'merged', ...['c', 'd', 'e', 'f'].map(() => 'unavailable')])
    expect(batches.at(-1)).toEqual(['c'])
    // The next batch is tried as ever.
    expect(await shardWriter.submit(cast('g'))).toBeNull()
  }
})

test('a full queue refuses, and accepts again after it has drained', async () => {
  const { shardWriter } = writer(undefined, { queueSize: 2 })
  const applied = ['a', 'b'].map((text) => shardWriter.submit(cast(text)))
  await expect(shardWriter.submit(cast('c'))).rejects.toMatchObject({ code: 'unavailable' })
  await Promise.all(applied)
  await shardWriter.drain()
  expect(await shardWriter.submit(cast('d'))).toBeNull()
})

test('every item reaches the merge as its kind, and its outcome returns to its sender', async () => {
  const seen: MergeBatch[] = []
  const merge = async (batch: MergeBatch): Promise<MergeOutcomes> => {
    seen.push(batch)
    const no = (what: string) => [null, refuse('bad_request.conflict', what)]
    return {
      chainEvents: no('event'),
      nameTransfers: no('transfer'),
      messages: no('message'),
      upstreamRemovals: no('upstreamRemoval'),
    }
  }
  const shardWriter = new ShardWriter({
    merge,
    isRetryable: () => false,
    isBeyondLimits: () => false,
    unavailableError: () => null,
  })
  const events = [user.registered(), user.storageRentEvent(1)]
  const proofs = [1, 2].map((fid) => nameTransfer('name', fid, 100))
  const [ordinary, historical, one, two] = ['a', 'b', 'c', 'd'].map((text) => user.cast(text, testNow))
  const outcomes = await Promise.all(
    [
      { kind: 'message', message: ordinary! } as const,
      { kind: 'upstreamRemoval', message: one! } as const,
      ...events.map((event) => ({ kind: 'chainEvent', event }) as const),
      { kind: 'message', message: historical!, isHistorical: true } as const,
      ...proofs.map((proof) => ({ kind: 'nameTransfer', proof }) as const),
      { kind: 'upstreamRemoval', message: two! } as const,
    ].map((item) => shardWriter.submit(item)),
  )
  expect(seen).toMatchObject([
    {
      chainEvents: events,
      nameTransfers: proofs,
      messages: [ordinary, historical],
      upstreamRemovals: [one, two],
    },
  ])
  expect([...(seen[0]!.historical ?? [])]).toEqual([historical])
  expect(outcomes.map((outcome) => outcome?.message ?? null)).toEqual([
    null,
    null,
    null,
    'event',
    'message',
    null,
    'transfer',
    'upstreamRemoval',
  ])
})

test('a batch has at most `batchSize` items, and `queued` counts waiting ones', async () => {
  const { shardWriter, batches } = writer(undefined, { batchSize: 2 })
  const all = ['a', 'b', 'c', 'd', 'e'].map((text) => shardWriter.submit(cast(text)))
  expect(shardWriter.queued).toBe(5)
  await shardWriter.drain()
  expect(shardWriter.queued).toBe(0)
  expect(batches).toEqual([['a', 'b'], ['c', 'd'], ['e']])
  expect(await Promise.all(all)).toEqual([null, null, null, null, null])
})

test('the default batch has 1,000 items', async () => {
  const { shardWriter, batches } = writer()
  const one = cast('a')
  await Promise.all(Array.from({ length: 1001 }, () => shardWriter.submit(one)))
  expect(batches.map((batch) => batch.length)).toEqual([1000, 1])
})

test('a permanent deadlock fails after five attempts, another error at once', async () => {
  const failing = (text: string) => {
    throw new Error(text)
  }
  for (const [text, attempts] of [
    ['deadlock', 5],
    ['broken', 1],
  ] as const) {
    const { shardWriter, batches } = writer(failing)
    await expect(shardWriter.submit(cast(text))).rejects.toThrow(text)
    expect(batches).toHaveLength(attempts)
  }
})

test('a full queue and an unavailable database have different error texts', async () => {
  const { shardWriter } = writer(
    () => {
      throw new Error('gone')
    },
    { queueSize: 1 },
  )
  const waiting = shardWriter.submit(cast('a'))
  await expect(shardWriter.submit(cast('b'))).rejects.toThrow('too many messages are waiting to be merged')
  await expect(waiting).rejects.toMatchObject({
    message: 'the database is unavailable',
    cause: new Error('gone'),
  })
})
