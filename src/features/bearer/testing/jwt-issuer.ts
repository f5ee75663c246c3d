import type { ServerResponse } from 'node:http'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'
import { testNowUnix } from '../../../../test/network.js'
import { serveHttp } from '../../../platform/outbound/testing/loopback-server.js'

/** A key pair of an issuer. */
export interface IssuerKey {
  readonly alg: string
  readonly privateKey: CryptoKey
  /** The public key as in a key set. */
  readonly jwk: JWK
}

/** Generates a key pair for a signature algorithm. */
export async function issuerKey(alg: string, kid = alg): Promise<IssuerKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  return { alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}

/** A token issuer on loopback that stops with the test. */
export interface TestIssuer {
  readonly issuer: string
  readonly keySetUrl: string
  /** Answers requests for its keys. */
  answer: (response: ServerResponse) => void
  /** Number of such requests. */
  requestCount(): number
}

/** Starts an issuer with these keys. */
export async function startIssuer(...keys: readonly IssuerKey[]): Promise<TestIssuer> {
  let requestCount = 0
  const { origin } = await serveHttp((_request, response) => {
    requestCount += 1
    issuer.answer(response)
  })
  const issuer: TestIssuer = {
    issuer: origin,
    keySetUrl: `${origin}/keys`,
    answer: respondWithKeys(...keys),
    requestCount: () => requestCount,
  }
  return issuer
}

/** Returns an answer with a set of these keys. */
export function respondWithKeys(...keys: readonly IssuerKey[]): TestIssuer['answer'] {
  return (response) => response.end(JSON.stringify({ keys: keys.map(({ jwk }) => jwk) }))
}

/**
 * Builds `authorization` with a token for user 1 at `plaza.test`, valid for five minutes of test time;
 * `changes` modify its payload.
 */
export async function jwtAuthorization(
  { issuer }: Pick<TestIssuer, 'issuer'>,
  { alg, privateKey, jwk }: IssuerKey,
  changes: Readonly<Record<string, unknown>> = {},
  header: object = {},
): Promise<string> {
  const payload = {
    iss: issuer,
    sub: 1,
    aud: 'plaza.test',
    iat: testNowUnix,
    exp: testNowUnix + 300,
    ...changes,
  }
  const kid = jwk.kid === undefined ? {} : { kid: jwk.kid }
  const token = await new SignJWT(payload as unknown as JWTPayload)
    .setProtectedHeader({ alg, typ: 'JWT', ...kid, ...header })
    .sign(privateKey)
  return `Bearer ${token}`
}
