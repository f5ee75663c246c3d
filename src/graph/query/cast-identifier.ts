import type { Fragment } from 'postgres'
import type { Database } from '../../platform/db/connection.js'

/** How a request names one cast: by the beginning of its hash, which may be all of it, and perhaps its author. */
export interface CastIdentifier {
  /** Lower-case hex without 0x, 8 to 40 digits. */
  readonly hashPrefix: string
  readonly username: string | null
}

const HASH_DIGITS = 40

/**
 * A sub-select of the cast that is meant, with its columns. If an abbreviated hash is that of several: the one whose
 * author has the name, then the latest. An author who has another name by now is no obstacle. To be used as
 * `from (…) c`.
 */
export function castByIdentifier(db: Database, { hashPrefix, username }: CastIdentifier): Fragment {
  const first = hashPrefix.padEnd(HASH_DIGITS, '0')
  const last = hashPrefix.padEnd(HASH_DIGITS, 'f')
  return db`
    select * from social.casts named
    where named.hash between decode(${first}, 'hex') and decode(${last}, 'hex')
    order by
      exists (select from social.users u where u.fid = named.fid and u.username = ${username}) desc,
      named.ts desc, named.hash desc
    limit 1`
}

/** The hash of the cast that is meant, in hex without 0x; null if it is not here. */
export async function findCastHash(db: Database, identifier: CastIdentifier): Promise<string | null> {
  const [row] = await db<{ hash: string }[]>`
    select encode(c.hash, 'hex') as hash from (${castByIdentifier(db, identifier)}) c`
  return row?.hash ?? null
}
