import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { createTestHub } from '../../../test/hub.js'
import { TestUser, testKey, testNowUnix } from '../../../test/network.js'
import { SignerEventType } from '../../protocol/definitions.js'
import { createBearerVerifier } from './bearer-token.js'
import { appKeyAuthorization } from './testing/app-key-token.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
const [alice, bob] = [new TestUser(1), new TestUser(2)]
await hub.submitOnChainEvents([alice, bob].flatMap((user) => user.onChain()))
const bearer = createBearerVerifier({ db, clock: () => testNowUnix * 1000 })

/** Returns why a token is refused; fails when it is accepted. */
async function refusalOf(authorization: string): Promise<string> {
  const outcome = await bearer.verify(authorization).catch((error: unknown) => error)
  expect(outcome).toMatchObject({ name: 'PlazaError', code: 'unauthenticated', property: 'authorization' })
  return (outcome as Error).message
}

describe('app key token', () => {
  it('authenticates the user of the key', async () => {
    expect(await bearer.verify(appKeyAuthorization(alice))).toEqual({ fid: 1 })
    expect(await bearer.verify(appKeyAuthorization(bob))).toEqual({ fid: 2 })
  })

  it('accepts the Bearer scheme in any case (RFC 6750)', async () => {
    const token = appKeyAuthorization(alice).slice('Bearer '.length)
    for (const header of [`bearer ${token}`, `BEARER  ${token}`, ` Bearer ${token} `]) {
      expect(await bearer.verify(header)).toEqual({ fid: 1 })
    }
  })

  it('is valid until 30 s after its expiry', async () => {
    const expiring = (exp: number) => appKeyAuthorization(alice, { payload: { exp } })
    expect(await bearer.verify(expiring(testNowUnix - 29))).toEqual({ fid: 1 })
    expect(await refusalOf(expiring(testNowUnix - 30))).toContain('it has expired')
    expect(await bearer.verify(expiring(testNowUnix + 630))).toEqual({ fid: 1 })
    expect(await refusalOf(expiring(testNowUnix + 631))).toContain('more than 600 seconds from now')
    expect(await refusalOf(expiring((testNowUnix + 300) * 1000))).toContain('more than 600 seconds from now')
  })

  it.each([undefined, null, '1793491300', Number.NaN, [], true])('refuses exp %s', async (exp) => {
    expect(await refusalOf(appKeyAuthorization(alice, { payload: { exp } }))).toContain('exp in its payload')
  })

  it('refuses a token with an audience, which its receiver could replay', async () => {
    const action = appKeyAuthorization(alice, { payload: { aud: 'https://other.example', action: {} } })
    expect(await refusalOf(action)).toContain('aud in its payload')
  })

  it('refuses a signature by another key', async () => {
    expect(await refusalOf(appKeyAuthorization(alice, { key: bob.key }))).toContain('its signature')
  })

  it('refuses a foreign or invalid fid', async () => {
    expect(await refusalOf(appKeyAuthorization(alice, { header: { fid: 2 } }))).toContain('of fid 2')
    expect(await refusalOf(appKeyAuthorization(new TestUser(3)))).toContain('not an active key of fid 3')
    for (const fid of ['1', 0, -1, 1.5, 2 ** 53, null, undefined, [1]]) {
      expect(await refusalOf(appKeyAuthorization(alice, { header: { fid } }))).toContain('fid in its header')
    }
  })

  it('refuses a missing or malformed key', async () => {
    const hex = alice.key.publicKey.toString('hex')
    for (const key of [undefined, '', hex, `0x${hex}00`, `0x${hex.slice(1)}g`, alice.key.publicKey]) {
      expect(await refusalOf(appKeyAuthorization(alice, { header: { key } }))).toContain('key in its header')
    }
  })

  it('refuses keys of small order, whose signatures anyone can forge', async () => {
    const key = `0x01${'00'.repeat(31)}`
    expect(await refusalOf(appKeyAuthorization(alice, { header: { key } }))).toContain('its signature')
  })

  it('refuses removed keys and auth-only keys', async () => {
    const [other, onlyAuth] = [testKey('other'), testKey('only authenticates')]
    const withKey = (key: typeof other) =>
      appKeyAuthorization(alice, { header: { key: `0x${key.publicKey.toString('hex')}` }, key })
    await hub.submitOnChainEvents([alice.signerEvent(SignerEventType.ADD, 200, other.publicKey)])
    expect(await bearer.verify(withKey(other))).toEqual({ fid: 1 })
    await hub.submitOnChainEvents([alice.signerEvent(SignerEventType.REMOVE, 201, other.publicKey)])
    expect(await refusalOf(withKey(other))).toContain('not an active key')

    const event = alice.signerEvent(SignerEventType.ADD, 202, onlyAuth.publicKey)
    event.signerEventBody!.keyType = 2
    await hub.submitOnChainEvents([event])
    expect(await refusalOf(withKey(onlyAuth))).toContain('not an active key')
  })

  it('refuses a token with any character changed', async () => {
    const [, token = ''] = appKeyAuthorization(alice).split(' ')
    const characters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.+/= é\n']
    await fc.assert(
      fc.asyncProperty(
        fc.nat(token.length - 1),
        fc.constantFrom(...characters),
        fc.constantFrom('replaced', 'inserted', 'dropped'),
        async (place, character, how) => {
          const rest = token.slice(how === 'inserted' ? place : place + 1)
          const changed = `${token.slice(0, place)}${how === 'dropped' ? '' : character}${rest}`
          // Whitespace around a token is not part of it.
          fc.pre(changed.trim() !== token)
          await refusalOf(`Bearer ${changed}`)
        },
      ),
      { numRuns: 500 },
    )
  })

  it('refuses other spellings of the last base64url character', async () => {
    const token = appKeyAuthorization(alice)
    const alike = [...'AQgw'].map((last) => `${token.slice(0, -1)}${last}`).filter((other) => other !== token)
    expect(alike).toHaveLength(3)
    for (const other of alike) await refusalOf(other)
  })
})

describe('malformed bearer token', () => {
  it('refuses other headers and says how to send a token', async () => {
    for (const header of [
      '',
      'Bearer',
      'Bearer ',
      'Basic YTpi',
      'Bearer a b',
      'token',
      `Bearer\u00a0a.b.c`,
    ]) {
      expect(await refusalOf(header)).toBe('a bearer token is needed, as authorization: Bearer <token>')
    }
  })

  it.each(['x', 'a.b', 'a.b.c.d', '..', 'e30.e30', 'e30.e30.', 'e30=.e30.AA', 'W10.e30.AA', 'bnVsbA.e30.AA'])(
    'refuses: %s',
    async (token) => {
      expect(await refusalOf(`Bearer ${token}`)).toMatch(/three parts|not a JSON object/)
    },
  )

  it('refuses by length before parsing', async () => {
    expect(await refusalOf(`Bearer ${'e30.'.repeat(1_000_000)}`)).toContain('longer than 4096')
  })

  it('never repeats the token in an error', async () => {
    const token = appKeyAuthorization(alice, { key: bob.key }).split(' ')[1]!
    expect(await refusalOf(`Bearer ${token}`)).not.toContain(token.slice(0, 20))
  })
})
