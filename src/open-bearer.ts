import type { Config } from './config.js'
import type { Database } from './db/connection.js'
import type { NetClient } from './net/net-client.js'
import { type BearerVerifier, createBearerVerifier } from './sign-in/bearer-token.js'
import { createJwtVerifier } from './sign-in/jwt.js'
import { readJwtIssuers } from './sign-in/jwt-issuers.js'

/** What the check of bearer tokens stands on. */
export interface BearerParts {
  readonly db: Database
  readonly net: Pick<NetClient, 'request'>
  /** Unix milliseconds. */
  readonly clock: () => number
  /** The address that users reach this server at. */
  readonly publicUrl: () => string
}

/** The check of bearer tokens: those of app keys, and those of the issuers that the configuration names. */
export function openBearer(config: Config, { db, net, clock, publicUrl }: BearerParts): BearerVerifier {
  const issuers = readJwtIssuers(config.jwtIssuers)
  const audiences = config.jwtAudience?.split(',').map((audience) => audience.trim())
  const jwt = createJwtVerifier({
    issuers,
    audiences: () => audiences ?? [new URL(publicUrl()).host],
    net,
    clock,
  })
  return createBearerVerifier({ db, clock, ...(issuers.length === 0 ? {} : { jwt }) })
}
