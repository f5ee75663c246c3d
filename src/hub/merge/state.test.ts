import { expect, test } from 'vitest'
import { nameTransfer, TestUser, testNow } from '../../../test/network.js'
import { UserDataType } from '../../protocol/definitions.js'
import { conflictKeyOf } from './merge-message.js'
import { toStoredMessage } from './stored-message.js'
import { createBatchState } from './testing/batch-state-fixture.js'

const alice = new TestUser(1)
const [one, two] = ['one', 'two'].map((text) => alice.userData(UserDataType.BIO, text, testNow))
const conflictKey = conflictKeyOf(one!)!
const [before, after] = [toStoredMessage(conflictKey, one!), toStoredMessage(conflictKey, two!)]

test('loaded state that did not change is not written', () => {
  const state = createBatchState()
  state.load(conflictKey, before)
  state.loadName('alice', null)
  expect([state.changes(), state.nameChanges()]).toEqual([[], []])
  state.set(conflictKey, after)
  state.set(conflictKey, before)
  expect(state.changes()).toEqual([])
})

test('the first load of a conflict key counts, and changes are relative to it', () => {
  const state = createBatchState()
  state.load(conflictKey, before)
  state.load(conflictKey, null)
  expect([...state.storedMessagesOf(1)]).toEqual([before])
  expect(state.isChangedByBatch(conflictKey)).toBe(false)
  state.set(conflictKey, after)
  expect([...state.storedMessagesOf(1)]).toEqual([after])
  expect(state.isChangedByBatch(conflictKey)).toBe(true)
  expect(state.changes()).toEqual([{ conflictKey, before, after }])
})

test('a name change has its loaded and its new holder', () => {
  const state = createBatchState()
  const proofs = [1, 2].map((fid) => nameTransfer('alice', fid, fid))
  const [first, second] = proofs.map((proof) => ({ name: 'alice', fid: proof.fid, proof, messageHash: null }))
  state.loadName('alice', first!)
  state.setName('alice', second!)
  state.setName('bob', first!)
  expect(state.nameChanges()).toEqual([
    { name: 'alice', before: first, after: second },
    { name: 'bob', before: null, after: first },
  ])
  expect([state.name('alice'), state.name('carol')]).toEqual([second, null])
})
