import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { exportSPKI, generateKeyPair } from 'jose'
import { describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { createTestHub } from '../../../test/hub.js'
import { TestUser, testNowUnix } from '../../../test/network.js'
import { createBearerVerifier } from './bearer-token.js'
import { appKeyAuthorization } from './testing/app-key-token.js'
import { createJwtFixture } from './testing/jwt-fixture.js'
import { issuerKey, jwtAuthorization, startIssuer } from './testing/jwt-issuer.js'

const { db } = await createTestDatabase()
const key = await issuerKey('ES256')
const otherKey = await issuerKey('ES256', 'other')

const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')

describe('JWT of a trusted issuer', () => {
  it.each(['RS256', 'PS384', 'ES256', 'ES512', 'EdDSA'])('authenticates the fid in sub: %s', async (alg) => {
    const signing = await issuerKey(alg)
    const { verify } = await createJwtFixture(db, [signing])
    expect(await verify(signing)).toEqual({ fid: 1 })
    expect(await verify(signing, { sub: '6841' })).toEqual({ fid: 6841 })
    expect(await verify(signing, { aud: ['x', 'plaza.example'] })).toEqual({ fid: 1 })
  })

  it('is accepted beside app key tokens', async () => {
    const hub = await createTestHub(db)
    await hub.submitOnChainEvents(new TestUser(2).onChain())
    const { bearer, verify } = await createJwtFixture(db, [key])
    expect(await bearer.verify(appKeyAuthorization(new TestUser(2)))).toEqual({ fid: 2 })
    expect(await verify(key)).toEqual({ fid: 1 })
  })

  it('is valid from nbf to exp, with 30 s of clock skew', async () => {
    const { issuer, verify, refusalOf } = await createJwtFixture(db, [key])
    const token = (changes: object) => jwtAuthorization(issuer, key, { ...changes })
    expect(await verify(key, { exp: testNowUnix - 29 })).toEqual({ fid: 1 })
    expect(await refusalOf(await token({ exp: testNowUnix - 30 }))).toContain('it has expired')
    expect(await verify(key, { nbf: testNowUnix + 30 })).toEqual({ fid: 1 })
    expect(await refusalOf(await token({ nbf: testNowUnix + 31 }))).toContain('not valid yet')
  })

  it.each<[string, object, string]>([
    ['for another audience', { aud: 'other.example' }, 'another audience'],
    ['for nobody', { aud: undefined }, 'aud is missing'],
    ['for a list of others', { aud: ['a', 'b'] }, 'another audience'],
    ['of another issuer', { iss: 'https://evil.example' }, 'its issuer'],
    ['of an issuer that is almost ours', { iss: 'http://127.0.0.1' }, 'its issuer'],
    ['of no issuer', { iss: undefined }, 'its issuer'],
    ['of an issuer named like a method', { iss: 'constructor' }, 'its issuer'],
    ['of a list of issuers', { iss: ['x'] }, 'its issuer'],
    ['without end', { exp: undefined }, 'exp is missing'],
    ['with an end that is no number', { exp: '9999999999' }, 'exp in its payload'],
    ['with a start that is no number', { nbf: 'now' }, 'nbf in its payload'],
    ['for nobody in particular', { sub: undefined }, 'sub is missing'],
    ['for a name', { sub: 'alice' }, 'sub in its payload must be a fid'],
    ['for fid 0', { sub: 0 }, 'sub in its payload must be a fid'],
    ['for half a fid', { sub: 1.5 }, 'sub in its payload must be a fid'],
    ['for a fid in another spelling', { sub: '01' }, 'sub in its payload must be a fid'],
    ['for a fid beyond 2^53', { sub: '9007199254740993' }, 'sub in its payload must be a fid'],
  ])('refuses %s', async (_what, changes, problem) => {
    const { issuer, refusalOf } = await createJwtFixture(db, [key])
    expect(await refusalOf(await jwtAuthorization(issuer, key, { ...changes }))).toContain(problem)
  })

  it('refuses a signature by another key, even of another issuer', async () => {
    const other = await startIssuer(otherKey)
    const { issuer, verify, bearer, refusalOf } = await createJwtFixture(db, [key], { others: [other] })
    expect(await bearer.verify(await jwtAuthorization(other, otherKey))).toEqual({ fid: 1 })
    expect(await verify(key)).toEqual({ fid: 1 })
    expect(await refusalOf(await jwtAuthorization(issuer, otherKey))).toContain('its issuer has no such key')
    const disguised = { ...otherKey, jwk: key.jwk }
    expect(await refusalOf(await jwtAuthorization(issuer, disguised))).toContain('its signature')
  })

  it('ignores keys and key URLs in its header', async () => {
    const { issuer, refusalOf } = await createJwtFixture(db, [key])
    const elsewhere = await startIssuer(otherKey)
    const header = { jwk: otherKey.jwk, jku: elsewhere.keySetUrl, x5u: elsewhere.keySetUrl }
    await refusalOf(await jwtAuthorization(issuer, otherKey, {}, header))
    expect(elsewhere.requestCount()).toBe(0)
  })

  it('refuses unsigned tokens and HMAC with a public key', async () => {
    const { publicKey } = await generateKeyPair('RS256', { extractable: true })
    const spki = await exportSPKI(publicKey)
    const oct = { alg: 'HS256', kid: 'oct', kty: 'oct', k: Buffer.from('known to all').toString('base64url') }
    const { issuer, refusalOf } = await createJwtFixture(db, [key, { ...key, jwk: oct }])
    const payload = encoded({ iss: issuer.issuer, sub: 1, aud: 'plaza.test', exp: testNowUnix + 300 })
    for (const [alg, secret] of [
      ['none', ''],
      ['None', 'x'],
      ['HS256', spki],
      ['HS256', 'known to all'],
      ['HS256', JSON.stringify(key.jwk)],
    ] as const) {
      const signed = `${encoded({ alg, kid: 'oct', typ: 'JWT' })}.${payload}`
      const signature = createHmac('sha256', secret).update(signed).digest('base64url')
      expect(await refusalOf(`Bearer ${signed}.${signature}`)).toMatch(/alg in its header/)
      await refusalOf(`Bearer ${signed}.`)
    }
  })

  it.each([undefined, null, 256, '', 'ES256K', 'RSA1_5', 'dir'])('refuses alg %s', async (alg) => {
    const { issuer, refusalOf } = await createJwtFixture(db, [key])
    const payload = encoded({ iss: issuer.issuer, sub: 1, aud: 'plaza.test', exp: testNowUnix + 300 })
    await refusalOf(`Bearer ${encoded({ alg, kid: 'ES256' })}.${payload}.AAAA`)
  })

  it('refuses unknown critical headers', async () => {
    const { issuer, refusalOf } = await createJwtFixture(db, [key])
    const [, token = ''] = (await jwtAuthorization(issuer, key)).split(' ')
    const [, payload, signature] = token.split('.')
    const header = encoded({ alg: 'ES256', kid: 'ES256', crit: ['x'], x: 1 })
    await refusalOf(`Bearer ${header}.${payload}.${signature}`)
  })

  it('needs kid only when the issuer has several keys', async () => {
    const nameless = (named: typeof key) => ({ ...named, jwk: { ...named.jwk, kid: undefined as never } })
    const { verify } = await createJwtFixture(db, [key])
    expect(await verify(nameless(key))).toEqual({ fid: 1 })
    const two = await createJwtFixture(db, [key, otherKey])
    expect(await two.refusalOf(await jwtAuthorization(two.issuer, nameless(key)))).toContain(
      'kid in its header',
    )
  })

  it('refuses a token with any character changed', async () => {
    const { issuer, bearer } = await createJwtFixture(db, [key])
    const [, token = ''] = (await jwtAuthorization(issuer, key)).split(' ')
    const characters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.']
    await fc.assert(
      fc.asyncProperty(fc.nat(token.length - 1), fc.constantFrom(...characters), async (place, character) => {
        const changed = `${token.slice(0, place)}${character}${token.slice(place + 1)}`
        fc.pre(changed !== token)
        await expect(bearer.verify(`Bearer ${changed}`)).rejects.toMatchObject({ code: 'unauthenticated' })
      }),
      { numRuns: 300 },
    )
  })

  it('refuses tokens when no issuer is configured, and says so', async () => {
    const bearer = createBearerVerifier({ db, clock: () => testNowUnix * 1000 })
    const token = await jwtAuthorization({ issuer: 'https://a.example' }, key)
    await expect(bearer.verify(token)).rejects.toMatchObject({
      code: 'unauthenticated',
      message: expect.stringContaining('this server trusts no token issuers'),
    })
  })
})
