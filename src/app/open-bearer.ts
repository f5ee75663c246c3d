import { type BearerVerifier, createBearerVerifier } from '../features/bearer/bearer-token.js'
import { createJwtVerifier, readJwtIssuers } from '../features/bearer/jwt.js'
import type { Database } from '../platform/db/connection.js'
import type { NetClient } from '../platform/outbound/net-client.js'
import type { Config } from './config/config.js'

/** Dependencies of the check of bearer tokens. */
export interface BearerServices {
  readonly db: Database
  readonly net: Pick<NetClient, 'request'>
  /** Unix milliseconds. */
  readonly clock: () => number
  /** The address that users reach this server at. */
  readonly publicUrl: () => string
}

/** The check of bearer tokens: those of app keys, and those of the issuers that the configuration names. */
export function openBearer(config: Config, { db, net, clock, publicUrl }: BearerServices): BearerVerifier {
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
