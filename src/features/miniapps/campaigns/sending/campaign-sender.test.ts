import { randomUUID } from 'node:crypto'
import { afterAll, expect, it, onTestFinished, vi } from 'vitest'
import { createTestDatabase } from '../../../../../test/database.js'
import { countLockWaiters } from '../../../../graph/project/testing/transaction-locks.js'
import { Dispatcher } from '../../../../outbox/dispatcher.js'
import type { Database } from '../../../../platform/db/connection.js'
import { silentLog } from '../../../../platform/log/log.js'
import { createNetClient } from '../../../../platform/outbound/net-client.js'
import { createApp } from '../../../apps/apps.js'
import { broadcast } from '../broadcast.js'
import { createCampaigns } from '../campaign-client.js'
import { startClient } from '../testing/client-simulator.js'
import { grantTokens } from '../testing/token-rows.js'
import { createBatchQueue } from './batch-queue.js'
import { settleBatches } from './batch-results.js'
import { batchSenders } from './batch-senders.js'
import { createAudienceSelector, startCampaignSender } from './campaign-sender.js'

const { db, connect } = await createTestDatabase()
const net = createNetClient({ policy: { allowHttp: true, allowLoopback: true }, userAgent: 'plaza test' })
afterAll(() => net.close())

/** Registers a sender that lives. */
async function registerSender(): Promise<string> {
  const sender = randomUUID()
  await batchSenders.heartbeat(db, connect({ poolSize: 1 }), sender)
  return sender
}

/** Queues a campaign to everyone for each app, as of an interval ago. */
async function queueCampaigns(appIds: readonly string[], since = '0'): Promise<void> {
  const audience = { targetFids: [], excludeFids: [], followingFid: null, minimumScore: null, near: null }
  for (const appId of appIds)
    await db`
      insert into miniapps.campaigns (app_id, title, body, target_url, audience, queued_at)
      values (
        ${appId}, 'hello', 'there', 'https://copse.example.com/', ${JSON.stringify(audience)}::text::jsonb,
        now() - ${since}::interval
      )`
}

/** The states of the campaigns of an app, the oldest first. */
const statesOf = async (appId: string) =>
  (await db`select state from miniapps.campaigns where app_id = ${appId} order by seq`).map(
    ({ state }) => state,
  )

it('a sender whose sweep fails keeps its lease, and no other reaps it', async () => {
  const settings = { isAsync: true, intervalSeconds: 0, perDay: 1, concurrency: 1, timeoutMs: 400 }
  const pool = connect({ poolSize: 4 })
  // As in a process that has been at work: more than one connection is open.
  await Promise.all([1, 2, 3, 4].map(() => pool`select pg_sleep(0.05)`))
  const lockDb = connect({ poolSize: 1 })
  const error = vi.fn()
  await db`alter table miniapps.campaigns rename to away`
  const sender = await startCampaignSender({
    db: pool,
    lockDb,
    listen: pool.listen,
    net,
    settings,
    clock: Date.now,
    log: { ...silentLog, error },
  })
  await expect.poll(() => error.mock.calls.length).toBeGreaterThan(0)
  await db`alter table miniapps.away rename to campaigns`
  const heartbeats = async () => (await db`select alive_until::text from miniapps.senders`)[0]?.alive_until
  const before = await heartbeats()

  await expect.poll(heartbeats).not.toBe(before)
  expect(await batchSenders.reapExpired(db)).toBe(0)
  await sender.stop()
  expect(await db`select from miniapps.senders`).toHaveLength(0)
})

it('a broadcast ends as soon as a sender of another process has sent it, and not at the next poll', async () => {
  const settings = { isAsync: false, intervalSeconds: 0, perDay: 100, concurrency: 2, timeoutMs: 10_000 }
  const client = await startClient()
  const { id: appId } = await createApp(db, { name: 'garden' })
  await grantTokens(db, { appId, clientFid: 9152, url: client.url(), fids: [1, 2, 3] })
  const [pool, lockDb] = [connect({ poolSize: 4 }), connect({ poolSize: 1 })]
  const parts = { db: pool, lockDb, listen: pool.listen, net, settings, clock: Date.now, log: silentLog }
  const sender = await startCampaignSender(parts)
  const campaigns = createCampaigns({ settings, listen: db.listen, db })
  const POLL_LIMIT_MS = 600_000
  const withLongPoll = {
    ...campaigns,
    waitForEnd: (id: string) => campaigns.waitForEnd(id, POLL_LIMIT_MS),
  }
  const { result } = await broadcast(
    { db, writerDb: db, campaigns: withLongPoll },
    {
      appId,
      notification: { title: 'hello', body: 'there', targetUrl: 'https://garden.example.com/' },
      uuid: null,
      audience: { targetFids: [], excludeFids: [], followingFid: null, minimumScore: null, near: null },
    },
  )
  expect(result).toMatchObject({ success: 3, failure: 0, openBatches: 0 })

  const waiting = campaigns.waitForEnd(randomUUID(), POLL_LIMIT_MS)
  await Promise.all([
    expect(waiting).rejects.toMatchObject({ code: 'unavailable' }),
    campaigns.close(),
    sender.stop(),
  ])
})

it('a broadcast without a worker says after its time where to look', async () => {
  const settings = { isAsync: false, intervalSeconds: 0, perDay: 100, concurrency: 2, timeoutMs: 10_000 }
  const client = await startClient()
  const { id: appId } = await createApp(db, { name: 'glade' })
  await grantTokens(db, { appId, clientFid: 9152, url: client.url(), fids: [1] })
  const campaigns = createCampaigns({ settings, listen: db.listen, db })
  onTestFinished(() => campaigns.close())
  const request = {
    appId,
    notification: { title: 'hello', body: 'there', targetUrl: 'https://heath.example.com/' },
    uuid: null,
    audience: { targetFids: [], excludeFids: [], followingFid: null, minimumScore: null, near: null },
  }
  const sent = broadcast(
    { db, writerDb: db, campaigns: { ...campaigns, waitForEnd: async () => {} } },
    request,
    0,
  )
  await expect(sent).rejects.toMatchObject({ code: 'unavailable' })
  const [{ id } = { id: '' }] = await db<
    { id: string }[]
  >`select id from miniapps.campaigns where app_id = ${appId}`
  await expect(sent).rejects.toThrow(`GET frame/notifications?campaign_id=${id} has its progress`)
})

it('a claim that is carried out after its sender died is given back with the rest', async () => {
  const settings = { isAsync: true, intervalSeconds: 0, perDay: 100, concurrency: 2, timeoutMs: 10_000 }
  const { id: appId } = await createApp(db, { name: 'heath' })
  const targetUrl = 'https://heath.example.com/'
  await grantTokens(db, { appId, clientFid: 9152, url: targetUrl, fids: [1, 2, 3] })
  const campaigns = createCampaigns({ settings, listen: db.listen, db })
  const selector = createAudienceSelector(db, silentLog, () => {})
  onTestFinished(() => selector.stop())
  onTestFinished(() => campaigns.close())
  const sent = broadcast(
    { db, writerDb: db, campaigns: { ...campaigns, wake: async () => selector.wake() } },
    {
      appId,
      notification: { title: 'hello', body: 'there', targetUrl },
      uuid: null,
      audience: { targetFids: [], excludeFids: [], followingFid: null, minimumScore: null, near: null },
    },
    0,
  )
  await expect(sent).rejects.toMatchObject({ code: 'unavailable' })
  const queueOf = (sql: Database) => createBatchQueue({ db: sql, net, settings, log: silentLog })
  const requests = [{ lane: 'heath.example.com', capacity: 10 }]
  const states = async () =>
    await db`select b.state from miniapps.batches b join miniapps.campaigns c on c.id = b.campaign_id where c.app_id = ${appId}`
  await expect.poll(states).toEqual([{ state: 'waiting' }])
  const sender = await registerSender()

  let releasing: Promise<void> | undefined
  await db.begin(async (transaction) => {
    const claims = await queueOf(transaction as unknown as Database).claim(sender, requests)
    expect(claims).toMatchObject([{ items: [{}] }])
    releasing = batchSenders.deregister(db, sender)
    await expect.poll(() => countLockWaiters(db)).toBe(1)
  })

  await releasing
  expect(await states()).toEqual([{ state: 'waiting' }])
  expect(await queueOf(db).claim(sender, requests)).toEqual([])
})

it('a batch of a claim whose reply was lost is sent', async () => {
  const settings = { isAsync: true, intervalSeconds: 0, perDay: 100, concurrency: 2, timeoutMs: 10_000 }
  const client = await startClient()
  const { id: appId } = await createApp(db, { name: 'orchard' })
  await grantTokens(db, { appId, clientFid: 9152, url: client.url(), fids: [1, 2, 3] })
  let isLost = false
  const queue = createBatchQueue({ db, net, settings, log: silentLog })
  const dispatcher = new Dispatcher({
    queue: {
      ...queue,
      async claim(...request) {
        const claimed = await queue.claim(...request)
        if (isLost || claimed.every(({ items }) => items.length === 0)) return claimed
        isLost = true
        throw Object.assign(new Error('away'), { code: 'CONNECTION_CLOSED' })
      },
    },
    worker: await registerSender(),
    concurrency: settings.concurrency,
    clock: Date.now,
    log: silentLog,
  })
  onTestFinished(() => dispatcher.stop())
  const campaigns = createCampaigns({ settings, listen: db.listen, db })
  onTestFinished(() => campaigns.close())
  const { result } = await broadcast(
    { db, writerDb: db, campaigns: { ...campaigns, wake: async () => dispatcher.sweep() } },
    {
      appId,
      notification: { title: 'hello', body: 'there', targetUrl: 'https://orchard.example.com/' },
      uuid: null,
      audience: { targetFids: [], excludeFids: [], followingFid: null, minimumScore: null, near: null },
    },
  )

  expect(result).toMatchObject({ success: 3, failure: 0, openBatches: 0 })
  expect(client.requests).toHaveLength(1)
})

it('a settlement locks the rate windows of users in order, and gives back each claim of a user', async () => {
  const { id: appId } = await createApp(db, { name: 'marsh' })
  await queueCampaigns([appId, appId])
  const sender = await registerSender()
  const batches = await db<{ id: number }[]>`
    insert into miniapps.batches
      (campaign_id, campaign_seq, app_id, client_fid, host, turn, state, sender, fids, claimed_at)
    select id, seq, app_id, 9152, 'marsh.example.com', 1, 'sending', ${sender}::uuid, '{7,8}',
      '2026-10-31'::timestamptz + row_number() over (order by seq) * interval '1 hour'
    from miniapps.campaigns where app_id = ${appId}
    returning id`
  await db`
    insert into miniapps.rate_windows (app_id, fid, client_fid, sent_at)
    select ${appId}, fid, 9152, array['2026-10-31 01:00'::timestamptz, '2026-10-31 02:00', '2026-10-31 03:00']
    from unnest('{8,7}'::bigint[]) fid`
  const results = batches.map(({ id }) => ({
    batchId: id,
    failedTokens: [8, 7].map((fid) => ({
      fid,
      token: `t${fid}`,
      outcome: 'failed' as const,
      httpStatus: 500,
    })),
  }))
  let settled: Promise<void> | undefined
  await db.begin(async (transaction) => {
    await transaction`select from miniapps.rate_windows where app_id = ${appId} and fid = 7 for update`
    settled = settleBatches(connect({ poolSize: 1 }), sender, results)
    await expect.poll(() => countLockWaiters(db)).toBe(1)
    // As a claim does that has the first user and comes to the second.
    await transaction`select from miniapps.rate_windows where app_id = ${appId} and fid = 8 for update nowait`
  })
  await settled
  const left =
    await db`select fid, sent_at::text[] as times from miniapps.rate_windows where app_id = ${appId} order by fid`
  expect(left).toMatchObject([7, 8].map((fid) => ({ fid, times: [expect.stringContaining('03:00')] })))
})

it('a queued campaign whose selection runs out of resources each time delays no other and fails in the end', async () => {
  const { id: poisonAppId } = await createApp(db, { name: 'bog' })
  const { id: appId } = await createApp(db, { name: 'copse' })
  // What PostgreSQL says of a selection that needs more than `temp_file_limit`.
  await db.unsafe(`
    create function miniapps.exceed_limit() returns trigger language plpgsql as $$
    begin raise exception 'temporary file size exceeds temp_file_limit' using errcode = '53400'; end $$;
    create trigger exceed_limit before update on miniapps.campaigns for each row
    when (new.app_id = '${poisonAppId}' and new.state in ('running', 'completed')) execute function miniapps.exceed_limit()`)
  await queueCampaigns([poisonAppId, poisonAppId, appId])
  await db`
    update miniapps.campaigns
    set first_failed_at = now() - interval '2 hours'
    where seq = (select min(seq) from miniapps.campaigns where app_id = ${poisonAppId})`
  const selector = createAudienceSelector(db, silentLog, () => {})
  onTestFinished(() => selector.stop())
  selector.wake()

  await expect.poll(() => statesOf(appId)).toEqual(['completed'])
  // The one that fails for the first time now has the time in which the database may recover.
  await expect.poll(() => statesOf(poisonAppId)).toEqual(['failed', 'queued'])
})

it('a campaign that has waited for hours survives temporary failures, which count for no others', async () => {
  const { id: appId } = await createApp(db, { name: 'dell' })
  // Out of disk, a deadlock, a failed serialization and a lock timeout, between failures that last.
  const codes = ['53100', '22012', '40P01', '40001', '22012', '55P03']
  await db.unsafe(`
    create sequence miniapps.selections;
    create function miniapps.fail_at_first() returns trigger language plpgsql as $$
    declare code text := ('{${codes.join(',')}}'::text[])[nextval('miniapps.selections')];
    begin
      if code is not null then raise exception 'failed' using errcode = code; end if;
      return new;
    end $$;
    create trigger fail_at_first before update on miniapps.campaigns for each row
    when (new.app_id = '${appId}' and new.state in ('running', 'completed')) execute function miniapps.fail_at_first()`)
  await queueCampaigns([appId], '2 hours')
  const selector = createAudienceSelector(db, silentLog, () => {})
  onTestFinished(() => selector.stop())
  selector.wake()

  await expect.poll(() => statesOf(appId)).not.toEqual(['queued'])
  expect(await statesOf(appId)).toEqual(['completed'])
})

it('apps take turns: one with many campaigns keeps no other waiting', async () => {
  const apps = await Promise.all(['many', 'several', 'one'].map((name) => createApp(db, { name })))
  const ids = apps.map(({ id }) => id)
  const [many, several, one] = ids as [string, string, string]
  await queueCampaigns([many, many, many, several, several, one])
  const selector = createAudienceSelector(db, silentLog, () => {})
  onTestFinished(() => selector.stop())
  selector.wake()
  const selected = async () =>
    await db<{ appId: string }[]>`
      select app_id as "appId" from miniapps.campaigns
      where app_id = any (${db.types.texts(ids)}::text[]::uuid[]) and completed_at is not null
      order by completed_at`
  await expect.poll(selected).toHaveLength(6)
  expect((await selected()).map(({ appId }) => appId)).toEqual([many, several, one, many, several, many])
})
