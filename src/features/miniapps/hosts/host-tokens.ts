import { randomBytes } from 'node:crypto'
import type { Static } from '@sinclair/typebox'
import type { Database } from '../../../platform/db/connection.js'
import { isoTime } from '../../../platform/db/iso-time.js'
import { type Refusal, refuse } from '../../../platform/errors.js'
import { rangeOf } from '../../../platform/outbound/address-range.js'
import { bareHost, isLocalhost, type TargetPolicy } from '../../../platform/outbound/target.js'
import { parseUrl } from '../../../platform/text/parse-url.js'
import { insertDomains } from '../catalog/manifests.js'
import type { AppHostUserStateResponse } from '../schema/miniapp.js'

/** The host of a mini app. */
export interface MiniAppSite {
  /** ASCII host name in lowercase, with a non-default port. */
  readonly domain: string
  /** `https://garden.example.com` */
  readonly origin: string
}

/** Characters that end the host part of a URL. */
const invalidHostCharacters = /[\s/\\?#@%]/

/**
 * Parses the domain of a mini app. Ports are for development only: manifests are served at the default port.
 *
 * @param policy When loopback is allowed, a mini app there is reached by http.
 */
export function parseSite(text: string, policy: TargetPolicy): MiniAppSite | Refusal {
  const url = invalidHostCharacters.test(text) ? null : parseUrl(`https://${text}`)
  if (url === null) return invalidDomain('must be a host name')
  const { host: domain, port } = url
  const isLocal = isLocalSite(domain)
  if (port !== '' && !isLocal) return invalidDomain('must be a host name without a port')
  return { domain, origin: `${isLocal && policy.allowLoopback ? 'http' : 'https'}://${domain}` }
}

/** Whether a mini app runs on loopback. */
export function isLocalSite(domain: string): boolean {
  const name = bareHost(new URL(`https://${domain}`).hostname)
  return isLocalhost(name) || rangeOf(name) === 'loopback'
}

function invalidDomain(problem: string): Refusal {
  return refuse('bad_request.invalid_param', `${problem}, such as garden.example.com`)
}

/** A user of an app host, and a mini app that may notify them. */
export interface HostTokenKey {
  /** The app host. */
  readonly appId: string
  readonly fid: number
  /** The domain of the mini app. */
  readonly domain: string
}

/** Random bytes of a token. A token is the permission to notify. */
const TOKEN_BYTES = 32

/** Creates a token. It is valid once the mini app has received it. */
export async function offerToken(db: Database, { appId, fid, domain }: HostTokenKey): Promise<string> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  await db`
    insert into miniapps.host_tokens (token, app_id, fid, domain)
    values (${token}, ${appId}, ${fid}::bigint, ${domain})`
  return token
}

/** Whether the token was issued for this user and mini app and has not ended. */
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

/** Activates a token that the mini app has received, and ends the previous one. */
export async function enableHostToken(db: Database, tokenKey: HostTokenKey, token: string): Promise<void> {
  await db.begin(async (transaction) => {
    await transaction`
      select pg_advisory_xact_lock(hashtextextended(${Object.values(tokenKey).join(' ')}, 0))`
    // A token that was delivered twice, or has ended meanwhile, ends none: a newer one may be in its place.
    await transaction`
      with offered as materialized (
        select from miniapps.host_tokens where token = ${token} and state = 'offered' for update
      )
      update miniapps.host_tokens
      set state = 'disabled', updated_at = now()
      where app_id = ${tokenKey.appId} and fid = ${tokenKey.fid}::bigint and domain = ${tokenKey.domain}
        and state = 'enabled' and token <> ${token} and exists (select from offered)`
    await transaction`
      with enabled as (
        update miniapps.host_tokens set state = 'enabled', updated_at = now()
        where token = ${token} and state = 'offered'
        returning domain
      )
      ${insertDomains(transaction, transaction`select domain from enabled`)}`
  })
}

/** Ends the current token of a mini app and user, and any that is not delivered yet. */
export async function disableHostTokens(db: Database, { appId, fid, domain }: HostTokenKey): Promise<void> {
  await db`
    update miniapps.host_tokens
    set state = 'disabled', updated_at = now()
    where app_id = ${appId} and fid = ${fid}::bigint and domain = ${domain} and state <> 'disabled'`
}

/** Lists the mini apps that may notify a user of this app, by domain. */
export function listEnabled(
  db: Database,
  appId: string,
  fid: number,
): Promise<Static<typeof AppHostUserStateResponse>['notifications_enabled']> {
  return db<Static<typeof AppHostUserStateResponse>['notifications_enabled']>`
    select domain, 'valid' as status, ${isoTime(db, db`updated_at`)} as updated_at
    from miniapps.host_tokens
    where app_id = ${appId} and fid = ${fid}::bigint and state = 'enabled'
    order by domain`
}
