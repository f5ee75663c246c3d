import { randomBytes } from 'node:crypto'
import type { Database } from '../../../platform/db/connection.js'

/** A user of an app that opens mini apps, and the mini app that may notify them. */
export interface HostTokenKey {
  /** The app that opens it. */
  readonly appId: string
  readonly fid: number
  /** Of the mini app. */
  readonly domain: string
}

/** A mini app that may notify a user. */
export interface EnabledDomain {
  readonly domain: string
  readonly updatedAt: Date
}

/** Nobody guesses it, and whoever has it may notify. */
const TOKEN_BYTES = 32

/** Makes a token. It is good for nothing until the mini app has it. */
export async function offerToken(db: Database, { appId, fid, domain }: HostTokenKey): Promise<string> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  await db`
    insert into miniapps.host_tokens (token, app_id, fid, domain)
    values (${token}, ${appId}, ${fid}::bigint, ${domain})`
  return token
}

/** Whether a token was made for this user and mini app, and has not ended. */
export async function isOffered(
  db: Database,
  { appId, fid, domain }: HostTokenKey,
  token: string,
): Promise<boolean> {
  const rows = await db`
    select from miniapps.host_tokens
    where token = ${token} and app_id = ${appId} and fid = ${fid}::bigint and domain = ${domain}
      and state <> 'disabled'`
  return rows.length > 0
}

/** The mini app has this token now; the one before it has ended. */
export async function enableHostToken(db: Database, tokenKey: HostTokenKey, token: string): Promise<void> {
  await db.begin(async (transaction) => {
    await transaction`
      select pg_advisory_xact_lock(hashtextextended(${Object.values(tokenKey).join(' ')}, 0))`
    await transaction`
      update miniapps.host_tokens
      set state = 'disabled', updated_at = now()
      where app_id = ${tokenKey.appId} and fid = ${tokenKey.fid}::bigint and domain = ${tokenKey.domain}
        and state = 'enabled' and token <> ${token}`
    await transaction`
      update miniapps.host_tokens set state = 'enabled', updated_at = now()
      where token = ${token} and state = 'offered'`
  })
}

/** The mini app may not notify the user any more, be it by a token that it has or by one that is under way. */
export async function disableHostTokens(db: Database, { appId, fid, domain }: HostTokenKey): Promise<void> {
  await db`
    update miniapps.host_tokens
    set state = 'disabled', updated_at = now()
    where app_id = ${appId} and fid = ${fid}::bigint and domain = ${domain} and state <> 'disabled'`
}

/** The mini apps that may notify a user of this app, by their domains. */
export async function listEnabled(db: Database, appId: string, fid: number): Promise<EnabledDomain[]> {
  return await db<EnabledDomain[]>`
    select domain, updated_at as "updatedAt"
    from miniapps.host_tokens
    where app_id = ${appId} and fid = ${fid}::bigint and state = 'enabled'
    order by domain`
}
