import { expect } from 'vitest'
import { testNowUnix } from '../../../../test/network.js'
import type { Database } from '../../../platform/db/connection.js'
import { createClient } from '../../../platform/outbound/testing/requests.js'
import { type BearerVerifier, createBearerVerifier } from '../bearer-token.js'
import { createJwtVerifier } from '../jwt.js'
import { type IssuerKey, jwtAuthorization, startIssuer, type TestIssuer } from './jwt-issuer.js'

/** A server that trusts an issuer. */
export interface JwtFixture {
  readonly issuer: TestIssuer
  readonly bearer: BearerVerifier
  readonly time: { nowMs: number }
  /** Verifies a token that the issuer signs with this key. */
  verify(key: IssuerKey, changes?: Readonly<Record<string, unknown>>): Promise<{ readonly fid: number }>
  /** Returns why a token is refused; fails when it is accepted. */
  refusalOf(authorization: string): Promise<string>
}

/** Creates a server that trusts an issuer with these keys, and another one. */
export async function createJwtFixture(
  db: Database,
  keys: readonly IssuerKey[],
  { allowLoopback = true, others = [] as readonly TestIssuer[] } = {},
): Promise<JwtFixture> {
  const issuer = await startIssuer(...keys)
  const time = { nowMs: testNowUnix * 1000 }
  const clock = () => time.nowMs
  const jwt = createJwtVerifier({
    issuers: [issuer, ...others],
    audiences: () => ['plaza.test', 'plaza.example'],
    net: createClient({ policy: { allowHttp: true, allowLoopback } }),
    clock,
  })
  const bearer = createBearerVerifier({ db, clock, jwt })
  return {
    issuer,
    bearer,
    time,
    verify: async (key, changes) => bearer.verify(await jwtAuthorization(issuer, key, changes)),
    async refusalOf(authorization) {
      const outcome = await bearer.verify(authorization).catch((error: unknown) => error)
      expect(outcome).toMatchObject({
        name: 'PlazaError',
        code: 'unauthenticated',
        property: 'authorization',
      })
      return (outcome as Error).message
    },
  }
}
