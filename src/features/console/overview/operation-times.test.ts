import { describe, expect, it } from 'vitest'
import { createMetrics } from '../../../platform/metrics.js'
import { mergeHistograms, type OperationHistogram, readHistograms } from './operation-times.js'

const histogram = (
  operation: string,
  requests: number,
  buckets: OperationHistogram['buckets'],
): OperationHistogram => ({ operation, requests, failures: 0, buckets })

const times = (requests: number, buckets: OperationHistogram['buckets']) => {
  const [merged] = mergeHistograms([[histogram('GET /a', requests, buckets)]])
  return [merged!.p50_ms, merged!.p99_ms]
}

describe('the times of operations', () => {
  it('are interpolated in the bucket of the quantile, in whatever order the buckets are', () => {
    const buckets: OperationHistogram['buckets'] = [
      [null, 100],
      [0.2, 100],
      [0.1, 60],
      [0.05, 20],
    ]
    expect(times(100, buckets)[0]).toBeCloseTo(87.5)
    expect(times(100, buckets)[1]).toBeCloseTo(197.5)
  })

  it('are those of the largest bound for what took longer, and 0 without requests', () => {
    expect(
      times(10, [
        [0.1, 4],
        [5, 4],
        [null, 10],
      ]),
    ).toEqual([5_000, 5_000])
    expect(times(0, [[0.1, 0]])).toEqual([0, 0])
    expect(times(0, [])).toEqual([0, 0])
  })

  it('are those of all processes together, most requests first', () => {
    const merged = mergeHistograms([
      [histogram('GET /few', 1, [[1, 1]]), { ...histogram('GET /many', 3, [[1, 3]]), failures: 2 }],
      [{ ...histogram('GET /many', 4, [[1, 4]]), failures: 1 }, histogram('GET /some', 5, [[1, 5]])],
    ])
    expect(merged).toMatchObject([
      { object: 'operation_times', operation: 'GET /many', requests: 7, failures: 3, p50_ms: 500 },
      { operation: 'GET /some', requests: 5, failures: 0 },
      { operation: 'GET /few', requests: 1 },
    ])
  })
})

it('the histograms of a process: every status of an operation together; only 500 and above failed, without 501', async () => {
  const metrics = createMetrics()
  for (const [status, seconds] of [
    [200, 0.001],
    [404, 0.001],
    [499, 0.001],
    [500, 1_000],
    [501, 0.001],
    [503, 0.001],
  ] as const) {
    metrics.requests.observe({ labels: { method: 'GET', route: '/a', status }, value: seconds })
  }
  metrics.requests.observe({ labels: { method: 'POST', route: '/a', status: 200 }, value: 0.001 })
  const [get, post, ...others] = await readHistograms(metrics)
  expect(others).toEqual([])
  expect(get).toMatchObject({ operation: 'GET /a', requests: 6, failures: 2 })
  expect(get!.buckets[0]).toEqual([expect.any(Number), 5])
  expect(get!.buckets.at(-1)).toEqual([null, 6])
  expect(new Set(get!.buckets.map(([bound]) => bound)).size).toBe(get!.buckets.length)
  expect(post).toMatchObject({ operation: 'POST /a', requests: 1, failures: 0 })
})
