import { describe, expect, test } from 'vitest'
import { TestUser, testNow } from '../../../../test/network.js'
import { FarcasterNetwork, HubEventType, StorageUnitType } from '../../../protocol/definitions.js'
import { mergeMessage } from '../merge-message.js'
import type { BatchState } from '../state.js'
import { type BatchStateFixture, createBatchState } from '../testing/batch-state-fixture.js'
import { refusalTexts, storedHashes, withStored } from '../testing/in-memory-merges.js'

const alice = new TestUser(1)
const bob = new TestUser(2)
const { UNIT_TYPE_LEGACY: legacy, UNIT_TYPE_2024: y2024, UNIT_TYPE_2025: y2025 } = StorageUnitType
const noUnits = { legacy: 0, y2024: 0, y2025: 0 }

describe('storage loans', () => {
  const refusal = 'insufficient storage'

  function lender(account: NonNullable<BatchStateFixture['accounts']>[number]): BatchState {
    return createBatchState({ accounts: [account] })
  }

  test('are of one unit type, of which the lender keeps one unit', () => {
    const ownUnits = { legacy: 3, y2024: 4, y2025: 5 }
    for (const [type, most] of [
      [legacy, 2],
      [y2024, 3],
      [y2025, 4],
    ] as const) {
      const state = lender({ fid: 1, ownUnits })
      expect(
        refusalTexts(
          state,
          alice.lendStorage(2, most + 1, type, testNow),
          alice.lendStorage(2, most, type, testNow),
        ),
      ).toEqual([refusal, null])
    }
  })

  test('never lend a unit twice, in one batch or in two', () => {
    const state = lender({ fid: 1, ownUnits: { ...noUnits, y2025: 10 }, lentUnits: { ...noUnits, y2025: 4 } })
    const loans = [3, 3, 2].map((units, n) => alice.lendStorage(n + 2, units, y2025, testNow))
    expect(refusalTexts(state, ...loans)).toEqual([null, refusal, null])
    // Other lenders and unit types are not affected.
    expect(refusalTexts(state, bob.lendStorage(1, 9, y2025, testNow))).toEqual([null])
  })

  test('can be renewed with more or fewer units', () => {
    const state = lender({ fid: 1, ownUnits: { ...noUnits, y2025: 10 }, lentUnits: { ...noUnits, y2025: 6 } })
    withStored(state, alice.lendStorage(2, 6, y2025, testNow - 9))
    expect(
      refusalTexts(
        state,
        alice.lendStorage(2, 10, y2025, testNow - 8),
        alice.lendStorage(2, 9, y2025, testNow - 7),
      ),
    ).toEqual([refusal, null])
    expect(refusalTexts(state, alice.lendStorage(3, 1, y2025, testNow))).toEqual([refusal])
    expect(
      refusalTexts(
        state,
        alice.lendStorage(2, 2, y2025, testNow - 6),
        alice.lendStorage(3, 7, y2025, testNow),
      ),
    ).toEqual([null, null])
  })

  test('a loan that changes its unit type frees the former units', () => {
    const state = lender({
      fid: 1,
      ownUnits: { ...noUnits, y2024: 3, y2025: 3 },
      lentUnits: { ...noUnits, y2024: 2 },
    })
    withStored(state, alice.lendStorage(2, 2, y2024, testNow - 9))
    expect(refusalTexts(state, alice.lendStorage(3, 1, y2024, testNow))).toEqual([refusal])
    expect(
      refusalTexts(state, alice.lendStorage(2, 2, y2025, testNow), alice.lendStorage(3, 2, y2024, testNow)),
    ).toEqual([null, null])
  })

  test('a loan that ends frees its units for others of the batch', () => {
    const state = lender({ fid: 1, ownUnits: { ...noUnits, y2025: 10 }, lentUnits: { ...noUnits, y2025: 9 } })
    withStored(state, alice.lendStorage(2, 9, y2025, testNow - 9))
    const [end, tooMuch, other] = [
      alice.lendStorage(2, 0, y2025, testNow),
      alice.lendStorage(3, 10, y2025, testNow),
      alice.lendStorage(3, 9, y2025, testNow),
    ]
    expect(refusalTexts(state, other, end, tooMuch, other)).toEqual([refusal, null, refusal, null])
  })

  test('on mainnet need 1,000 own units of the type', () => {
    const onMainnet = (units: number) =>
      alice.key.sign({
        ...alice.lendStorage(2, units, y2025, testNow).data,
        network: FarcasterNetwork.MAINNET,
      })
    const own = (units: number, isMainnet = true) =>
      createBatchState({
        accounts: [{ fid: 1, ownUnits: { legacy: 2000, y2024: 2000, y2025: units } }],
        isMainnet,
      })
    expect(refusalTexts(own(999), onMainnet(1))).toEqual([refusal])
    expect(refusalTexts(own(1000), onMainnet(999))).toEqual([null])
    expect(refusalTexts(own(0), onMainnet(0))).toEqual([null])
    // Other networks take messages of mainnet, too.
    expect(refusalTexts(own(5, false), onMainnet(4))).toEqual([null])
  })

  test('of 0 units end without own units, and store no message', () => {
    const state = lender({ fid: 1, ownUnits: noUnits })
    const [loan, end] = [alice.lendStorage(2, 6, y2025, testNow - 9), alice.lendStorage(2, 0, y2025, testNow)]
    withStored(state, loan)
    expect(refusalTexts(state, end)).toEqual([null])
    expect(storedHashes(state)).toEqual([])
    expect(state.events.map(({ fid, body }) => ({ fid, ...body }))).toEqual([
      { fid: 1, type: HubEventType.MERGE_MESSAGE, message: end, deletedMessages: [loan] },
      { fid: 1, type: HubEventType.PRUNE_MESSAGE, message: end },
    ])
  })

  test('historical ones are not checked', () => {
    const loan = alice.lendStorage(2, 600, y2025, testNow)
    expect(refusalTexts(createBatchState({ historical: [loan] }), loan)).toEqual([null])
    expect(mergeMessage(loan, createBatchState())).toEqual({
      code: 'bad_request.validation_failure',
      message: refusal,
    })
  })
})
