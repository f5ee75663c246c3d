import { UserDataType } from '@farcaster/core'
import { expect, test } from 'vitest'
import { nameTransfer, TestUser, testNow } from '../../../test/network.js'
import { slotOf } from './decide.js'
import { standingOf } from './standing.js'
import { groundOf } from './testing/ground.js'

const alice = new TestUser(1)
const [one, two] = ['one', 'two'].map((text) => alice.userData(UserDataType.BIO, text, testNow))
const slot = slotOf(one!)!
const [before, after] = [standingOf(slot, one!), standingOf(slot, two!)]

test('what was loaded and left is not written again', () => {
  const state = groundOf()
  state.load(slot, before)
  state.loadName('alice', null)
  expect([state.changes(), state.nameChanges()]).toEqual([[], []])
  state.set(slot, after)
  state.set(slot, before)
  expect(state.changes()).toEqual([])
})

test('a slot that is loaded twice holds one message, of which the batch knows what stood there', () => {
  const state = groundOf()
  state.load(slot, before)
  state.load(slot, null)
  expect([...state.standingOf(1)]).toEqual([before])
  expect(state.isFresh(slot)).toBe(false)
  state.set(slot, after)
  expect([...state.standingOf(1)]).toEqual([after])
  expect(state.isFresh(slot)).toBe(true)
  expect(state.changes()).toEqual([{ slot, before, after }])
})

test('a name changes from whom it was loaded with to whom it is given', () => {
  const state = groundOf()
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
