import type { Database } from '../../../platform/db/connection.js'
import type { TokenState } from './tokens.js'

/** A token as its app sees it. */
export interface ListedToken {
  readonly fid: number
  readonly clientFid: number
  readonly url: string
  readonly token: string
  readonly state: TokenState
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** Which tokens of an app. */
export interface TokenPage {
  /** Only those of these users; null for all. */
  readonly fids: readonly number[] | null
  readonly limit: number
  /** Goes on behind the token with this key; null begins. */
  readonly after: { readonly fid: number; readonly clientFid: number } | null
}

/** Tokens of an app, those that have ended among them, in the order of users. */
export async function listTokens(
  db: Database,
  appId: string,
  { fids, limit, after }: TokenPage,
): Promise<ListedToken[]> {
  const fidCondition = fids === null ? db`` : db`and fid = any (${[...fids]}::bigint[])`
  const cursorCondition =
    after === null ? db`` : db`and (fid, client_fid) > (${after.fid}::bigint, ${after.clientFid}::bigint)`
  return await db<ListedToken[]>`
    select
      fid, client_fid as "clientFid", url, token, state, created_at as "createdAt", updated_at as "updatedAt"
    from miniapps.tokens
    where app_id = ${appId} ${fidCondition} ${cursorCondition}
    order by fid, client_fid
    limit ${limit}::bigint`
}
