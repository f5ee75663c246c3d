import { describe, expect, it } from 'vitest'
import { recoverAccount, recoverClaimant } from './account-recovery.js'
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

  it('takes the last byte of what a contract takes only; recoverClaimant any', async () => {
    const digest = Buffer.alloc(32, 7)
    const signed = await sampleAccount.sign({ hash: hexOf(digest) })
    const signature = Buffer.from(signed.slice(2), 'hex')
    const isEven = signature[64] === 27
    for (let last = 0; last < 256; last++) {
      signature[64] = last
      const isKnown = [0, 1, 27, 28].includes(last)
      expect((await recoverAccount(digest, signature)) === null).toBe(!isKnown)
      if (![0, 1, 2, 26, 27, 28, 29, 255].includes(last)) continue
      const isSigner = (await recoverClaimant(digest, signature))?.equals(sampleAddress)
      expect([last, isSigner]).toEqual([last, (last === 0 || last === 27) === isEven])
    }
    expect(await recoverClaimant(digest, signature.subarray(0, 64))).toBeNull()
  })

  it('returns null for a signature that no account can make', async () => {
    for (const fill of [0, 0xff]) {
      expect(await recoverAccount(Buffer.alloc(32), Buffer.alloc(65, fill))).toBeNull()
    }
  })
})
