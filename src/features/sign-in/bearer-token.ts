import type { Database } from '../../platform/db/connection.js'
import { isAppKeyToken, verifyAppKeyToken } from './app-key-token.js'
import { invalidTokenError, readToken, tokenOfHeader } from './bearer-token-parts.js'
import type { JwtVerifier } from './jwt.js'

/** Checks tokens with which users ask in their own name. */
export interface BearerVerifier {
  /**
   * The user that a token speaks for.
   *
   * @param authorization The header of that name as it came: `Bearer <token>`.
   * @throws PlazaError `unauthenticated`, which says what is wrong; `unavailable.other_side` when the keys of its
   * issuer cannot be had.
   */
  verify(authorization: string): Promise<{ readonly fid: number }>
}

export interface BearerVerifierOptions {
  /** Knows which app keys are active. */
  readonly db: Database
  /** Unix milliseconds. */
  readonly clock: () => number
  /** Checks tokens of issuers; without it only app keys make tokens. */
  readonly jwt?: JwtVerifier | undefined
}

/** Makes the check of bearer tokens. What such a token is, and how to make one: docs/apps.md. */
export function createBearerVerifier({ db, clock, jwt }: BearerVerifierOptions): BearerVerifier {
  return {
    async verify(authorization) {
      const token = readToken(tokenOfHeader(authorization))
      if (isAppKeyToken(token)) return { fid: await verifyAppKeyToken(db, token, clock() / 1000) }
      if (jwt !== undefined) return { fid: await jwt.verify(token) }
      throw invalidTokenError('type in its header must be app_key: this server believes no issuers of tokens')
    },
  }
}
