import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { type Message as LibraryMessage, validations } from '@farcaster/core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { isRefusal } from '../platform/errors.js'
import { decodeMessage, encodeMessage } from './codec.js'
import type { MessageData } from './definitions.js'
import { messageHash } from './hash.js'
import { differences, readCase } from './testing/differences.js'
import { directedCases, randomCases } from './testing/differential-cases.js'
import { SAMPLE_TIME, sampleContext, sampleSigner, validSamples } from './testing/sample-messages.js'
import { unixMsFromFarcasterSeconds } from './time.js'
import { checkSignatures, validateStateless } from './validate.js'

const CASES = 10_000
const SEED = 20_260_601
/** The library verifies one in this many cases with its own slow implementation. */
const OWN_VERIFY_EVERY = 60

type ValidationMethods = NonNullable<Parameters<typeof validations.validateMessage>[1]>
type PublicClients = NonNullable<Parameters<typeof validations.validateMessage>[2]>

const keys = new Map<string, KeyObject>()

/** The library with node:crypto in place of its JavaScript, which is ten times slower. */
const fastMethods: ValidationMethods = {
  ed25519_verify: async (signature, hash, publicKey) => {
    const x = Buffer.from(publicKey).toString('base64url')
    const key = keys.get(x) ?? createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    keys.set(x, key)
    return verify(null, hash, key, signature)
  },
  ed25519_signMessageHash: async () => new Uint8Array(),
  blake3_20: messageHash,
}

/** Chain clients for which every contract signature is valid. */
const clients = { 10: { verifyTypedData: async () => true } } as unknown as PublicClients

async function libraryAccepts(bytes: Buffer, methods?: ValidationMethods): Promise<boolean> {
  try {
    const subject = readCase(bytes, true)
    if (subject === null) return false
    return (await validations.validateMessage(subject.message as LibraryMessage, methods, clients)).isOk()
  } catch {
    return false
  }
}

/** The rule that a message breaks in Plaza, or null. */
async function plazaFault(bytes: Buffer, isPro: boolean): Promise<string | null> {
  const message = decodeMessage(bytes)
  if (isRefusal(message)) return message.message
  const refusal = validateStateless(message, { ...sampleContext, isPro })
  if (refusal !== null) return refusal.message
  return (await checkSignatures(message))?.message ?? null
}

/** The listed differences that explain opposite verdicts of Plaza and the library. */
async function explanations(bytes: Buffer, isPro: boolean, fault: string | null): Promise<string[]> {
  const subject = readCase(bytes, isPro)
  const names: string[] = []
  for (const { name, says, covers } of differences) {
    const fits = says === null || fault === null ? says === fault : says.test(fault)
    if (subject !== null && fits && (await covers(subject))) names.push(name)
  }
  return names
}

describe('Plaza and the protocol library', () => {
  let samples: Record<string, MessageData>
  beforeAll(async () => {
    vi.useFakeTimers({ now: unixMsFromFarcasterSeconds(SAMPLE_TIME), toFake: ['Date'] })
    samples = await validSamples()
  })
  afterAll(() => {
    vi.useRealTimers()
  })

  it('agree on all messages except the listed differences, each of which occurs', async () => {
    const unexplained: string[] = []
    const seen = new Map(differences.map(({ name }) => [name, 0]))
    const agreed = { accepted: 0, refused: 0 }
    let number = 0
    for (const bytes of [...directedCases(samples), ...randomCases(samples, CASES, SEED)]) {
      number++
      const isPro = number % 3 > 0
      const methods = number % OWN_VERIFY_EVERY === 0 ? undefined : fastMethods
      const isAccepted = await libraryAccepts(bytes, methods)
      const fault = await plazaFault(bytes, isPro)
      if (isAccepted === (fault === null)) {
        agreed[isAccepted ? 'accepted' : 'refused']++
        continue
      }
      const names = await explanations(bytes, isPro, fault)
      for (const name of names) seen.set(name, seen.get(name)! + 1)
      if (names.length === 0) unexplained.push(`${fault}: ${bytes.toString('base64')}`)
    }
    expect(unexplained).toEqual([])
    expect([...seen].filter(([, times]) => times === 0)).toEqual([])
    // Enough of both verdicts, so that the comparison is not one-sided.
    expect(agreed.accepted).toBeGreaterThan(CASES / 5)
    expect(agreed.refused).toBeGreaterThan(CASES / 5)
  })

  it('both accept every valid sample', async () => {
    for (const [name, data] of Object.entries(samples)) {
      const bytes = encodeMessage(sampleSigner().sign(data))
      expect([name, await libraryAccepts(bytes), await plazaFault(bytes, true)]).toEqual([name, true, null])
    }
  })
})
