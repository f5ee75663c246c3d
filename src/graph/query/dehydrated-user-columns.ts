import type { PendingQuery, Row } from 'postgres'
import type { Database } from '../../platform/db/connection.js'

/** What the short form of a user is made of, where a list names apps or users beside whole ones. */
export interface ShortUser {
  readonly fid: number
  readonly username: string | null
  readonly displayName: string | null
  readonly pfpUrl: string | null
  /** Lower-case hex without 0x. */
  readonly custodyAddress: string
  readonly score: number | null
}

/** A ShortUser as an expression over a row of social.users that may be missing: then it is null. */
export function shortUserOf(db: Database, alias: string): PendingQuery<Row[]> {
  const column = (name: string) => db(`${alias}.${name}`)
  return db`
    case when ${column('fid')} is not null then json_build_object(
      'fid', ${column('fid')}, 'username', ${column('username')}, 'displayName', ${column('display_name')},
      'pfpUrl', ${column('pfp_url')}, 'custodyAddress', encode(${column('custody_address')}, 'hex'),
      'score', ${column('score')}
    ) end`
}
