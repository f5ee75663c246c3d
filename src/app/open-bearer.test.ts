import { expect, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../../test/database.js'
import { issuerKey, jwtAuthorization, startIssuer } from '../features/bearer/testing/jwt-issuer.js'
import { createNetClient } from '../platform/outbound/net-client.js'
import { openBearer } from './open-bearer.js'
import { configOf } from './testing/config-of.js'

const { db } = await createTestDatabase()
const key = await issuerKey('ES256')
const nowUnix = Math.floor(Date.now() / 1000)

/** Starts an issuer, and returns how to open the check of tokens: it takes a token for an audience. */
async function start() {
  const issuer = await startIssuer(key)
  const net = createNetClient({ policy: { allowHttp: true, allowLoopback: true }, userAgent: 'test' })
  onTestFinished(() => net.close())
  const open = (env: Readonly<Record<string, string>>, publicUrl = 'https://plaza.test') => {
    const config = configOf({ ALLOW_PRIVATE_TARGETS: 'loopback', ...env })
    const verifier = openBearer(config, { db, net, clock: Date.now, publicUrl: () => publicUrl })
    return async (audience: string) => {
      const times = { iat: nowUnix, nbf: nowUnix, exp: nowUnix + 300 }
      const authorization = await jwtAuthorization(issuer, key, { ...times, aud: audience })
      return await verifier.verify(authorization).then(
        ({ fid }) => fid,
        (error: Error) => error.message,
      )
    }
  }
  return { issuer, open }
}

it('tokens of a named issuer are for the host of this server, or for the audiences of the operator', async () => {
  const { issuer, open } = await start()
  const issuers = { JWT_ISSUERS: `${issuer.issuer}=${issuer.keySetUrl}` }
  const ownHost = open(issuers)
  expect(await ownHost('plaza.test')).toBe(1)
  expect(await ownHost('other.test')).toEqual(expect.any(String))
  expect(await open(issuers, 'https://other.test:8080/path')('other.test:8080')).toBe(1)
  const named = open({ ...issuers, JWT_AUDIENCE: 'one.test, two.test' })
  for (const audience of ['one.test', 'two.test']) expect(await named(audience)).toBe(1)
  expect(await named('plaza.test')).toEqual(expect.any(String))
})

it('without issuers only tokens of app keys are accepted', async () => {
  const { open } = await start()
  expect(await open({})('plaza.test')).toEqual(expect.any(String))
})
