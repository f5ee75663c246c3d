import { exportJWK } from 'jose'
import { describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { testNowUnix } from '../../../test/network.js'
import { createJwtFixture } from './testing/jwt-fixture.js'
import { issuerKey, jwtAuthorization, respondWithKeys, type TestIssuer } from './testing/jwt-issuer.js'

const { db } = await createTestDatabase()
const key = await issuerKey('ES256')
const otherKey = await issuerKey('ES256', 'other')

const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')

describe('createKeySet', () => {
  const minutes = (count: number) => count * 60_000

  it('concurrent tokens -> one fetch', async () => {
    const { issuer, verify } = await createJwtFixture(db, [key])
    const tokens = await Promise.all(Array.from({ length: 20 }, () => verify(key)))
    expect(tokens).toEqual(Array.from({ length: 20 }, () => ({ fid: 1 })))
    expect(issuer.requestCount()).toBe(1)
  })

  it('an unknown key -> fetched again, once in 30 s', async () => {
    const { issuer, verify, time, refusalOf } = await createJwtFixture(db, [key])
    await verify(key)
    for (let attempt = 0; attempt < 10; attempt += 1) {
      await refusalOf(await jwtAuthorization(issuer, otherKey, {}, { kid: `made up ${attempt}` }))
    }
    expect(issuer.requestCount()).toBe(1)
    issuer.answer = respondWithKeys(key, otherKey)
    time.nowMs += 30_000
    expect(await verify(otherKey)).toEqual({ fid: 1 })
    expect(await verify(key)).toEqual({ fid: 1 })
    expect(issuer.requestCount()).toBe(2)
  })

  it('an unknown key -> fetched again, also after the clock has gone back', async () => {
    const { issuer, verify, time } = await createJwtFixture(db, [key])
    await verify(key)
    issuer.answer = respondWithKeys(key, otherKey)
    time.nowMs -= minutes(5)
    expect(await verify(otherKey, { exp: testNowUnix + 60, iat: testNowUnix - 900 })).toEqual({ fid: 1 })
  })

  it('withdrawn keys end within ten minutes', async () => {
    const { issuer, verify, time, refusalOf } = await createJwtFixture(db, [key, otherKey])
    const changes = { exp: testNowUnix + 3_600 }
    await verify(key, changes)
    issuer.answer = respondWithKeys(otherKey)
    time.nowMs += minutes(10) - 1
    expect(await verify(key, changes)).toEqual({ fid: 1 })
    time.nowMs += 1
    expect(await refusalOf(await jwtAuthorization(issuer, key, changes))).toContain('no such key')
  })

  it('keys stay valid for an hour while the issuer is unreachable', async () => {
    const { issuer, verify, time } = await createJwtFixture(db, [key])
    const changes = { exp: testNowUnix + 36_000 }
    await verify(key, changes)
    issuer.answer = (response) => response.destroy()
    time.nowMs += minutes(59)
    expect(await verify(key, changes)).toEqual({ fid: 1 })
    time.nowMs += minutes(1)
    await expect(verify(key, changes)).rejects.toMatchObject({ code: 'unavailable.other_side' })
    issuer.answer = respondWithKeys(key)
    time.nowMs += 30_000
    expect(await verify(key, changes)).toEqual({ fid: 1 })
  })

  it.each<[string, TestIssuer['answer'], string]>([
    ['fails', (response) => response.writeHead(500).end('{"keys":[]}'), 'answered 500'],
    ['hangs up', (response) => response.destroy(), ''],
    ['answers no JSON', (response) => response.end('<html>'), 'not a JSON Web Key Set'],
    ['answers another JSON', (response) => response.end('{"key":{}}'), 'not a JSON Web Key Set'],
    ['answers a list of nonsense', (response) => response.end('{"keys":[1]}'), 'not a JSON Web Key Set'],
    ['answers without end', (response) => response.end('x'.repeat(70_000)), 'longer than 65536'],
    [
      'answers too many keys',
      (response) => response.end(JSON.stringify({ keys: Array.from({ length: 101 }, () => key.jwk) })),
      'more than 100',
    ],
    [
      'sends us round in circles',
      (response) => response.writeHead(302, { location: '/keys' }).end(),
      'redirected too often',
    ],
    [
      'sends us to where nobody may go',
      (response) => response.writeHead(302, { location: 'http://169.254.169.254/keys' }).end(),
      'not on the public internet',
    ],
  ])('the issuer %s -> unavailable, then a cooldown', async (_what, answer, problem) => {
    const { issuer, verify, time } = await createJwtFixture(db, [key])
    issuer.answer = answer
    const failure = {
      code: 'unavailable.other_side',
      message: expect.stringContaining(`the keys of the token's issuer could not be fetched: `),
    }
    await expect(verify(key)).rejects.toMatchObject({ ...failure, retryAfterSeconds: 30 })
    const requests = issuer.requestCount()
    time.nowMs += 10_000
    const again = await verify(key).catch((error: unknown) => error)
    expect(again).toMatchObject({ ...failure, retryAfterSeconds: 20 })
    expect((again as Error).message).toContain(problem)
    expect(issuer.requestCount()).toBe(requests)
    issuer.answer = respondWithKeys(key)
    time.nowMs += 20_000
    expect(await verify(key)).toEqual({ fid: 1 })
  })

  it('a private address -> refused', async () => {
    const { issuer, verify } = await createJwtFixture(db, [key], { allowLoopback: false })
    await expect(verify(key)).rejects.toMatchObject({ code: 'unavailable.other_side' })
    expect(issuer.requestCount()).toBe(0)
  })

  it('weak or private keys -> refused', async () => {
    const { publicKey, privateKey } = await crypto.subtle.generateKey(
      {
        name: 'RSASSA-PKCS1-v1_5',
        modulusLength: 1024,
        publicExponent: new Uint8Array([1, 0, 1]),
        hash: 'SHA-256',
      },
      true,
      ['sign', 'verify'],
    )
    const weak = { ...key, jwk: { ...(await exportJWK(publicKey)), kid: 'weak' } }
    const { issuer, refusalOf } = await createJwtFixture(db, [weak])
    const signed = `${encoded({ alg: 'RS256', kid: 'weak' })}.${encoded({
      iss: issuer.issuer,
      sub: 1,
      aud: 'plaza.test',
      exp: testNowUnix + 300,
    })}`
    const signature = Buffer.from(
      await crypto.subtle.sign('RSASSA-PKCS1-v1_5', privateKey, Buffer.from(signed)),
    ).toString('base64url')
    await refusalOf(`Bearer ${signed}.${signature}`)
    const leaked = await createJwtFixture(db, [
      { ...key, jwk: { ...key.jwk, d: Buffer.alloc(32, 1).toString('base64url') } },
    ])
    await leaked.refusalOf(await jwtAuthorization(leaked.issuer, key))
  })
})
