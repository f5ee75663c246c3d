import { describe, expect, it } from 'vitest'
import { recoverAccount } from './account-recovery.js'
import { hexOf } from './bytes.js'
import { sampleAccount, sampleAddress } from './testing/sample-claims.js'

describe('recoverAccount', () => {
  it('recovers the address of a signature of 65 bytes; null for another length', async () => {
    const digest = Buffer.alloc(32, 7)
    const signed = await sampleAccount.sign({ hash: hexOf(digest) })
    const signature = Buffer.from(signed.slice(2), 'hex')
    const recoveryId = signature[64]! - 27
    const rs = signature.subarray(0, 64)
    expect(await recoverAccount(digest, signature)).toEqual(sampleAddress)
    expect(await recoverAccount(digest, Buffer.concat([rs, Buffer.of(recoveryId)]))).toEqual(sampleAddress)
    for (const tail of ['', `000${recoveryId}`, `${signed.slice(-2)}00`]) {
      expect(await recoverAccount(digest, Buffer.concat([rs, Buffer.from(tail, 'hex')]))).toBeNull()
    }
  })

  it('returns null for a signature that no account can make', async () => {
    for (const fill of [0, 0xff]) {
      expect(await recoverAccount(Buffer.alloc(32), Buffer.alloc(65, fill))).toBeNull()
    }
  })
})
