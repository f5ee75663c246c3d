import { getStoreLimits } from '@farcaster/core'
import { describe, expect, it } from 'vitest'
import { FarcasterNetwork, StorageUnitType } from '../protocol/definitions.js'
import { MessageSet } from '../protocol/message-kind.js'
import { StorageUnitDetails, StoreType } from '../protocol/proto/generated/request_response.js'
import { limitsOf, storageUnitOf } from './storage-limits.js'

describe('limitsOf', () => {
  it('agrees with the protocol library for every generation of units', () => {
    const stores = [
      [MessageSet.casts, StoreType.CASTS],
      [MessageSet.reactions, StoreType.REACTIONS],
      [MessageSet.links, StoreType.LINKS],
      [MessageSet.verifications, StoreType.VERIFICATIONS],
      [MessageSet.userData, StoreType.USER_DATA],
      [MessageSet.usernameProofs, StoreType.USERNAME_PROOFS],
    ] as const
    const limits = limitsOf({ legacy: 2, y2024: 3, y2025: 5 })
    const theirs = getStoreLimits([
      StorageUnitDetails.create({ unitType: StorageUnitType.UNIT_TYPE_LEGACY, unitSize: 2 }),
      StorageUnitDetails.create({ unitType: StorageUnitType.UNIT_TYPE_2024, unitSize: 3 }),
      StorageUnitDetails.create({ unitType: StorageUnitType.UNIT_TYPE_2025, unitSize: 5 }),
    ])
    for (const [set, store] of stores) {
      expect(limits[set]).toBe(theirs.find((limit) => limit.storeType === store)?.limit)
    }
    expect(limits[MessageSet.lends]).toBe(10)
  })

  it('no units -> no messages', () => {
    const { [MessageSet.keys]: keys, ...rest } = limitsOf({ legacy: 0, y2024: 0, y2025: 0 })
    expect(new Set(Object.values(rest))).toEqual(new Set([0]))
    expect(keys).toBe(Number.POSITIVE_INFINITY)
  })
})

describe('a unit', () => {
  const { UNIT_TYPE_LEGACY: legacy, UNIT_TYPE_2024: y2024, UNIT_TYPE_2025: y2025 } = StorageUnitType
  const { MAINNET, TESTNET, DEVNET } = FarcasterNetwork

  it.each([
    [MAINNET, 1_724_889_600, [legacy, 4], [y2024, 3]],
    [MAINNET, 1_752_685_200, [y2024, 3], [y2025, 2]],
    [MAINNET, 1_782_147_600, [y2025, 2], [y2025, 1]],
    [TESTNET, 1_724_889_600, [legacy, 4], [y2024, 3]],
    [TESTNET, 1_752_426_000, [y2024, 3], [y2025, 2]],
    [DEVNET, 1_781_283_600, [y2025, 2], [y2025, 1]],
  ])('of network %d changes its terms at %d', (network, atUnix, before, after) => {
    const termsOf = (rentedAt: number) => {
      const { type, expiresAt } = storageUnitOf(rentedAt, network)
      return [type, (expiresAt - rentedAt) / (365 * 86_400)]
    }
    expect([termsOf(atUnix - 1), termsOf(atUnix)]).toEqual([before, after])
  })
})
