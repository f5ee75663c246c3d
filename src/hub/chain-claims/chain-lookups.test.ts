import { beforeEach, describe, expect, it } from 'vitest'
import { startRpcProxy } from '../../../test/chain/rpc-proxy.js'
import { refusalError } from '../../platform/errors.js'
import { callerAt, callerOfKey } from '../../platform/limits/caller-name.js'
import { type ChainLookupOptions, type LookupOutcome, lookupsFor } from './chain-lookups.js'
import { testLookups } from './testing/claim-scene.js'

// It answers with the id of its chain, which is all that these questions need.
const rpc = await startRpcProxy('http://127.0.0.1:9')
rpc.faults = { chainId: 10 }
const TIMEOUT_MS = 60_000
const tooMany = {
  refusal: { code: 'unavailable', message: 'too many questions wait for ethereum: try again later' },
}

let nowMs = 0
let outcomes: LookupOutcome[] = []
beforeEach(() => {
  nowMs = 0
  outcomes = []
})

function lookupsOf(options: Partial<ChainLookupOptions> = {}) {
  return testLookups(
    { ethereum: [rpc.url], base: [rpc.url] },
    {
      timeoutMs: TIMEOUT_MS,
      clock: () => nowMs,
      onOutcome: (_, outcome) => outcomes.push(outcome),
      ...options,
    },
  )
}

/** Questions that are answered when the test says so, in the order in which they start. */
function heldQuestions() {
  const started: ((answer: string) => void)[] = []
  const work = () => new Promise<string>((resolve) => started.push(resolve))
  const running = (count: number) => expect.poll(() => started.length).toBe(count)
  return { started, work, running }
}

describe('questions to one chain', () => {
  it('run only so many at once; the others follow in their order', async () => {
    const lookups = lookupsOf({ maxConcurrent: 2 })
    const { started, work, running } = heldQuestions()
    for (let round = 0; round < 2; round += 1) {
      started.length = 0
      const asked = ['a', 'b', 'c', 'd'].map(() => lookups.ask('ethereum', work))
      await running(2)
      started[0]!('first')
      expect(await asked[0]).toEqual({ answer: 'first' })
      await running(3)
      started[2]!('third')
      expect(await asked[2]).toEqual({ answer: 'third' })
      await running(4)
      started[1]!('second')
      started[3]!('fourth')
      expect(await Promise.all(asked)).toHaveLength(4)
    }
    expect(outcomes).toEqual(Array.from({ length: 8 }, () => 'answered'))
  })

  it('are refused when too many wait already, those of another chain are not', async () => {
    const lookups = lookupsOf({ maxConcurrent: 1, maxWaiting: 1 })
    const { started, work, running } = heldQuestions()
    const asked = [lookups.ask('ethereum', work), lookups.ask('ethereum', work)]
    expect(await lookups.ask('ethereum', work)).toEqual(tooMany)
    expect(outcomes).toEqual(['overloaded'])
    expect(await lookups.ask('base', async () => 'other')).toEqual({ answer: 'other' })
    await running(1)
    started[0]!('first')
    await running(2)
    started[1]!('second')
    expect(await Promise.all(asked)).toEqual([{ answer: 'first' }, { answer: 'second' }])
  })

  it('wait for as long as one may take, and no longer', async () => {
    const lookups = lookupsOf({ maxConcurrent: 1 })
    const { started, work, running } = heldQuestions()
    const first = lookups.ask('ethereum', work)
    const inTime = lookups.ask('ethereum', work)
    const tooLate = lookups.ask('ethereum', work)
    await running(1)
    nowMs = TIMEOUT_MS
    started[0]!('first')
    expect(await first).toEqual({ answer: 'first' })
    await running(2)
    nowMs += 1
    started[1]!('in time')
    expect(await inTime).toEqual({ answer: 'in time' })
    expect(await tooLate).toEqual(tooMany)
    expect(outcomes).toEqual(['answered', 'answered', 'overloaded'])
    // A refused question has passed its turn on.
    expect(await lookups.ask('ethereum', async () => 'next')).toEqual({ answer: 'next' })
  })

  it('count as failed when no URL answers, and pass their turn on', async () => {
    const lookups = lookupsOf({ maxConcurrent: 1 })
    const failed = await lookups.ask('ethereum', () => Promise.reject(new Error('no')))
    expect(failed).toEqual({
      refusal: {
        code: 'unavailable',
        message: 'too few RPC endpoints answered (ethereum): try again later',
      },
    })
    expect(await lookups.ask('ethereum', async () => 'next')).toEqual({ answer: 'next' })
    expect(outcomes).toEqual(['failed', 'answered'])
  })

  it('count as a mismatch when URLs differ', async () => {
    let answers = 0
    const lookups = testLookups(
      { ethereum: [rpc.url, `${rpc.url}/other`] },
      { onOutcome: (_, outcome) => outcomes.push(outcome) },
    )
    expect(await lookups.ask('ethereum', async () => answers++)).toMatchObject({
      refusal: { code: 'unavailable', message: expect.stringContaining('different answers (ethereum)') },
    })
    expect(outcomes).toEqual(['mismatch'])
  })

  it('count as not configured on a chain without URLs', async () => {
    const lookups = lookupsOf()
    expect([lookups.isConfigured('base'), lookups.isConfigured('optimism')]).toEqual([true, false])
    expect(await lookups.ask('optimism', async () => 'never')).toMatchObject({
      refusal: { code: 'not_configured' },
    })
    expect(outcomes).toEqual(['not_configured'])
  })
})

it('ten questions a minute are allowed to each asker, then the refusal says how long to wait', () => {
  const lookups = lookupsOf()
  const count = (asker: number | string) => lookups.countFor(asker)
  expect(Array.from({ length: 10 }, () => count(1))).toEqual(Array.from({ length: 10 }, () => null))
  const refusal = count(1)
  const wait = /^too many names and wallets to look up: wait (\d+) s$/
  expect(refusal?.code).toBe('bad_request.rate_limited')
  const [, seconds] = wait.exec(refusal!.message)!
  expect(refusalError(refusal!)).toMatchObject({ retryAfterSeconds: Number(seconds) })
  expect(count('0x01')).toBeNull()
  nowMs += Number(seconds) * 1000
  expect(count(1)).toBeNull()
})

it('what strangers ask about a wallet does not use up what its owner may ask', () => {
  const lookups = lookupsOf()
  const stranger = lookupsFor(lookups, callerAt('192.0.2.1'))
  const counts = Array.from({ length: 11 }, () => stranger.countFor('0x01')?.code ?? null)
  expect(counts.slice(-2)).toEqual([null, 'bad_request.rate_limited'])
  expect(lookupsFor(lookups, callerAt('192.0.2.2')).countFor('0x01')).toBeNull()
  expect(lookupsFor(lookups, callerOfKey(1)).countFor('0x01')).toBeNull()
})
