import type { Database } from '../../../../platform/db/connection.js'

/** Tokens of users, one each. */
export interface TokenRows {
  readonly appId: string
  readonly clientFid: number
  readonly url: string
  readonly fids: readonly number[]
  readonly state?: 'enabled' | 'disabled' | 'invalid'
}

/** Returns the token that `grantTokens` gives a user. */
export function tokenOf(clientFid: number, fid: number): string {
  return `token of ${fid} at ${clientFid}`
}

/** Returns the user of such a token. */
export function fidOf(token: string): number {
  return Number(token.split(' ')[2])
}

/** Inserts tokens as if clients had granted them. */
export async function grantTokens(
  db: Database,
  { appId, clientFid, url, fids, state = 'enabled' }: TokenRows,
): Promise<void> {
  await db`
    insert into miniapps.tokens (app_id, fid, client_fid, url, token, state)
    select ${appId}, fid, ${clientFid}, ${url}, 'token of ' || fid || ' at ' || ${clientFid}::bigint, ${state}
    from unnest(${[...fids]}::bigint[]) as granted (fid)
    on conflict (app_id, fid, client_fid) do update
    set url = excluded.url, token = excluded.token, state = excluded.state`
}

/** Returns `count` fids from `first`. */
export function fidsFrom(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => first + index)
}
