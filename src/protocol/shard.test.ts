import { describe, expect, it } from 'vitest'
import { MessageType } from './definitions.js'
import { messageKinds } from './message-kinds.js'
import { isOfShardZero, shardOf } from './shard.js'

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

describe('isOfShardZero', () => {
  it('knows for every type whether the reference node merges it on its shard 0', () => {
    const shards = messageKinds.map(({ type }) => {
      const [before, since] = [false, true].map((hasV21) => isOfShardZero(type, hasV21))
      return [MessageType[type], before ? 'shard 0' : since ? 'shard 0 since V21' : 'shard of the user']
    })
    expect(Object.fromEntries(shards)).toEqual({
      CAST_ADD: 'shard of the user',
      CAST_REMOVE: 'shard of the user',
      REACTION_ADD: 'shard of the user',
      REACTION_REMOVE: 'shard of the user',
      LINK_ADD: 'shard of the user',
      LINK_REMOVE: 'shard of the user',
      LINK_COMPACT_STATE: 'shard of the user',
      VERIFICATION_ADD_ETH_ADDRESS: 'shard 0 since V21',
      VERIFICATION_REMOVE: 'shard 0 since V21',
      USER_DATA_ADD: 'shard of the user',
      USERNAME_PROOF: 'shard of the user',
      FRAME_ACTION: 'shard of the user',
      LEND_STORAGE: 'shard 0',
      KEY_ADD: 'shard 0',
      KEY_REMOVE: 'shard 0',
      CHANNEL_UPDATE: 'shard 0',
      CHANNEL_MEMBER: 'shard 0',
      CHANNEL_PIN: 'shard 0',
      CHANNEL_MODERATE: 'shard 0',
    })
  })
})
