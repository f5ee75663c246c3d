import type { Static } from '@sinclair/typebox'
import type { Database, Transaction } from '../../../platform/db/connection.js'
import { isoTime } from '../../../platform/db/iso-time.js'
import { PlazaError } from '../../../platform/errors.js'
import { secretDigest } from '../../../platform/vault/secret-digest.js'
import type { NotificationToken, NotificationTokenCount } from '../schema/miniapp.js'
import { type TokenHolder, UNNAMED_CLIENT } from './token-holder.js'
import { hostOf, lockTokens, nameTokenByEvent } from './unnamed-tokens.js'

/** A permission to notify a user. */
export interface Grant {
  /** The client's notification URL. */
  readonly url: string
  readonly token: string
}

/** Clients that are counted: any fid may be one, but few are. */
const MAX_CLIENTS = 1_000

/** Whether an event changed the token. */
export type TokenEventOutcome = 'applied' | 'unchanged'

/** Most new tokens of a holder per day. Users toggle notifications less often, and each token leaves a row. */
const MAX_TOKENS_PER_DAY = 100

/**
 * Stores a token that a client grants as the current one of its holder. A token that was granted before changes
 * nothing, even if it has ended: the protocol issues a new token whenever a user enables notifications, so an old token
 * means a repeated event.
 *
 * @throws PlazaError `bad_request.rate_limited` after too many new tokens within a day, with the time until one more may come.
 */
export async function grantToken(
  db: Database,
  holder: TokenHolder,
  grant: Grant,
): Promise<TokenEventOutcome> {
  const { appId, fid, clientFid } = holder
  const [current] = await db<{ token: string }[]>`
    select token from miniapps.tokens
    where app_id = ${appId} and fid = ${fid}::bigint and client_fid = ${clientFid}::bigint`
  // The usual repetition needs no lock and no write.
  if (current?.token === grant.token) return 'unchanged'
  if (clientFid === UNNAMED_CLIENT && (await isKnownToken(db, holder, grant.token))) return 'unchanged'
  return await db.begin(async (transaction) => {
    await lockTokens(transaction, appId, [holder])
    // The row stays locked until the transaction ends, new or not.
    const [stored] = await transaction<{ token: string; isFirst: boolean }[]>`
      insert into miniapps.tokens (app_id, fid, client_fid, url, token)
      values (${appId}, ${fid}::bigint, ${clientFid}::bigint, ${grant.url}, ${grant.token})
      on conflict (app_id, fid, client_fid) do update set last_event_at = tokens.last_event_at
      returning token, xmax = 0 as "isFirst"`
    if (!stored!.isFirst) {
      const isRepeated = stored!.token === grant.token
      const outcome = isRepeated ? 'unchanged' : await replaceToken(transaction, holder, stored!.token, grant)
      if (outcome === 'unchanged') return outcome
    }
    await nameTokenByEvent(transaction, holder, grant.url)
    return 'applied'
  })
}

/** Whether any client of the user has or had this token: a late repetition of the event of a client that got its name since. */
async function isKnownToken(db: Database, { appId, fid }: TokenHolder, token: string): Promise<boolean> {
  const rows = await db`
    select from miniapps.tokens where app_id = ${appId} and fid = ${fid}::bigint and token = ${token}
    union all
    select from miniapps.replaced_tokens
    where app_id = ${appId} and fid = ${fid}::bigint and digest = ${secretDigest(token)}
    limit 1`
  return rows.length > 0
}

async function replaceToken(
  db: Transaction,
  { appId, fid, clientFid }: TokenHolder,
  stored: string,
  { url, token }: Grant,
): Promise<TokenEventOutcome> {
  const [previous] = await db<{ isReplaced: boolean; today: number; secondsLeft: number | null }[]>`
    select
      coalesce(bool_or(digest = ${secretDigest(token)}), false) as "isReplaced",
      count(*) filter (where replaced_at > now() - interval '1 day') as today,
      ceil(extract(epoch from
        min(replaced_at) filter (where replaced_at > now() - interval '1 day') + interval '1 day' - now()
      ))::integer as "secondsLeft"
    from miniapps.replaced_tokens
    where app_id = ${appId} and fid = ${fid}::bigint and client_fid = ${clientFid}::bigint`
  if (previous!.isReplaced) return 'unchanged'
  if (previous!.today >= MAX_TOKENS_PER_DAY) {
    throw new PlazaError(
      'bad_request.rate_limited',
      `this user and client have been granted ${MAX_TOKENS_PER_DAY} tokens within a day`,
      { retryAfterSeconds: previous!.secondsLeft! },
    )
  }
  await db`
    with past as (
      insert into miniapps.replaced_tokens (app_id, fid, client_fid, digest)
      values (${appId}, ${fid}::bigint, ${clientFid}::bigint, ${secretDigest(stored)})
      on conflict do nothing
    )
    update miniapps.tokens
    set url = ${url}, token = ${token}, state = 'enabled', created_at = now(), updated_at = now(), last_event_at = now()
    where app_id = ${appId} and fid = ${fid}::bigint and client_fid = ${clientFid}::bigint`
  return 'applied'
}

/** Ends the token of a holder: `disabled` when notifications were disabled, `invalid` when the mini app was removed. */
export async function endToken(
  db: Database,
  holder: TokenHolder,
  state: 'disabled' | 'invalid',
): Promise<TokenEventOutcome> {
  const { appId, fid, clientFid } = holder
  return await db.begin(async (transaction) => {
    await lockTokens(transaction, appId, [holder])
    await nameTokenByEvent(transaction, holder, null)
    const { count } = await transaction`
      update miniapps.tokens
      set state = ${state}, updated_at = now(), last_event_at = now()
      where app_id = ${appId} and fid = ${fid}::bigint and client_fid = ${clientFid}::bigint
        and (state = 'enabled' or state = 'disabled' and ${state} = 'invalid')`
    return count > 0 ? 'applied' : 'unchanged'
  })
}

/**
 * Lists tokens of an app in order of fid, including ended ones, of these users or of all, as the API shows them.
 *
 * @param after The fid and the client of the last token of the previous page.
 */
export function listTokens(
  db: Database,
  appId: string,
  fids: readonly number[] | null,
  limit: number,
  after: readonly [fid: number, clientFid: number] | null,
): Promise<Static<typeof NotificationToken>[]> {
  return db<Static<typeof NotificationToken>[]>`
    select
      'notification_token' as object, fid, client_fid, url, token, state as status,
      ${isoTime(db, db`created_at`)} as created_at, ${isoTime(db, db`updated_at`)} as updated_at
    from miniapps.tokens
    where app_id = ${appId}
      ${fids === null ? db`` : db`and fid = any (${[...fids]}::bigint[])`}
      ${after === null ? db`` : db`and (fid, client_fid) > (${after[0]}::bigint, ${after[1]}::bigint)`}
    order by fid, client_fid
    limit ${limit}::bigint`
}

/** Counts the tokens of an app by client and state. */
export function countTokens(db: Database, appId: string): Promise<Static<typeof NotificationTokenCount>[]> {
  return db<Static<typeof NotificationTokenCount>[]>`
    select
      'notification_token_count' as object, client_fid,
      max(${hostOf(db, db`url`)}) as host,
      count(*) filter (where state = 'enabled')::integer as enabled,
      count(*) filter (where state = 'disabled')::integer as disabled,
      count(*) filter (where state = 'invalid')::integer as invalid,
      ${isoTime(db, db`max(last_event_at)`)} as last_event_at
    from miniapps.tokens
    where app_id = ${appId}
    group by client_fid
    order by enabled desc, client_fid
    limit ${MAX_CLIENTS}`
}
