import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import type { TestApi } from '../../../app/testing/test-api.js'
import { createNetClient } from '../../../platform/outbound/net-client.js'
import { deleteExpiredOpens } from '../campaigns/opens.js'
import { removeCanceledBatches } from '../campaigns/sending/campaign-end.js'
import { acceptAll, answerWith, startClient } from '../campaigns/testing/client-simulator.js'
import { fidOf, fidsFrom, grantTokens } from '../campaigns/testing/token-rows.js'
import { createMiniApp } from './testing/mini-app.js'

const { db } = await createTestDatabase()
const net = createNetClient({ policy: { allowHttp: true, allowLoopback: true }, userAgent: 'plaza test' })
afterAll(() => net.close())
const parts = { db, net }
const CLIENT = 9152
const waitUntilQueued = { isAsync: true, intervalSeconds: 0, perDay: 1_000 }

describe('with ASYNC_NOTIFICATIONS_ENABLED', () => {
  it('more than 100 tokens -> queued; 100 -> not', async () => {
    const client = await startClient()
    const { appId, send, campaign, preview } = await createMiniApp(parts, waitUntilQueued)
    await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(), fids: fidsFrom(1, 100) })
    expect(await send()).toMatchObject({ httpStatus: 200, success_count: 100 })
    await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(), fids: [101] })
    expect(await preview()).toMatchObject({ tokens: 101, delivery: 'queued' })
    const reply = await send()
    expect(reply).toEqual({ httpStatus: 202, status: 'queued', campaign_id: expect.any(String) })
    await expect.poll(async () => (await campaign(reply.campaign_id)).status).toBe('completed')
    expect((await campaign(reply.campaign_id)).stats.successful_sends).toBe(101)
    expect(await send({ filters: { exclude_fids: [7] } })).toMatchObject({ success_count: 100 })
  })

  it('tokens that are not tried now count for the way of sending, as in the preview', async () => {
    const client = await startClient()
    const { appId, notification, send, preview } = await createMiniApp(parts, { isAsync: true })
    await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(), fids: fidsFrom(1, 101) })
    await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(), fids: [102], state: 'disabled' })
    const uuid = randomUUID()
    await send({ target_fids: fidsFrom(1, 40), notification: { ...notification, uuid } })
    await send({ target_fids: fidsFrom(41, 20) })
    expect(await preview({ uuid })).toMatchObject({ tokens: 41, delivery: 'queued' })
    expect(await preview({ uuid, filters: { exclude_fids: [101] } })).toMatchObject({
      tokens: 40,
      delivery: 'synchronous',
    })
    expect(await send({ notification: { ...notification, uuid } })).toMatchObject({ httpStatus: 202 })
  })

  it('a running campaign has current counts', async () => {
    let isPending = true
    const pendingResponses: (() => void)[] = []
    const client = await startClient((request, response) => {
      const answer = () =>
        answerWith(response, {
          successfulTokens: request.tokens.filter((token) => fidOf(token) % 10 > 0),
          rateLimitedTokens: request.tokens.filter((token) => fidOf(token) % 10 === 0),
        })
      if (isPending && request.tokens.some((token) => fidOf(token) > 300)) pendingResponses.push(answer)
      else answer()
    })
    const { appId, notification, send, campaign } = await createMiniApp(parts, waitUntilQueued)
    await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(), fids: fidsFrom(1, 500) })
    const { httpStatus, campaign_id } = await send()
    expect(httpStatus).toBe(202)
    await expect
      .poll(async () => (await campaign(campaign_id)).stats)
      .toMatchObject({ successful_sends: 270, failure_count: 30, pending_count: 200 })
    expect(await campaign(campaign_id)).toMatchObject({ status: 'running', completed_at: null })

    isPending = false
    for (const answer of pendingResponses) answer()
    await expect.poll(async () => (await campaign(campaign_id)).status).toBe('completed')
    expect(await campaign(campaign_id)).toEqual({
      id: campaign_id,
      title: notification.title,
      target_url: `${notification.target_url}?utm_source=neynar&utm_campaign=${campaign_id}`,
      body: notification.body,
      status: 'completed',
      created_at: expect.any(String),
      queued_at: expect.any(String),
      completed_at: expect.any(String),
      stats: {
        intended_recipient_app_fids: [CLIENT],
        intended_recipient_notification_token_count: 500,
        successful_sends: 450,
        successful_sends_by_app_fid: { [CLIENT]: 450 },
        failure_count: 50,
        not_attempted_count: 0,
        pending_count: 0,
        error_breakdown: { delivery_errors: { rate_limited: 50 }, http_errors: {}, not_attempted: {} },
        total_opens: 0,
        total_opens_by_app_fid: {},
        unique_opens: 0,
        unique_opens_by_app_fid: {},
      },
    })
  })

  it('a small notification does not wait for a large campaign', async () => {
    let isPending = false
    const pendingResponses: (() => void)[] = []
    const client = await startClient((request, response) => {
      const answer = () => acceptAll(request, response)
      if (isPending) pendingResponses.push(answer)
      else answer()
      if (client.requests.length === 3) isPending = true
    })
    const large = await createMiniApp(parts, { ...waitUntilQueued, concurrency: 1 })
    await grantTokens(db, {
      appId: large.appId,
      clientFid: CLIENT,
      url: client.url(),
      fids: fidsFrom(1, 3_000),
    })
    const { campaign_id } = await large.send()
    await expect.poll(() => pendingResponses.length).toBeGreaterThan(0)
    const small = await createMiniApp(parts, {}, large.campaigns)
    await grantTokens(db, { appId: small.appId, clientFid: CLIENT, url: client.url(), fids: [1] })
    const sent = small.send()
    await expect
      .poll(() => db`select from miniapps.batches where app_id = ${small.appId} and state = 'waiting'`)
      .toHaveLength(1)
    isPending = false
    for (const answer of pendingResponses) answer()
    expect(await sent).toMatchObject({ success_count: 1 })
    await expect.poll(async () => (await large.campaign(campaign_id)).status).toBe('completed')
    // Three, the one that was held, and what had been taken by then.
    expect(client.requests.findIndex(({ tokens }) => tokens.length === 1)).toBeLessThan(8)
  })

  it('the audience cannot be selected -> failed', async () => {
    const client = await startClient()
    const { appId, send, campaign } = await createMiniApp(parts, waitUntilQueued)
    await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(), fids: fidsFrom(1, 101) })
    await db`alter table miniapps.batches add constraint none check (app_id <> ${db.unsafe(`'${appId}'`)}::uuid) not valid`
    const { campaign_id } = await send()
    await expect.poll(async () => (await campaign(campaign_id)).status).toBe('failed')
    await db`alter table miniapps.batches drop constraint none`
    expect(await campaign(campaign_id)).toMatchObject({
      completed_at: expect.any(String),
      stats: { intended_recipient_notification_token_count: 0, pending_count: 0 },
    })
  })
})

describe('a canceled campaign', () => {
  it('stops sending and counts the rest', async () => {
    const client = await startClient(
      (request, response) => void setTimeout(() => acceptAll(request, response), 150),
    )
    const { appId, send, campaign, cancel } = await createMiniApp(parts, {
      ...waitUntilQueued,
      concurrency: 2,
    })
    await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(), fids: fidsFrom(1, 5_000) })
    const { campaign_id } = await send()
    await expect.poll(() => client.requests.length).toBeGreaterThan(4)
    expect(await cancel(campaign_id)).toMatchObject({ httpStatus: 200, success: true })
    await expect.poll(async () => (await campaign(campaign_id)).stats.pending_count).toBe(0)
    const { status, completed_at, stats } = await campaign(campaign_id)
    expect([status, completed_at]).toEqual(['canceled', expect.any(String)])
    expect(stats.successful_sends).toBe(client.notificationCounts().size)
    expect(stats.successful_sends).toBeLessThan(5_000)
    expect(stats.error_breakdown.not_attempted).toEqual({ canceled: 5_000 - stats.successful_sends })
    const { length } = client.requests
    await sleep(60)
    expect(client.requests).toHaveLength(length)
    expect(await cancel(campaign_id)).toMatchObject({ httpStatus: 409, code: 'Conflict' })
  })

  it('the request that waits for it learns which targets were not tried', async () => {
    let isPending = true
    const pendingResponses: (() => void)[] = []
    const client = await startClient((request, response) => {
      const answer = () => acceptAll(request, response)
      if (isPending) pendingResponses.push(answer)
      else answer()
    })
    // Of a host, one request is sent and at most two are claimed.
    const { appId, send, cancel } = await createMiniApp(parts, { ...waitUntilQueued, concurrency: 1 })
    const fids = fidsFrom(1, 5)
    for (const fid of fids)
      await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(`${fid}`), fids: [fid] })
    await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(), fids: [6], state: 'disabled' })
    const sending = send({ target_fids: [...fids, 6] })
    await expect.poll(() => pendingResponses.length).toBe(1)
    const [{ id } = expect.fail()] = await db<{ id: string }[]>`
      select id from miniapps.campaigns where app_id = ${appId}`
    expect(await cancel(id)).toMatchObject({ httpStatus: 200 })
    isPending = false
    for (const answer of pendingResponses) answer()
    const { notification_deliveries, ...counts } = await sending
    const reached = new Set(client.requests.flatMap(({ tokens }) => tokens.map(fidOf)))
    expect(reached.size).toBeLessThanOrEqual(2)
    expect(counts).toMatchObject({
      success_count: reached.size,
      failure_count: 0,
      not_attempted_count: 6 - reached.size,
    })
    expect(notification_deliveries).toMatchObject([
      ...fids.map((fid) => ({ fid, status: reached.has(fid) ? 'success' : 'failed' })),
      { fid: 6, status: 'token_disabled' },
    ])
  })

  it('a dead process -> its sends in progress are the last', async () => {
    const { appId, notification, campaign } = await createMiniApp(parts)
    const [{ id, seq } = expect.fail()] = await db<{ id: string; seq: number }[]>`
      insert into miniapps.campaigns (app_id, title, body, target_url, audience, state, audience_size, open_batches)
      values (${appId}, 'hello', 'there', ${notification.target_url}, '{}', 'canceled', 5, 2)
      returning id, seq`
    await db`
      insert into miniapps.batches (campaign_id, campaign_seq, app_id, client_fid, host, turn, fids, claimed_at)
      values
        (${id}, ${seq}, ${appId}, ${CLIENT}, 'client.example', 0, '{1,2}', now()),
        (${id}, ${seq}, ${appId}, ${CLIENT}, 'client.example', 1, '{3,4,5}', null)`
    await removeCanceledBatches(db)
    expect((await campaign(id)).stats).toMatchObject({
      failure_count: 2,
      not_attempted_count: 3,
      pending_count: 0,
      error_breakdown: { delivery_errors: { failed: 2 }, not_attempted: { canceled: 3 } },
    })
  })

  it('belongs to one app', async () => {
    const client = await startClient()
    const { appId, send, api } = await createMiniApp(parts)
    await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(), fids: [1] })
    const { campaign_id } = await send()
    const other = await createMiniApp(parts)
    expect(await other.cancel(campaign_id)).toMatchObject({ httpStatus: 404, property: 'campaign_id' })
    expect(await other.campaign(campaign_id)).toBeUndefined()
    const ownCampaigns = (await api.get('frame/notifications')).json()
    expect(ownCampaigns.notificationCampaigns.map(({ id }: { id: string }) => id)).toEqual([campaign_id])
  })
})

describe('opens', () => {
  const statsOfOpens = {
    total_opens: 0,
    total_opens_by_app_fid: {},
    unique_opens: 0,
    unique_opens_by_app_fid: {},
  }

  /** Reports an open as `@neynar/react` does: from a browser, without a key. */
  async function report({ app }: { app: TestApi['app'] }, body: object) {
    const url = '/v2/farcaster/frame/notifications/open'
    const headers = { 'content-type': 'application/json', origin: 'https://app.example.com' }
    const reply = await app.inject({ method: 'POST', url, headers, payload: JSON.stringify(body) })
    expect(reply.headers['access-control-allow-origin']).toBe('*')
    return reply
  }

  it('the URL names the campaign, and its recipients count once as users', async () => {
    const client = await startClient()
    const { appId, notification, send, campaign, api } = await createMiniApp(parts)
    await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(), fids: [1, 2] })
    const { campaign_id } = await send({ target_fids: [1] })
    expect(client.requests[0]?.targetUrl).toBe(
      `${notification.target_url}?utm_source=neynar&utm_campaign=${campaign_id}`,
    )
    const open = { campaign_id, fid: 1, app_fid: CLIENT }
    const taken = await report(api, open)
    expect([taken.statusCode, taken.json().success]).toEqual([200, true])
    expect((await campaign(campaign_id)).stats).toMatchObject({
      total_opens: 1,
      total_opens_by_app_fid: { [CLIENT]: 1 },
      unique_opens: 1,
      unique_opens_by_app_fid: { [CLIENT]: 1 },
    })
    await Promise.all([report(api, open), report(api, open)])
    expect((await campaign(campaign_id)).stats).toMatchObject({ total_opens: 3, unique_opens: 1 })
  })

  it('each counts for its own client, and the user for the client of the first', async () => {
    const client = await startClient()
    const { appId, send, campaign, api } = await createMiniApp(parts)
    const other = CLIENT + 1
    for (const clientFid of [CLIENT, other])
      await grantTokens(db, { appId, clientFid, url: client.url(), fids: [1] })
    const { campaign_id } = await send()
    for (const app_fid of [CLIENT, other]) await report(api, { campaign_id, fid: 1, app_fid })
    expect((await campaign(campaign_id)).stats).toMatchObject({
      total_opens: 2,
      total_opens_by_app_fid: { [CLIENT]: 1, [other]: 1 },
      unique_opens: 1,
      unique_opens_by_app_fid: { [CLIENT]: 1 },
    })
  })

  it('of one user the first 100 count', async () => {
    const client = await startClient()
    const { appId, send, campaign, api } = await createMiniApp(parts)
    await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(), fids: [1] })
    const { campaign_id } = await send()
    const open = { campaign_id, fid: 1, app_fid: CLIENT }
    await report(api, open)
    await db`update miniapps.campaign_opens set opens = 99 where campaign_id = ${campaign_id}`
    await report(api, open)
    await report(api, open)
    expect((await campaign(campaign_id)).stats).toMatchObject({ total_opens: 2, unique_opens: 1 })
  })

  it.each([
    ['somebody who was not notified', { fid: 2 }],
    ['another client', { app_fid: 1 }],
    ['an unknown campaign', { campaign_id: '19d0c5fd-9b33-4a48-a0e2-bc7b0555baec' }],
  ])('%s -> the same reply, and nothing counts', async (_, change) => {
    const client = await startClient()
    const { appId, send, campaign, api } = await createMiniApp(parts)
    await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(), fids: [1, 2] })
    const { campaign_id } = await send({ target_fids: [1] })
    const reply = await report(api, { campaign_id, fid: 1, app_fid: CLIENT, ...change })
    expect([reply.statusCode, reply.json().success]).toEqual([200, true])
    expect((await campaign(campaign_id)).stats).toMatchObject(statsOfOpens)
  })

  it('an address may report 300 in a minute', async () => {
    const { api } = await createMiniApp(parts)
    const invalid = { campaign_id: 'x' }
    for (let n = 0; n < 300; n += 1) expect((await report(api, invalid)).statusCode).toBe(400)
    expect((await report(api, invalid)).json()).toMatchObject({ code: 'RateLimited', status: 429 })
  })

  it('a URL with parameters of its own by these names stays', async () => {
    const client = await startClient()
    const { appId, notification, send } = await createMiniApp(parts)
    await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(), fids: [1] })
    const target_url = `${notification.target_url}?utm_source=letter#top`
    await send({ notification: { ...notification, target_url } })
    expect(client.requests[0]?.targetUrl).toBe(target_url)
  })

  it('deleteExpiredOpens: opens go after five days, counts stay', async () => {
    const client = await startClient()
    const { appId, send, campaign, api } = await createMiniApp(parts)
    await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(), fids: [1, 2] })
    const { campaign_id } = await send()
    for (const fid of [1, 2]) await report(api, { campaign_id, fid, app_fid: CLIENT })
    await db`
      update miniapps.campaign_opens set opened_at = now() - interval '121 hours'
      where campaign_id = ${campaign_id} and fid = 1`
    await deleteExpiredOpens(db)
    const remaining = await db`select fid from miniapps.campaign_opens where campaign_id = ${campaign_id}`
    expect(remaining).toEqual([{ fid: 2 }])
    expect((await campaign(campaign_id)).stats).toMatchObject({ unique_opens: 2 })
  })
})

it('lists campaigns newest first, in pages', async () => {
  const { send, api } = await createMiniApp(parts)
  const ids: string[] = []
  for (let n = 0; n < 5; n += 1) ids.push((await send()).campaign_id)
  const listed: string[] = []
  for (let cursor = ''; cursor !== null; ) {
    const query = { limit: 2, ...(cursor === '' ? {} : { cursor }) }
    const page = (await api.get('frame/notifications', query)).json()
    listed.push(...page.notificationCampaigns.map(({ id }: { id: string }) => id))
    cursor = page.next.cursor
  }
  expect(listed).toEqual(ids.reverse())
})
