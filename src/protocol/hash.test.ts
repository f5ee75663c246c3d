import { describe, expect, it } from 'vitest'
import { messageHash } from './hash.js'

describe('messageHash', () => {
  it('is the first 20 bytes of BLAKE3', () => {
    // The published test vector of the empty input.
    expect(messageHash(Buffer.alloc(0)).toString('hex')).toBe('af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9')
  })
})
