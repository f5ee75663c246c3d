import type { Database, Queryable } from '../../../platform/db/connection.js'
import { type TokenHolder, UNNAMED_CLIENT } from './token-holder.js'

/** A token of a user, and the client that it turns out to be of. */
export interface NamedToken {
  readonly fid: number
  readonly clientFid: number
  readonly token: string
}

/**
 * Moves tokens that were imported without a client to the clients that they turn out to be of, with all that is known of them:
 * else the user would be notified twice, and could not end the one without a client. Where the client has another token, that
 * one stays, and the moved one counts as replaced; of two rows of one token the later state stays. Returns the users whose token
 * has moved.
 */
export async function nameTokens(
  db: Queryable,
  appId: string,
  tokens: readonly NamedToken[],
): Promise<number[]> {
  const rows = await db<{ fid: number }[]>`
    with named as (
      select fid, client_fid, token
      from unnest(
        ${tokens.map(({ fid }) => fid)}::bigint[],
        ${tokens.map(({ clientFid }) => clientFid)}::bigint[],
        ${db.types.texts(tokens.map(({ token }) => token))}::text[]
      ) as named (fid, client_fid, token)
    ),
    unnamed as (
      delete from miniapps.tokens t
      using named n
      where t.app_id = ${appId} and t.fid = n.fid and t.client_fid = ${UNNAMED_CLIENT}::bigint and t.token = n.token
      returning t.fid, n.client_fid, t.url, t.token, t.state, t.created_at, t.updated_at, t.last_event_at
    ),
    moved as (
      insert into miniapps.tokens as t
        (app_id, fid, client_fid, url, token, state, created_at, updated_at, last_event_at)
      select ${appId}, fid, client_fid, url, token, state, created_at, updated_at, last_event_at
      from unnamed
      on conflict (app_id, fid, client_fid) do update
      set state = excluded.state, updated_at = excluded.updated_at
      where t.token = excluded.token and ${stateRank(db, db`excluded.state`)} > ${stateRank(db, db`t.state`)}
    ),
    replaced as (
      delete from miniapps.replaced_tokens r
      using unnamed u
      where r.app_id = ${appId} and r.fid = u.fid and r.client_fid = ${UNNAMED_CLIENT}::bigint
      returning r.fid, u.client_fid, r.digest, r.replaced_at
    ),
    superseded as (
      select u.fid, u.client_fid, sha256(convert_to(u.token, 'UTF8')) as digest, now() as replaced_at
      from unnamed u
      join miniapps.tokens t on t.app_id = ${appId} and t.fid = u.fid and t.client_fid = u.client_fid
      where t.token <> u.token
    ),
    moved_replaced as (
      insert into miniapps.replaced_tokens (app_id, fid, client_fid, digest, replaced_at)
      select ${appId}, fid, client_fid, digest, replaced_at
      from (select * from replaced union all select * from superseded) former
      on conflict do nothing
    )
    select fid from unnamed`
  return rows.map(({ fid }) => fid)
}

/**
 * Names the client of a user's token by an event of that client. An event that ends notifications has no URL: then it is the token
 * at the host of the client's other tokens, and without those any token without a client, since the user does not want it.
 *
 * @param url The notification URL that the event grants; null for one that ends them.
 */
export async function nameTokenByEvent(
  db: Queryable,
  { appId, fid, clientFid }: TokenHolder,
  url: string | null,
): Promise<void> {
  if (clientFid === UNNAMED_CLIENT) return
  const [unnamed] = await db<{ token: string }[]>`
    select t.token
    from miniapps.tokens t
    where t.app_id = ${appId} and t.fid = ${fid}::bigint and t.client_fid = ${UNNAMED_CLIENT}::bigint
      and ${hostOf(db, db`t.url`)} = coalesce(
        ${url === null ? db`null` : hostOf(db, db`${url}::text`)},
        (
          select ${hostOf(db, db`other.url`)}
          from miniapps.tokens other
          where other.app_id = ${appId} and other.client_fid = ${clientFid}::bigint
          limit 1
        ),
        ${hostOf(db, db`t.url`)}
      )`
  if (unnamed) await nameTokens(db, appId, [{ fid, clientFid, token: unnamed.token }])
}

/** The order in which states of a token follow each other. */
export function stateRank(db: Queryable, state: ReturnType<Database>) {
  return db`array_position('{enabled,disabled,invalid}'::text[], ${state})`
}

/** The host of a URL, with its port. */
export function hostOf(db: Queryable, url: ReturnType<Database>) {
  return db`lower(substring(${url} from '://([^/?#]+)'))`
}
