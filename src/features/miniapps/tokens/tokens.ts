import { createHash } from 'node:crypto'
import type { Database, Transaction } from '../../../platform/db/connection.js'
import { PlazaError } from '../../../platform/errors.js'

/** How a token stands. It never goes back to a state that stands further left. */
export const tokenStates = ['enabled', 'disabled', 'invalid'] as const
export type TokenState = (typeof tokenStates)[number]

/** Whose token: each client app grants its own for a user and a mini app (docs/compatibility.md §19.2). */
export interface TokenHolder {
  readonly appId: string
  readonly fid: number
  /** The client app as a user of the network, or `UNNAMED_CLIENT`. */
  readonly clientFid: number
}

/** The client of events that do not name one: those that an address has signed. No user has this fid. */
export const UNNAMED_CLIENT = 0

/** A permission to notify a user. */
export interface Grant {
  /** Where the client takes notifications. */
  readonly url: string
  readonly token: string
}

/** What came of an event: what it asked for, or nothing, since it was so already or is of the past. */
export type TokenEventOutcome = 'applied' | 'unchanged'

/**
 * How many tokens may follow each other in a day. Users switch notifications off and on, and this is more than any
 * of them does; each token leaves a row behind.
 */
const MAX_TOKENS_PER_DAY = 100

/**
 * Takes a token that a client grants: from now on it is the one of its holder. One that was granted before changes
 * nothing, be it the one that stands or one that has ended: the protocol has a new token for each time that a user
 * enables notifications, so that an old one comes from an event that was sent again.
 *
 * @throws PlazaError `bad_request.rate_limited` when the holder was granted too many tokens within a day.
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
  // What clients send again is most often this one: nothing is locked or written for it.
  if (current?.token === grant.token) return 'unchanged'
  return await db.begin(async (transaction) => {
    // Whether it is the first or not, the row is this transaction's until it ends.
    const [stored] = await transaction<{ token: string; isFirst: boolean }[]>`
      insert into miniapps.tokens (app_id, fid, client_fid, url, token)
      values (${appId}, ${fid}::bigint, ${clientFid}::bigint, ${grant.url}, ${grant.token})
      on conflict (app_id, fid, client_fid) do update set last_event_at = tokens.last_event_at
      returning token, xmax = 0 as "isFirst"`
    if (stored!.isFirst) return 'applied'
    if (stored!.token === grant.token) return 'unchanged'
    return await replaceToken(transaction, holder, stored!.token, grant)
  })
}

async function replaceToken(
  db: Transaction,
  { appId, fid, clientFid }: TokenHolder,
  stored: string,
  { url, token }: Grant,
): Promise<TokenEventOutcome> {
  const [previous] = await db<{ isPast: boolean; today: number }[]>`
    select
      coalesce(bool_or(digest = ${tokenDigest(token)}), false) as "isPast",
      count(*) filter (where replaced_at > now() - interval '1 day') as today
    from miniapps.replaced_tokens
    where app_id = ${appId} and fid = ${fid}::bigint and client_fid = ${clientFid}::bigint`
  if (previous!.isPast) return 'unchanged'
  if (previous!.today >= MAX_TOKENS_PER_DAY) {
    throw new PlazaError(
      'bad_request.rate_limited',
      `this user and client have had ${MAX_TOKENS_PER_DAY} tokens within a day`,
    )
  }
  await db`
    with past as (
      insert into miniapps.replaced_tokens (app_id, fid, client_fid, digest)
      values (${appId}, ${fid}::bigint, ${clientFid}::bigint, ${tokenDigest(stored)})
    )
    update miniapps.tokens
    set url = ${url}, token = ${token}, state = 'enabled', created_at = now(), updated_at = now(), last_event_at = now()
    where app_id = ${appId} and fid = ${fid}::bigint and client_fid = ${clientFid}::bigint`
  return 'applied'
}

/** Ends the token of a holder: `disabled` for notifications that were switched off, `invalid` for a removed mini app. */
export async function endToken(
  db: Database,
  { appId, fid, clientFid }: TokenHolder,
  state: Exclude<TokenState, 'enabled'>,
): Promise<TokenEventOutcome> {
  const rows = await db`
    update miniapps.tokens
    set state = ${state}, updated_at = now(), last_event_at = now()
    where app_id = ${appId} and fid = ${fid}::bigint and client_fid = ${clientFid}::bigint
      and (state = 'enabled' or state = 'disabled' and ${state} = 'invalid')
    returning 1`
  return rows.length > 0 ? 'applied' : 'unchanged'
}

function tokenDigest(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
