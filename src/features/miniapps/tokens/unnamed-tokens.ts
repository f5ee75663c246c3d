import type { Database, Queryable, Transaction } from '../../../platform/db/connection.js'
import { type TokenHolder, UNNAMED_CLIENT } from './token-holder.js'

/** A client of a user, and a URL at its host. */
interface UserClient {
  readonly fid: number
  readonly clientFid: number
  readonly url: string
  /** A token of the client that is judged by its own date afterwards. */
  readonly token?: string
}

/** A token that has got its client. */
export interface NamedToken {
  readonly fid: number
  readonly clientFid: number
  readonly token: string
}

/**
 * Moves tokens that were imported without a client to the client at their host, with all that is known of them: else the user
 * would be notified twice, and could not end the one without a client. Where the client has another token, that
 * one stays, and the moved one counts as replaced; of two rows of one token the later state stays. Of several clients at one host
 * it is the one with this token. Returns the tokens that have moved, with their clients.
 *
 * The caller has locked the tokens: what it waited for may have replaced one.
 */
export async function nameTokens(
  db: Transaction,
  appId: string,
  clients: readonly UserClient[],
): Promise<NamedToken[]> {
  return await db<NamedToken[]>`
    with named as (
      select fid, client_fid, url, token
      from unnest(
        ${clients.map(({ fid }) => fid)}::bigint[],
        ${clients.map(({ clientFid }) => clientFid)}::bigint[],
        ${db.types.texts(clients.map(({ url }) => url))}::text[],
        ${db.types.texts(clients.map(({ token }) => token ?? null))}::text[]
      ) as named (fid, client_fid, url, token)
    ),
    candidates as (
      select t.fid, n.client_fid, n.token as offered, t.token is not distinct from n.token as is_same
      from miniapps.tokens t
      join named n on n.fid = t.fid and ${hostOf(db, db`n.url`)} = ${hostOf(db, db`t.url`)}
      where t.app_id = ${appId} and t.client_fid = ${UNNAMED_CLIENT}::bigint
    ),
    chosen as (
      select distinct on (fid) fid, client_fid, offered from candidates order by fid, is_same desc, client_fid
    ),
    unnamed as (
      delete from miniapps.tokens t
      using chosen c
      where t.app_id = ${appId} and t.fid = c.fid and t.client_fid = ${UNNAMED_CLIENT}::bigint
      returning t.fid, c.client_fid, c.offered, t.url, t.token, t.state, t.created_at, t.updated_at, t.last_event_at
    ),
    ${movedTokens(db, appId)},
    ${movedDigests(db, appId)}
    select fid, client_fid as "clientFid", token from unnamed`
}

function movedTokens(db: Queryable, appId: string) {
  return db`
    moved as (
      insert into miniapps.tokens as t
        (app_id, fid, client_fid, url, token, state, created_at, updated_at, last_event_at)
      select ${appId}, fid, client_fid, url, token, state, created_at, updated_at, last_event_at
      from unnamed
      on conflict (app_id, fid, client_fid) do update
      set state = excluded.state, updated_at = excluded.updated_at
      where t.token = excluded.token and ${stateRank(db, db`excluded.state`)} > ${stateRank(db, db`t.state`)}
    )`
}

/**
 * The digests of what the moved tokens have replaced, and of those that do not stay: but for a working one that is judged
 * afterwards, which may still replace the client's.
 */
function movedDigests(db: Queryable, appId: string) {
  return db`
    replaced as (
      delete from miniapps.replaced_tokens r
      using unnamed u
      where r.app_id = ${appId} and r.fid = u.fid and r.client_fid = ${UNNAMED_CLIENT}::bigint
      returning r.fid, u.client_fid, r.digest, r.replaced_at
    ),
    superseded as (
      select u.fid, u.client_fid, now() as replaced_at, sha256(convert_to(u.token, 'UTF8')) as digest
      from unnamed u
      join miniapps.tokens t on t.app_id = ${appId} and t.fid = u.fid and t.client_fid = u.client_fid
      where t.token <> u.token and (u.token is distinct from u.offered or u.state <> 'enabled')
    ),
    moved_digests as (
      insert into miniapps.replaced_tokens (app_id, fid, client_fid, digest, replaced_at)
      select ${appId}, fid, client_fid, digest, replaced_at
      from (
        select fid, client_fid, digest, replaced_at from replaced
        union all
        select fid, client_fid, digest, replaced_at from superseded
      ) former
      on conflict do nothing
    )`
}

/** Locks the tokens of holders, and those of their users that name no client. */
export async function lockTokens(
  db: Transaction,
  appId: string,
  holders: readonly Pick<TokenHolder, 'fid' | 'clientFid'>[],
): Promise<void> {
  const fids = holders.map(({ fid }) => fid)
  await db`
    select from miniapps.tokens t
    where app_id = ${appId} and fid = any (${fids}::bigint[])
      and (
        client_fid = ${UNNAMED_CLIENT}::bigint
        or (fid, client_fid) in (
          select * from unnest(${fids}::bigint[], ${holders.map(({ clientFid }) => clientFid)}::bigint[])
        )
      )
    order by ${lockOrder(db)}
    for update`
}

/** The order in which all statements lock tokens of an app: in another one two could wait for each other. */
export function lockOrder(db: Queryable) {
  return db`t.client_fid <> ${UNNAMED_CLIENT}::bigint, t.fid, t.client_fid`
}

/**
 * Names the client of a user's token by an event of that client. An event that ends notifications has no URL: then it is the token
 * at the host of the client's other tokens, and without those the token at the only host of all that name no client, if no
 * client is known there.
 *
 * @param url The notification URL that the event grants; null for one that ends them.
 */
export async function nameTokenByEvent(
  db: Transaction,
  { appId, fid, clientFid }: TokenHolder,
  url: string | null,
): Promise<void> {
  if (clientFid === UNNAMED_CLIENT) return
  const [unnamed] = await db<{ url: string }[]>`
    select t.url
    from miniapps.tokens t
    where t.app_id = ${appId} and t.fid = ${fid}::bigint and t.client_fid = ${UNNAMED_CLIENT}::bigint
      and ${url === null ? isAtClient(db, appId, clientFid) : db`${hostOf(db, db`t.url`)} = ${hostOf(db, db`${url}::text`)}`}`
  if (unnamed) await nameTokens(db, appId, [{ fid, clientFid, url: unnamed.url }])
}

/**
 * Whether the token `t` is at a host of a client, or must be. Anyone may send such an event again and again: each question is a
 * probe of an index, however many tokens an app has.
 */
function isAtClient(db: Queryable, appId: string, clientFid: number) {
  const host = hostOf(db, db`t.url`)
  const otherHost = hostOf(db, db`other.url`)
  const ofClient = db`select from miniapps.tokens other where other.app_id = ${appId} and other.client_fid = ${clientFid}::bigint`
  const unnamed = db`select from miniapps.tokens other where other.app_id = ${appId} and other.client_fid = ${UNNAMED_CLIENT}::bigint`
  return db`
    case
      when exists (${ofClient}) then exists (${ofClient} and ${otherHost} = ${host})
      else
        not exists (${unnamed} and ${otherHost} < ${host})
        and not exists (${unnamed} and ${otherHost} > ${host})
        and not exists (
          select from miniapps.tokens other
          where other.app_id = ${appId} and other.client_fid <> ${UNNAMED_CLIENT}::bigint and ${otherHost} = ${host}
        )
    end`
}

/** The order in which states of a token follow each other. */
export function stateRank(db: Queryable, state: ReturnType<Database>) {
  return db`array_position('{enabled,disabled,invalid}'::text[], ${state})`
}

/** The host of a URL, with its port. */
export function hostOf(db: Queryable, url: ReturnType<Database>) {
  return db`lower(substring(${url} from '://([^/?#]+)'))`
}
