import type { OutboxQueue } from '../../../../outbox/outbox-queue.js'
import type { Database } from '../../../../platform/db/connection.js'
import { runInBatches } from '../../../../platform/db/run-in-batches.js'
import type { Log } from '../../../../platform/log/log.js'
import type { NetAnswer, NetClient } from '../../../../platform/outbound/net-client.js'
import { isNetFailure, type NetFailure, netFailure } from '../../../../platform/outbound/net-failure.js'
import { type CampaignSettings, campaignChannel } from '../campaign-client.js'
import type { TokenOutcome } from '../campaigns.js'
import { type ClaimedBatch, type ClaimedRequest, claimBatches } from './batch-claim.js'
import { type BatchResult, type FailedToken, settleBatches } from './batch-results.js'
import { releaseLostBatches, releaseUnsentBatches } from './batch-senders.js'
import { removeCanceledBatches } from './campaign-end.js'
import { readClientResponse } from './client-response.js'

/** Dependencies of the queue of batches. */
export interface BatchQueueOptions {
  readonly db: Database
  readonly net: Pick<NetClient, 'request'>
  readonly settings: CampaignSettings
  readonly log: Log
  /** Called with the outcomes of every request. */
  readonly onAttempt?: (outcome: TokenOutcome, tokens: number) => void
}

/** A mini app whose clients have a host for each user makes no statement long. */
const HOSTS_PER_CLAIM = 64
/** Each batch has up to 100 tokens. */
const MAX_BATCHES_IN_HAND = 1_024
/** Longer answers fail: 100 tokens of a kilobyte each, named twice, are more than any client writes. */
const MAX_RESPONSE_BYTES = 262_144

/** Makes the queue of notification batches. Its lanes are the hosts of clients. */
export function createBatchQueue(
  options: BatchQueueOptions,
): OutboxQueue<ClaimedBatch, ClaimedBatch, BatchResult> {
  const { db, net, settings, log, onAttempt } = options

  function failedTokensOf(
    { tokens, fids }: ClaimedRequest,
    response: NetAnswer | NetFailure,
  ): readonly FailedToken[] {
    const outcomes = readClientResponse(response, tokens)
    const failedTokens = tokens.flatMap((token, index): FailedToken[] => {
      const { outcome, httpStatus } = outcomes.get(token)!
      return outcome === 'success' ? [] : [{ fid: fids[index]!, token, outcome, httpStatus }]
    })
    if (failedTokens.length < tokens.length) onAttempt?.('success', tokens.length - failedTokens.length)
    for (const { outcome } of failedTokens) onAttempt?.(outcome, 1)
    return failedTokens
  }

  return {
    name: 'notifications',
    channel: campaignChannel,
    lanesPerClaim: HOSTS_PER_CLAIM,
    maxOccupied: MAX_BATCHES_IN_HAND,
    // Batches in hand are sent a second time if the process dies: they are never more than the capacity of a lane.
    countsUnsettled: true,
    idOf: ({ batchId }) => String(batchId),
    findDueLanes: (_sender, after, limit) => findWaitingHosts(db, after, limit),
    claim: (sender, requests) => claimBatches(db, sender, requests, settings),
    releaseLost: (sender, inHandIds) => releaseLostBatches(db, sender, inHandIds),
    async release(sender, batches) {
      await releaseUnsentBatches(db, sender, batches)
      await removeCanceledBatches(db)
    },
    async send({ batchId, requests }) {
      const failedTokens: FailedToken[] = []
      for (const request of requests) {
        const response = await net
          .request(notificationRequest(request, settings.timeoutMs))
          .catch((error: unknown) => {
            log.error({ err: error, batch: batchId }, 'a client could not be asked')
            return netFailure('connection', 'the request could not be made')
          })
        // Nobody knows whom a request has reached that the end of this process cuts off: the batch is sent again.
        if (isNetFailure(response) && response.kind === 'aborted') return null
        failedTokens.push(...failedTokensOf(request, response))
      }
      return { batchId, failedTokens }
    },
    async settle(sender, results) {
      await settleBatches(db, sender, results)
      return []
    },
  }
}

/** Finds hosts with waiting batches, each by a step through the index. */
async function findWaitingHosts(db: Database, after: string, limit: number): Promise<string[]> {
  const rows = await db<{ host: string }[]>`
    with recursive hosts as (
      (
        select host from miniapps.batches where state = 'waiting' and host > ${after} order by host limit 1
      )
      union all
      select (
        select b.host from miniapps.batches b where b.state = 'waiting' and b.host > hosts.host order by b.host limit 1
      )
      from hosts
      where hosts.host is not null
    )
    select host from hosts where host is not null limit ${limit}`
  return rows.map(({ host }) => host)
}

/** Builds the request that asks a client to notify users (docs/protocol.md §8.3). */
function notificationRequest(request: ClaimedRequest, timeoutMs: number) {
  const { url, notificationId, title, body, targetUrl, tokens } = request
  return {
    url,
    method: 'POST' as const,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ notificationId, title, body, targetUrl, tokens: [...new Set(tokens)] }),
    deadlineMs: timeoutMs,
    maxBytes: MAX_RESPONSE_BYTES,
  }
}

/** Rows deleted per statement, to keep statements short. */
const BATCH = 1_000
/** Idempotency keys count for 24 hours, and `retryable_fids` are returned at once. */
const RETENTION_DAYS = 2

/** Deletes batches that no idempotency key refers to any more. Campaigns and their counts stay. */
export async function deleteExpiredBatches(db: Database): Promise<void> {
  await runInBatches(
    BATCH,
    () => db`
      delete from miniapps.batches
      where id in (
        select id from miniapps.batches
        where state = 'ended' and ended_at < now() - ${RETENTION_DAYS} * interval '1 day'
        order by ended_at
        limit ${BATCH}
      )`,
  )
}
