import { fromFarcasterTime } from '@farcaster/core'
import { describe, expect, it } from 'vitest'
import {
  farcasterSecondsFromUnixMs,
  farcasterSecondsFromUnixSeconds,
  unixMsFromFarcasterSeconds,
  unixSecondsFromFarcasterSeconds,
} from './time.js'

describe('Farcaster time', () => {
  it('starts in 2021', () => {
    expect(farcasterSecondsFromUnixMs(Date.UTC(2021, 0, 1))).toBe(0)
    expect(new Date(unixMsFromFarcasterSeconds(0)).toISOString()).toBe('2021-01-01T00:00:00.000Z')
  })

  it('converts both ways, like the protocol library', () => {
    expect(unixSecondsFromFarcasterSeconds(farcasterSecondsFromUnixSeconds(1_761_757_200))).toBe(
      1_761_757_200,
    )
    expect(unixMsFromFarcasterSeconds(180_000_000)).toBe(fromFarcasterTime(180_000_000)._unsafeUnwrap())
  })

  it('rounds down to whole seconds', () => {
    expect(farcasterSecondsFromUnixMs(Date.UTC(2021, 0, 1) + 1999)).toBe(1)
  })
})
