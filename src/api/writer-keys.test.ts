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

it('without a key: the users alone', () => {
  expect(writerKeysOf({ keyId: 0 }, { fid: 1 })).toEqual(['fid 1'])
})
