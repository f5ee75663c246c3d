import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createVault } from './vault.js'

const [first, second] = ['a key of the first year', 'a key of the second year'] as const

describe('the vault', () => {
  it('decrypts what it encrypted, with a different ciphertext each time', () => {
    const vault = createVault([first])
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.string(), (secret, context) => {
        const sealed = vault.seal(secret, context)
        expect(vault.open(sealed, context)).toEqual(Buffer.from(secret))
        expect(vault.seal(secret, context).equals(sealed)).toBe(false)
      }),
    )
  })

  it('refuses another context and changed data', () => {
    const vault = createVault([first])
    const sealed = vault.seal(Buffer.from('secret'), 'signer 1')
    expect(() => vault.open(sealed, 'signer 2')).toThrow()
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed)
      changed[index]! ^= 1
      expect(() => vault.open(changed, 'signer 1')).toThrow()
      expect(() => vault.open(sealed.subarray(0, index), 'signer 1')).toThrow()
    }
  })

  it('decrypts values of older keys, and encrypts with the first key', () => {
    const sealedWithOldKey = createVault([first]).seal(Buffer.from('secret'), 'x')
    const bothKeysVault = createVault([second, first])
    expect(bothKeysVault.open(sealedWithOldKey, 'x').toString()).toBe('secret')
    expect(
      createVault([second])
        .open(bothKeysVault.seal(Buffer.from('new'), 'x'), 'x')
        .toString(),
    ).toBe('new')
    expect(() => createVault([second]).open(sealedWithOldKey, 'x')).toThrow(/PLAZA_SECRET_KEY/)
  })

  it('says which variable is missing without a key', () => {
    expect(() => createVault([]).seal(Buffer.from('secret'), 'x')).toThrow(/PLAZA_SECRET_KEY/)
  })
})
