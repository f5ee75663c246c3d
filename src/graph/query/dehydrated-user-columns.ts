import type { PendingQuery, Row } from '#postgres'
import type { Database } from '../../platform/db/connection.js'

/** The fields of a dehydrated user, for lists that show apps or users beside whole users. */
export interface DehydratedUserRow {
  readonly fid: number
  readonly username: string | null
  readonly displayName: string | null
  readonly pfpUrl: string | null
  /** Lowercase hex without 0x. */
  readonly custodyAddress: string
  readonly score: number | null
}

/** Returns SQL that makes a `DehydratedUserRow` of a row of social.users; null when the row is missing. */
export function dehydratedUserColumns(db: Database, alias: string): PendingQuery<Row[]> {
  const column = (name: string) => db(`${alias}.${name}`)
  return db`
    case when ${column('fid')} is not null then json_build_object(
      'fid', ${column('fid')}, 'username', ${column('username')}, 'displayName', ${column('display_name')},
      'pfpUrl', ${column('pfp_url')}, 'custodyAddress', encode(${column('custody_address')}, 'hex'),
      'score', ${column('score')}
    ) end`
}
