import { describe, expect, it } from 'vitest'
import { shardOf } from './shard.js'

describe('shardOf', () => {
  it('returns shard 1 of 2 for the fid of the documentation', () => {
    expect(shardOf(310_826, 2)).toBe(1)
  })

  it('spreads fids over shards 1 to n', () => {
    const counts = [0, 0, 0, 0]
    for (let fid = 1; fid <= 4000; fid++) counts[shardOf(fid, 3)]!++
    expect(counts[0]).toBe(0)
    for (const count of counts.slice(1)) expect(count).toBeGreaterThan(1200)
  })

  it('supports one shard, and fids above 32 bits', () => {
    expect(shardOf(5, 1)).toBe(1)
    expect(shardOf(2 ** 32 + 310_826, 2)).toBe(1)
  })
})
