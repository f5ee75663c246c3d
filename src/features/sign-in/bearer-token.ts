import type { Database } from '../../platform/db/connection.js'
import { isAppKeyToken, verifyAppKeyToken } from './app-key-token.js'
import { invalidTokenError, readToken, tokenOfHeader } from './bearer-token-parts.js'
import type { JwtVerifier } from './jwt.js'

/** Verifies the bearer tokens of users. */
export interface BearerVerifier {
  /**
   * Returns the user that a token authenticates.
   *
   * @param authorization The header value: `Bearer <token>`.
   * @throws PlazaError `unauthenticated` with the reason; `unavailable.other_side` when the issuer's keys
   * cannot be fetched.
   */
  verify(authorization: string): Promise<{ readonly fid: number }>
}

export interface BearerVerifierOptions {
  /** Knows the active app keys. */
  readonly db: Database
  /** Unix milliseconds. */
  readonly clock: () => number
  /** Verifies issuers' tokens; without it only app key tokens are accepted. */
  readonly jwt?: JwtVerifier | undefined
}

/** Creates the verifier of bearer tokens. Format and use: docs/apps.md. */
export function createBearerVerifier({ db, clock, jwt }: BearerVerifierOptions): BearerVerifier {
  return {
    async verify(authorization) {
      const token = readToken(tokenOfHeader(authorization))
      if (isAppKeyToken(token)) return { fid: await verifyAppKeyToken(db, token, clock() / 1000) }
      if (jwt !== undefined) return { fid: await jwt.verify(token) }
      throw invalidTokenError('type in its header must be app_key: this server trusts no token issuers')
    },
  }
}
