import { expect, it } from 'vitest'
import { writerKeysOf } from './writer-keys.js'

it.each([
  [{}, ['key 7']],
  [undefined, ['key 7']],
  [{ fid: '1', viewer_fid: '2' }, ['key 7', 'fid 1', 'fid 2']],
  [{ fids: '1,2, 3' }, ['key 7', 'fid 1', 'fid 2', 'fid 3']],
  [{ fids: [1, 2] }, ['key 7', 'fid 1', 'fid 2']],
  [{ fid: 'x', viewer_fid: '-1', fids: [null, 1.5] }, ['key 7']],
])('the key and the users of %j', (input, keys) => {
  expect(writerKeysOf({ keyId: 7 }, input)).toEqual(keys)
})

it('at most 100 users', () => {
  const fids = Array.from({ length: 10_000 }, (_, index) => index + 1)
  expect(writerKeysOf({ keyId: 7 }, { fids })).toHaveLength(101)
  expect(writerKeysOf({ keyId: 7 }, { fids: fids.join(',') })).toHaveLength(101)
})

it('a list in a list and what follows 2,000 characters are not looked at', () => {
  expect(writerKeysOf({ keyId: 7 }, { fids: [[1, [2]], '3', 4] })).toEqual(['key 7', 'fid 3', 'fid 4'])
  expect(writerKeysOf({ keyId: 7 }, { fids: `${' '.repeat(2_000)},5` })).toEqual(['key 7'])
})

it('without a key: the users alone', () => {
  expect(writerKeysOf({ keyId: 0 }, { fid: 1 })).toEqual(['fid 1'])
})
