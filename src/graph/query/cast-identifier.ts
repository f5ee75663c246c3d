import type { Fragment } from '#postgres'
import type { Database } from '../../platform/db/connection.js'
import { fidsOfUsernames } from './users.js'

/**
 * The identifier of a cast in a request: a prefix of its hash, which may be the whole hash, and optionally
 * its author.
 */
export interface CastIdentifier {
  /** Lowercase hex without 0x, 6 to 40 digits. */
  readonly hashPrefix: string
  readonly username: string | null
}

const HASH_DIGITS = 40
/** Least digits for a cast of any author. Of fewer a large network has many: only the named author's are meant. */
const MIN_DIGITS_OF_ANY_AUTHOR = 8

/**
 * A subselect of the identified cast, to be used as `from (…) c`. If several casts have the prefix, it
 * prefers the one whose author has the username, then the latest. An author who has changed the username is
 * still found by eight digits or more; one without a username has the name that is shown, `!1`.
 */
export function castByIdentifier(db: Database, { hashPrefix, username }: CastIdentifier): Fragment {
  const isOfAuthor = username === null ? null : db`named.fid in (${fidsOfUsernames(db, [username])})`
  return db`
    select * from social.casts named
    where ${isNamed(db, hashPrefix)}
      ${hashPrefix.length < MIN_DIGITS_OF_ANY_AUTHOR ? db`and ${isOfAuthor ?? db`false`}` : db``}
    order by ${isOfAuthor === null ? db`` : db`${isOfAuthor} desc,`} named.ts desc, named.hash desc
    limit 1`
}

/** A whole hash is compared with one: a range could be half of the table, so that each statement with it would be planned each time. */
function isNamed(db: Database, hashPrefix: string): Fragment {
  if (hashPrefix.length === HASH_DIGITS) return db`named.hash = decode(${hashPrefix}, 'hex')`
  const first = hashPrefix.padEnd(HASH_DIGITS, '0')
  const last = hashPrefix.padEnd(HASH_DIGITS, 'f')
  return db`named.hash between decode(${first}, 'hex') and decode(${last}, 'hex')`
}

/** The hash of the identified cast, in hex without 0x; null if it is not stored. */
export async function findCastHash(db: Database, identifier: CastIdentifier): Promise<string | null> {
  const [row] = await db<{ hash: string }[]>`
    select encode(c.hash, 'hex') as hash from (${castByIdentifier(db, identifier)}) c`
  return row?.hash ?? null
}
