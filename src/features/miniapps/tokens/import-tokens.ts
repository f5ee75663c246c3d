import type { Database, Queryable } from '../../../platform/db/connection.js'
import { UNNAMED_CLIENT } from './token-holder.js'
import { hostOf, lockTokens, type NamedToken, nameTokens, stateRank } from './unnamed-tokens.js'

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
  /** Tokens of users and clients that had none. */
  added: number
  /** Replaced an older token, ended the same, or named its client. */
  updated: number
  unchanged: number
  /** Another token that was granted later, or a former one, is here: it stays. */
  kept: number
  /** Without a client, of users who have a token without a client at another host: which one to replace is unknown. */
  notStored: number
  /** Tokens without a client that are stored for `UNNAMED_CLIENT`, or not stored, by the host of their URL. */
  readonly unnamedByHost: ReadonlyMap<string, UnnamedTally>
}

/** Tokens of a host that name no client. */
export interface UnnamedTally {
  readonly stored: number
  readonly notStored: number
}

/**
 * Imports a batch of tokens of an app, in one transaction and a few statements for all. The newer of two tokens of a holder
 * stays, an ended token never becomes valid again, and a repetition changes nothing, also one that does not name clients. One
 * without a client displaces none at another host: that is of another client.
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
  const outcomes = await db<OutcomeRow[]>`
    with given as (${rowsOf(db, tokens)}),
    stored as materialized (
      select t.fid, t.client_fid, t.url, t.token, t.state, t.last_event_at
      from miniapps.tokens t
      join (select distinct fid, client_fid from given) holders using (fid, client_fid)
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
      outcome,
      case when client_fid = ${UNNAMED_CLIENT}::bigint then ${hostOf(db, db`url`)} end as "unnamedHost",
      outcome in ('added', 'replaced', 'ended') or (outcome = 'unchanged' and stored_token = token) as "isStored",
      count(*)::integer as count
    from judged
    group by 1, 2, 3
    order by 2`
  return tallyOf(outcomes)
}

interface OutcomeRow {
  readonly outcome: 'added' | 'replaced' | 'ended' | 'named' | 'unchanged' | 'kept' | 'not stored'
  /** Null for tokens that name their client. */
  readonly unnamedHost: string | null
  /** Whether the holder has this token now. */
  readonly isStored: boolean
  readonly count: number
}

function tallyOf(rows: readonly OutcomeRow[]): ImportTally {
  const count = (isCounted: (row: OutcomeRow) => boolean) =>
    rows.filter(isCounted).reduce((sum, row) => sum + row.count, 0)
  const hosts = new Set(rows.flatMap(({ unnamedHost }) => unnamedHost ?? []))
  return {
    added: count(({ outcome }) => outcome === 'added'),
    updated: count(({ outcome }) => outcome === 'replaced' || outcome === 'ended' || outcome === 'named'),
    unchanged: count(({ outcome }) => outcome === 'unchanged'),
    kept: count(({ outcome }) => outcome === 'kept'),
    notStored: count(({ outcome }) => outcome === 'not stored'),
    unnamedByHost: new Map(
      [...hosts].map((host) => [
        host,
        {
          stored: count(({ unnamedHost, isStored }) => unnamedHost === host && isStored),
          notStored: count(({ unnamedHost, outcome }) => unnamedHost === host && outcome === 'not stored'),
        },
      ]),
    ),
  }
}

/** The outcome of each token: `judged`. */
function outcomesOf(db: Queryable, appId: string) {
  const isUnnamed = db`given.client_fid = ${UNNAMED_CLIENT}::bigint`
  /** The outcome of a token without a client that its client may have, or have had. */
  const knownOr = (otherwise: string) => db`
    case
      when exists (
        select from miniapps.tokens named
        where named.app_id = ${appId} and named.fid = given.fid and named.token = given.token
      ) then 'unchanged'
      when exists (
        select from miniapps.replaced_tokens r
        where r.app_id = ${appId} and r.fid = given.fid
          and r.digest = sha256(convert_to(given.token, 'UTF8'))
      ) then 'kept'
      else ${otherwise}
    end`
  return db`
    alone as materialized (
      select
        given.*, stored.token as stored_token,
        case
          when stored.fid is null then
            case when ${isUnnamed} then ${knownOr('added')} else 'added' end
          when stored.token = given.token then
            case
              when ${stateRank(db, db`given.state`)} > ${stateRank(db, db`stored.state`)} then 'ended'
              when (given.fid, given.client_fid, given.token) in (select * from named) then 'named'
              else 'unchanged'
            end
          when ${isUnnamed} and ${hostOf(db, db`given.url`)} <> ${hostOf(db, db`stored.url`)} then ${knownOr('not stored')}
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
    ),
    judged as materialized (
      select
        fid, client_fid, url, token, state, created_at, updated_at, stored_token,
        case
          -- Of those of one holder, which are at different hosts, the one that changed last.
          when outcome = 'added' and row_number() over (
            partition by fid, client_fid, outcome order by is_dated desc, updated_at desc, url
          ) > 1 then 'not stored'
          else outcome
        end as outcome
      from alone
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

/**
 * One token for each user and client: the one that changed last; of undated ones the last in the batch. Those without a client
 * are of one client if their host is the same.
 */
function newestByHolder(batch: readonly ImportedToken[]): ImportedToken[] {
  const byHolder = new Map<string, ImportedToken>()
  for (const token of batch) {
    const host = token.clientFid === UNNAMED_CLIENT ? new URL(token.url).host : ''
    const holder = `${token.fid} ${token.clientFid} ${host}`
    const known = byHolder.get(holder)
    if (known === undefined || timeOf(token) >= timeOf(known)) byHolder.set(holder, token)
  }
  return [...byHolder.values()]
}

function timeOf({ updatedAt, createdAt }: ImportedToken): number {
  return (updatedAt ?? createdAt)?.getTime() ?? 0
}
