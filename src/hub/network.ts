import type { Queryable } from '../platform/db/connection.js'
import { FarcasterNetwork } from '../protocol/definitions.js'
import { isV21 } from '../protocol/engine-version.js'
import { farcasterSecondsFromUnixSeconds } from '../protocol/time.js'

/** Reads the FarcasterNetwork of this database; NONE before a server has opened a hub on it. */
export async function readNetwork(db: Queryable): Promise<FarcasterNetwork> {
  const [row] = await db<{ network: FarcasterNetwork }[]>`
    select (value #>> '{}')::integer as network from hub.settings where name = 'network'
  `
  return row?.network ?? FarcasterNetwork.NONE
}

/** Returns true if the network of this database has channels by the clock of the database (docs/protocol.md §7.1.1). */
export async function readHasChannels(db: Queryable): Promise<boolean> {
  const [row] = await db<{ network: number; nowUnix: number }[]>`
    select (value #>> '{}')::integer as network, extract(epoch from now())::bigint as "nowUnix"
    from hub.settings
    where name = 'network'
  `
  return row !== undefined && isV21(row.network, farcasterSecondsFromUnixSeconds(row.nowUnix))
}
