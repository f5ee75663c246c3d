import type { Database, Queryable } from '../../../../platform/db/connection.js'
import { lockOrder } from '../../tokens/unnamed-tokens.js'
import { retryableOutcomes, type TokenOutcome } from '../campaigns.js'
import { countTokens, endBatches, notifyEnds } from './campaign-end.js'

/** A user whom a batch has not reached. */
export interface FailedToken {
  readonly fid: number
  readonly token: string
  readonly outcome: Exclude<TokenOutcome, 'success'>
  /** HTTP status; 0 unless the answer was an error. */
  readonly httpStatus: number
}

/** A batch whose requests have all ended. It has reached every other user. */
export interface BatchResult {
  readonly batchId: number
  readonly failedTokens: readonly FailedToken[]
}

/**
 * Writes the results of batches into the database, in one statement, and ends tokens that clients do not know any more.
 * Only a success uses up the rate window of a token. A batch that another sender has claimed meanwhile, because this one
 * seemed dead, stays with the other.
 */
export async function settleBatches(
  db: Database,
  sender: string,
  results: readonly BatchResult[],
): Promise<void> {
  await db`
    with ${endedBatches(db, sender, results)},
    unknown as materialized (
      select t.app_id, t.fid, t.client_fid
      from miniapps.tokens t
      join missed m using (app_id, fid, client_fid, token)
      where m.outcome = 'invalid_token' and t.state <> 'invalid'
      order by t.app_id, ${lockOrder(db)}
      for update of t
    ),
    invalidated as (
      update miniapps.tokens t
      set state = 'invalid', updated_at = now()
      from unknown u
      where t.app_id = u.app_id and t.fid = u.fid and t.client_fid = u.client_fid
    ),
    ${unusedWindows(db)},
    ${countTokens(
      db,
      db`
        select campaign_id, client_fid, 'success', 0, reached from ended where reached > 0
        union all
        select campaign_id, client_fid, outcome, http_status, 1 from missed`,
    )},
    ${endBatches(db, db`select campaign_id from ended where (select count(*) from locked_windows) >= 0`)}
    ${notifyEnds(db)}`
}

/**
 * SQL for `with`: gives back the places in rate windows of users who were not reached, who are in `missed`. It locks the windows in the order in which a claim does,
 * and before the campaigns, which read all of `locked_windows`: in another order the two could wait for each other.
 */
export function unusedWindows(db: Queryable) {
  return db`
    unused as materialized (
      select app_id, fid, client_fid, array_agg(claimed_at) as claims
      from missed
      group by app_id, fid, client_fid
    ),
    locked_windows as materialized (
      select p.app_id, p.fid, p.client_fid, u.claims
      from miniapps.rate_windows p
      join unused u using (app_id, fid, client_fid)
      order by p.app_id, p.fid, p.client_fid
      for update of p
    ),
    given_back as (
      update miniapps.rate_windows p
      set sent_at = array(select s from unnest(p.sent_at) s where s <> all (l.claims) order by s)
      from locked_windows l
      where p.app_id = l.app_id and p.fid = l.fid and p.client_fid = l.client_fid
    )`
}

/** Ends the batches themselves: `missed` are the users whom they have not reached. */
function endedBatches(db: Queryable, sender: string, results: readonly BatchResult[]) {
  const failedTokens = results.flatMap(({ batchId, failedTokens: batchFailures }) =>
    batchFailures.map((each) => ({ batchId, ...each })),
  )
  return db`
    batch as materialized (
      select id, campaign_id, app_id, client_fid, fids, claimed_at
      from miniapps.batches
      where id = any (${results.map(({ batchId }) => batchId)}::bigint[])
        and state = 'sending' and sender = ${sender}::uuid
      order by id
      for update
    ),
    missed as materialized (
      select b.id as batch_id, b.campaign_id, b.app_id, b.client_fid, b.claimed_at, m.fid, m.token, m.outcome, m.http_status
      from unnest(
        ${failedTokens.map(({ batchId }) => batchId)}::bigint[],
        ${failedTokens.map(({ fid }) => fid)}::bigint[],
        ${db.types.texts(failedTokens.map(({ token }) => token))}::text[],
        ${db.types.texts(failedTokens.map(({ outcome }) => outcome))}::text[],
        ${failedTokens.map(({ httpStatus }) => httpStatus)}::smallint[]
      ) as m (batch_id, fid, token, outcome, http_status)
      join batch b on b.id = m.batch_id
    ),
    ended as (
      update miniapps.batches b
      set
        state = 'ended', sender = null, ended_at = now(),
        fids = array(select f from unnest(b.fids) f where f <> all (coalesce(g.fids, '{}')) order by f),
        retryable_fids = b.retryable_fids || coalesce(g.retryable, '{}'),
        unreached_fids = b.unreached_fids || coalesce(g.unreached, '{}')
      from batch
      left join (
        select
          batch_id, array_agg(fid) as fids,
          array_agg(fid order by fid) filter (
            where outcome = any (${db.types.texts(retryableOutcomes)}::text[])
          ) as retryable,
          array_agg(fid order by fid) filter (
            where outcome <> all (${db.types.texts(retryableOutcomes)}::text[])
          ) as unreached
        from missed
        group by batch_id
      ) g on g.batch_id = batch.id
      where b.id = batch.id
      returning b.id, b.campaign_id, b.client_fid, cardinality(b.fids) as reached
    )`
}
