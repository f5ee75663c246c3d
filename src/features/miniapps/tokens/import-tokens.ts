import type { Database, Queryable } from '../../../platform/db/connection.js'
import { UNNAMED_CLIENT } from './token-holder.js'
import { lockTokens, type NamedToken, nameTokens, stateRank } from './unnamed-tokens.js'

/** A token that another service or a file knows. */
export interface ImportedToken {
  readonly fid: number
  /** `UNNAMED_CLIENT` when it is not known. */
  readonly clientFid: number
  readonly url: string
  readonly token: string
  readonly state: 'enabled' | 'disabled' | 'invalid'
  /** When it was granted and last changed there; null when that is not known. */
  readonly createdAt: Date | null
  readonly updatedAt: Date | null
}

/** How many tokens of an import had which outcome. */
export interface ImportTally {
  /** Of users and clients without a token. */
  added: number
  /** Replaced an older token, ended the same, or named its client. */
  updated: number
  unchanged: number
  /** Another token that was granted later, or a former one, is here: it stays. */
  kept: number
}

/**
 * Imports a batch of tokens of an app, in one transaction and a few statements for all. The newer of two tokens of a holder
 * stays, an ended token never becomes valid again, and a repetition changes nothing, also one that does not name clients.
 */
export async function importTokens(
  db: Database,
  appId: string,
  batch: readonly ImportedToken[],
): Promise<ImportTally> {
  const tokens = newestByHolder(batch)
  const tally = await db.begin(async (transaction) => {
    const withClient = tokens.filter(({ clientFid }) => clientFid !== UNNAMED_CLIENT)
    await lockTokens(transaction, appId, tokens)
    const named = await nameTokens(transaction, appId, withClient)
    return await mergeTokens(transaction, appId, tokens, named)
  })
  return { ...tally, kept: tally.kept + batch.length - tokens.length }
}

/** @param named Tokens that have got their clients just now. */
async function mergeTokens(
  db: Queryable,
  appId: string,
  tokens: readonly ImportedToken[],
  named: readonly NamedToken[],
): Promise<ImportTally> {
  const [tally] = await db<[ImportTally]>`
    with given as (${rowsOf(db, tokens)}),
    stored as materialized (
      select t.fid, t.client_fid, t.token, t.state, t.last_event_at
      from miniapps.tokens t
      join given using (fid, client_fid)
      where t.app_id = ${appId}
    ),
    named as (
      select * from unnest(
        ${named.map(({ fid }) => fid)}::bigint[],
        ${named.map(({ clientFid }) => clientFid)}::bigint[],
        ${db.types.texts(named.map(({ token }) => token))}::text[]
      ) as named (fid, client_fid, token)
    ),
    ${outcomesOf(db, appId)},
    added as (
      insert into miniapps.tokens (app_id, fid, client_fid, url, token, state, created_at, updated_at, last_event_at)
      select ${appId}, fid, client_fid, url, token, state, created_at, updated_at, updated_at
      from judged
      where outcome = 'added'
      on conflict do nothing
    ),
    replaced as (
      insert into miniapps.replaced_tokens (app_id, fid, client_fid, digest)
      select ${appId}::uuid, fid, client_fid, sha256(convert_to(stored_token, 'UTF8'))
      from judged
      where outcome = 'replaced'
      union
      select ${appId}::uuid, fid, client_fid, sha256(convert_to(token, 'UTF8'))
      from judged
      where outcome = 'kept' and (fid, client_fid, token) in (select * from named)
      on conflict do nothing
    ),
    changed as (
      update miniapps.tokens t
      set
        url = j.url, token = j.token, state = j.state, updated_at = j.updated_at,
        created_at = case when j.outcome = 'replaced' then j.created_at else t.created_at end,
        last_event_at = greatest(t.last_event_at, j.updated_at)
      from judged j
      where t.app_id = ${appId} and t.fid = j.fid and t.client_fid = j.client_fid
        and j.outcome in ('replaced', 'ended')
    )
    select
      count(*) filter (where outcome = 'added')::integer as added,
      count(*) filter (where outcome in ('replaced', 'ended', 'named'))::integer as updated,
      count(*) filter (where outcome = 'unchanged')::integer as unchanged,
      count(*) filter (where outcome = 'kept')::integer as kept
    from judged`
  return tally
}

/** The outcome of each token: `judged`. */
function outcomesOf(db: Queryable, appId: string) {
  return db`
    judged as materialized (
      select
        given.*, stored.token as stored_token,
        case
          when stored.fid is null then
            case
              when given.client_fid <> ${UNNAMED_CLIENT}::bigint then 'added'
              when exists (
                select from miniapps.tokens named
                where named.app_id = ${appId} and named.fid = given.fid and named.token = given.token
              ) then 'unchanged'
              when exists (
                select from miniapps.replaced_tokens r
                where r.app_id = ${appId} and r.fid = given.fid
                  and r.digest = sha256(convert_to(given.token, 'UTF8'))
              ) then 'kept'
              else 'added'
            end
          when stored.token = given.token then
            case
              when ${stateRank(db, db`given.state`)} > ${stateRank(db, db`stored.state`)} then 'ended'
              when (given.fid, given.client_fid, given.token) in (select * from named) then 'named'
              else 'unchanged'
            end
          when not given.is_dated or given.updated_at <= stored.last_event_at then 'kept'
          when exists (
            select from miniapps.replaced_tokens r
            where r.app_id = ${appId} and r.fid = given.fid and r.client_fid = given.client_fid
              and r.digest = sha256(convert_to(given.token, 'UTF8'))
          ) then 'kept'
          else 'replaced'
        end as outcome
      from given
      left join stored using (fid, client_fid)
    )`
}

/** The tokens as rows. */
function rowsOf(db: Queryable, tokens: readonly ImportedToken[]) {
  return db`
      select
        fid, client_fid, url, token, state,
        coalesce(created_at::timestamptz, updated_at::timestamptz, now()) as created_at,
        coalesce(updated_at::timestamptz, created_at::timestamptz, now()) as updated_at,
        coalesce(updated_at, created_at) is not null as is_dated
      from unnest(
        ${tokens.map(({ fid }) => fid)}::bigint[],
        ${tokens.map(({ clientFid }) => clientFid)}::bigint[],
        ${db.types.texts(tokens.map(({ url }) => url))}::text[],
        ${db.types.texts(tokens.map(({ token }) => token))}::text[],
        ${db.types.texts(tokens.map(({ state }) => state))}::text[],
        ${db.types.texts(tokens.map(({ createdAt }) => createdAt?.toISOString() ?? null))}::text[],
        ${db.types.texts(tokens.map(({ updatedAt }) => updatedAt?.toISOString() ?? null))}::text[]
      ) as given (fid, client_fid, url, token, state, created_at, updated_at)`
}

/** One token for each user and client: the one that changed last; of undated ones the last in the batch. */
function newestByHolder(batch: readonly ImportedToken[]): ImportedToken[] {
  const byHolder = new Map<string, ImportedToken>()
  for (const token of batch) {
    const holder = `${token.fid} ${token.clientFid}`
    const known = byHolder.get(holder)
    if (known === undefined || timeOf(token) >= timeOf(known)) byHolder.set(holder, token)
  }
  return [...byHolder.values()]
}

function timeOf({ updatedAt, createdAt }: ImportedToken): number {
  return (updatedAt ?? createdAt)?.getTime() ?? 0
}
