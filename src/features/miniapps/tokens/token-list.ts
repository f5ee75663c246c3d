import type { Database } from '../../../platform/db/connection.js'
import type { TokenState } from './tokens.js'

/** A notification token as its app sees it. */
export interface ListedToken {
  readonly fid: number
  readonly clientFid: number
  readonly url: string
  readonly token: string
  readonly state: TokenState
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** A page of an app's tokens. */
export interface TokenPage {
  /** Only tokens of these users; null for all. */
  readonly fids: readonly number[] | null
  readonly limit: number
  /** Continue after the token with this key; null for the first page. */
  readonly after: { readonly fid: number; readonly clientFid: number } | null
}

/** Lists tokens of an app in order of fid, including ended ones. */
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
