import { expect, it } from 'vitest'
import { addressOfAuthKey, authKeysOf } from './auth-key.js'

const address = Buffer.alloc(20, 8)

it('an address is known by both keys that a registry may have of it', () => {
  const keys = authKeysOf(address)
  expect(keys.map((key) => key.toString('hex'))).toEqual([
    '08'.repeat(20),
    `${'00'.repeat(12)}${'08'.repeat(20)}`,
  ])
  expect(keys.map(addressOfAuthKey)).toEqual([address, address])
})

it.each([
  ['short', Buffer.alloc(19, 8)],
  ['empty', Buffer.alloc(0)],
  ['a public key', Buffer.alloc(32, 8)],
  ['padded with too few zeros', Buffer.concat([Buffer.alloc(11), address])],
  ['padded with too many zeros', Buffer.concat([Buffer.alloc(13), address])],
])('a key that is %s has no address', (_, key) => {
  expect(addressOfAuthKey(key)).toBeNull()
})
