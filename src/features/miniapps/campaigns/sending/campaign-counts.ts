import type { Queryable } from '../../../../platform/db/connection.js'
import { campaignEndChannel } from '../campaign-client.js'

/**
 * SQL for `with`: adds to the counts of campaigns.
 *
 * @param rows Selects `campaign_id, client_fid, outcome, http_status, tokens`.
 */
export function countTokens(db: Queryable, rows: ReturnType<Queryable>) {
  return db`
    counted as (
      insert into miniapps.campaign_counts as c (campaign_id, client_fid, outcome, http_status, tokens)
      select campaign_id, client_fid, outcome, http_status, sum(tokens)
      from (${rows}) as came (campaign_id, client_fid, outcome, http_status, tokens)
      group by campaign_id, client_fid, outcome, http_status
      order by campaign_id, client_fid, outcome, http_status
      on conflict (campaign_id, client_fid, outcome, http_status) do update set tokens = c.tokens + excluded.tokens
    )`
}

/**
 * SQL for `with`: counts batches that have ended; the last one completes its campaign. `ended_campaigns` have no open
 * batch any more: a statement that ends batches runs `notifyEnds`.
 *
 * @param rows Selects the `campaign_id` of each batch.
 */
export function endBatches(db: Queryable, rows: ReturnType<Queryable>) {
  return db`
    changed_campaigns as (
      update miniapps.campaigns c
      set
        open_batches = c.open_batches - came.batches,
        state = case when c.state = 'running' and c.open_batches = came.batches then 'completed' else c.state end,
        completed_at = case
          when c.state = 'running' and c.open_batches = came.batches then now()
          else c.completed_at
        end
      from (select campaign_id, count(*)::integer as batches from (${rows}) as each group by campaign_id) came
      where c.id = came.campaign_id
      returning c.id, c.open_batches
    ),
    ended_campaigns as (select id from changed_campaigns where open_batches = 0)`
}

/** SQL: tells `Campaigns.waitForEnd` of the `ended_campaigns` when the transaction commits. */
export function notifyEnds(db: Queryable) {
  return db`select pg_notify(${campaignEndChannel}, id::text)::text from ended_campaigns`
}
