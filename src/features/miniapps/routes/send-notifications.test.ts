import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestApi } from '../../../app/testing/test-api.js'
import { holdTransaction } from '../../../graph/project/testing/transaction-locks.js'
import { createNetClient } from '../../../platform/outbound/net-client.js'
import {
  acceptAll,
  answerWith,
  type ClientResponse,
  startClient,
} from '../campaigns/testing/client-simulator.js'
import { fidOf, fidsFrom, grantTokens, tokenOf } from '../campaigns/testing/token-rows.js'
import { createMiniApp } from './testing/mini-app.js'

const { db, connect } = await createTestDatabase()
const net = createNetClient({ policy: { allowHttp: true, allowLoopback: true }, userAgent: 'plaza test' })
afterAll(() => net.close())
const parts = { db, net }
const CLIENT = 9152
const OTHER_CLIENT = 309857
const allSucceeded = { failure_count: 0, not_attempted_count: 0, retryable_fids: [] }
const unlimited = { intervalSeconds: 0, perDay: 1_000 }

it('notifies all users with notifications enabled, 100 tokens a request', async () => {
  const client = await startClient()
  const { appId, notification, send } = await createMiniApp(parts)
  await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(), fids: fidsFrom(1, 250) })
  await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(), fids: [1000], state: 'disabled' })

  const result = await send()

  expect(result).toEqual({
    httpStatus: 200,
    campaign_id: expect.any(String),
    notification_deliveries: fidsFrom(1, 250).map((fid) => ({
      object: 'notification_delivery',
      fid,
      status: 'success',
      app_fid: CLIENT,
    })),
    success_count: 250,
    ...allSucceeded,
  })
  expect(client.requests.map(({ tokens }) => tokens.length).sort()).toEqual([100, 100, 50])
  expect(client.notificationCounts()).toEqual(
    new Map(fidsFrom(1, 250).map((fid) => [tokenOf(CLIENT, fid), 1])),
  )
  for (const { tokens: _, ...sentRequest } of client.requests) {
    expect(sentRequest).toEqual({
      notificationId: result.campaign_id,
      title: notification.title,
      body: notification.body,
      targetUrl: `${notification.target_url}?utm_source=neynar&utm_campaign=${result.campaign_id}`,
    })
  }
})

it('notifies a user once at each client that has notifications enabled', async () => {
  const [one, other] = [await startClient(), await startClient()]
  const { appId, send } = await createMiniApp(parts)
  await grantTokens(db, { appId, clientFid: CLIENT, url: one.url(), fids: [1, 2] })
  await grantTokens(db, { appId, clientFid: OTHER_CLIENT, url: other.url(), fids: [1, 3] })
  await grantTokens(db, { appId, clientFid: OTHER_CLIENT, url: other.url(), fids: [2], state: 'disabled' })

  expect(await send()).toMatchObject({ httpStatus: 200, success_count: 4, ...allSucceeded })
  expect([...one.notificationCounts().keys()]).toEqual([1, 2].map((fid) => tokenOf(CLIENT, fid)))
  expect([...other.notificationCounts().keys()]).toEqual([1, 3].map((fid) => tokenOf(OTHER_CLIENT, fid)))
})

it('a broadcast whose deliveries cannot be listed in time is answered with its counts', async () => {
  const reads = connect({ poolSize: 4, statementTimeoutMs: 2_000 })
  let held: { release(): Promise<void> } | undefined
  const client = await startClient(async (request, response) => {
    held = await holdTransaction(db, (tx) => tx`lock table social.follows in access exclusive mode`)
    acceptAll(request, response)
  })
  const { appId, send } = await createMiniApp({ db: reads, net })
  await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(), fids: [1] })
  await db`insert into social.follows (fid, target_fid, ts, signer) values (1, ${CLIENT}, 0, '')`
  const result = await send({ target_fids: [], filters: { following_fid: CLIENT } })
  await held?.release()
  expect(result).toMatchObject({ httpStatus: 200, success_count: 1, notification_deliveries: [] })
})

it.each([
  ['?msg=hello%20world&next=/games/1,2&beta', '?msg=hello%20world&next=/games/1,2&beta&'],
  ['?', '?'],
  ['#scores', '?'],
])('adds its parameters to the query %s as it is written', async (query, kept) => {
  const client = await startClient()
  const { appId, notification, send } = await createMiniApp(parts)
  await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(), fids: [1] })
  const page = notification.target_url
  const { campaign_id } = await send({ notification: { ...notification, target_url: `${page}${query}` } })
  const fragment = query.startsWith('#') ? query : ''
  expect(client.requests.map(({ targetUrl }) => targetUrl)).toEqual([
    `${page}${kept}utm_source=neynar&utm_campaign=${campaign_id}${fragment}`,
  ])
})

it('counts each token of the targets exactly once', async () => {
  const client = await startClient(({ tokens }, response) => {
    const ofUser = (fid: number) => tokens.filter((token) => fidOf(token) === fid)
    answerWith(response, {
      successfulTokens: ofUser(1),
      invalidTokens: ofUser(2),
      rateLimitedTokens: ofUser(3),
      failedTokens: [4, 5].flatMap(ofUser).map((token) => ({
        token,
        reason: fidOf(token) === 4 ? 'unknown' : 'invalid_token',
      })),
    })
  })
  const { appId, send, campaign } = await createMiniApp(parts)
  await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(), fids: fidsFrom(1, 6) })
  await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(), fids: [7], state: 'disabled' })
  await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(), fids: [8], state: 'invalid' })

  // 9 has no token. 6 is not in the answer.
  const result = await send({ target_fids: fidsFrom(1, 9) })

  expect(result).toMatchObject({
    httpStatus: 200,
    success_count: 1,
    failure_count: 5,
    not_attempted_count: 2,
    retryable_fids: [3, 4, 6],
  })
  const statuses = result.notification_deliveries.map(({ fid, status }: { fid: number; status: string }) => [
    fid,
    status,
  ])
  expect(statuses).toEqual([
    [1, 'success'],
    [2, 'token_not_found'],
    [3, 'failed'],
    [4, 'failed'],
    [5, 'token_not_found'],
    [6, 'failed'],
    [7, 'token_disabled'],
    [8, 'token_not_found'],
    [9, 'token_not_found'],
  ])
  const states =
    await db`select fid, state from miniapps.tokens where app_id = ${appId} and state = 'invalid' order by fid`
  expect(states.map(({ fid }) => fid)).toEqual([2, 5, 8])
  expect((await campaign(result.campaign_id)).stats).toMatchObject({
    intended_recipient_notification_token_count: 8,
    successful_sends: 1,
    pending_count: 0,
    error_breakdown: {
      delivery_errors: { invalid_token: 2, rate_limited: 1, failed: 2 },
      http_errors: {},
      not_attempted: { disabled: 1, invalid: 1 },
    },
  })
})

const invalidBodies: [
  name: string,
  answer: ClientResponse,
  outcome: string,
  http: Record<string, number>,
  timeoutMs?: number,
][] = [
  ['an error', (_, response) => response.writeHead(503).end('busy'), 'http_error', { 503: 2 }],
  ['a redirect', (_, response) => response.writeHead(302, { location: '/' }).end(), 'http_error', { 302: 2 }],
  ['no answer in time', () => {}, 'http_error', {}, 2_000],
  [
    'an end in the middle',
    (_, response) => response.write('{"result":') && response.destroy(),
    'http_error',
    {},
  ],
  ['what is no JSON', (_, response) => response.end('<html>'), 'failed', {}],
  ['JSON that says nothing', (_, response) => response.end('[]'), 'failed', {}],
  ['more than is read', (_, response) => response.end(`"${'x'.repeat(300_000)}"`), 'failed', {}],
]

it.each(invalidBodies)(
  'a client that answers with %s fails for everyone, who may be reached again',
  async (_name, answer, outcome, http, timeoutMs) => {
    const client = await startClient((request, response) => void answer(request, response))
    const { appId, notification, send, campaign } = await createMiniApp(parts, timeoutMs ? { timeoutMs } : {})
    await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(), fids: [1, 2] })
    const uuid = randomUUID()

    const result = await send({ notification: { ...notification, uuid } })

    expect(result).toMatchObject({
      httpStatus: 200,
      success_count: 0,
      failure_count: 2,
      not_attempted_count: 0,
      retryable_fids: [1, 2],
    })
    expect((await campaign(result.campaign_id)).stats.error_breakdown).toEqual({
      delivery_errors: { [outcome]: 2 },
      http_errors: http,
      not_attempted: {},
    })
    client.setResponse(acceptAll)
    const again = { target_fids: result.retryable_fids, notification: { ...notification, uuid } }
    expect(await send(again)).toMatchObject({ success_count: 2, ...allSucceeded })
  },
)

it('accepts replies of clients without result', async () => {
  const client = await startClient(({ tokens }, response) => {
    response.end(
      JSON.stringify({
        successfulTokens: tokens.slice(1),
        invalidTokens: [],
        rateLimitedTokens: tokens.slice(0, 1),
      }),
    )
  })
  const { appId, send } = await createMiniApp(parts)
  await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(), fids: [1, 2, 3] })
  expect(await send()).toMatchObject({ success_count: 2, failure_count: 1, retryable_fids: [1] })
})

it('a slow client delays no other, and concurrency is bounded', async () => {
  let releaseResponse = () => {}
  const released = new Promise<void>((resolve) => {
    releaseResponse = resolve
  })
  const slow = await startClient(
    (request, response) => void released.then(() => acceptAll(request, response)),
  )
  const quick = await startClient()
  const { appId, send } = await createMiniApp(parts, { concurrency: 3 })
  await grantTokens(db, { appId, clientFid: CLIENT, url: slow.url(), fids: fidsFrom(1, 1_200) })
  await grantTokens(db, { appId, clientFid: OTHER_CLIENT, url: quick.url(), fids: fidsFrom(1, 700) })
  // The slow one answers nothing before the other has had all seven requests.
  quick.setResponse((request, response) => {
    acceptAll(request, response)
    if (quick.requests.length === 7) releaseResponse()
  })

  expect(await send()).toMatchObject({ success_count: 1_900, ...allSucceeded })
  expect(slow.maxConcurrentRequests()).toBe(3)
  expect(quick.maxConcurrentRequests()).toBeLessThanOrEqual(3)
})

it('answers many sequential and concurrent requests', async () => {
  const client = await startClient()
  const app = await createMiniApp(parts, unlimited)
  await grantTokens(db, { appId: app.appId, clientFid: CLIENT, url: client.url(), fids: [1] })
  async function sendOften(): Promise<void> {
    for (let n = 0; n < 10; n += 1) expect(await app.send()).toMatchObject({ success_count: 1 })
  }
  await Promise.all([sendOften(), sendOften(), sendOften()])
  expect(client.requests).toHaveLength(30)
})

describe('the same uuid', () => {
  it('reaches each user exactly once', async () => {
    const refused = new Set([2, 3])
    const client = await startClient(({ tokens }, response) => {
      answerWith(response, {
        successfulTokens: tokens.filter((token) => !refused.has(fidOf(token))),
        rateLimitedTokens: tokens.filter((token) => refused.has(fidOf(token))),
      })
    })
    const { appId, notification, send } = await createMiniApp(parts, unlimited)
    const uuid = randomUUID()
    const requestBody = { notification: { ...notification, uuid } }
    await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(), fids: fidsFrom(1, 4) })
    expect(await send(requestBody)).toMatchObject({
      success_count: 2,
      failure_count: 2,
      retryable_fids: [2, 3],
    })
    refused.clear()
    // A new token is no new user.
    await db`update miniapps.tokens set token = 'new ' || token where app_id = ${appId} and fid = 1`
    await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(), fids: [5] })
    expect(await send(requestBody)).toMatchObject({
      success_count: 3,
      failure_count: 0,
      not_attempted_count: 2,
    })
    expect(await send(requestBody)).toMatchObject({
      success_count: 0,
      failure_count: 0,
      not_attempted_count: 5,
    })

    expect(client.requests.map(({ tokens }) => tokens.map(fidOf))).toEqual([
      [1, 2, 3, 4],
      [2, 3, 5],
    ])
    expect(new Set(client.requests.map(({ notificationId }) => notificationId))).toEqual(new Set([uuid]))
    expect(await send({ notification: { ...notification, uuid: randomUUID() } })).toMatchObject({
      success_count: 5,
    })
  })

  it('may be used again after 24 hours', async () => {
    const client = await startClient()
    const { appId, notification, send } = await createMiniApp(parts, unlimited)
    const requestBody = { notification: { ...notification, uuid: randomUUID() } }
    await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(), fids: [1] })
    await send(requestBody)
    await db`update miniapps.batches set ended_at = now() - interval '25 hours' where app_id = ${appId}`
    expect(await send(requestBody)).toMatchObject({ success_count: 1, not_attempted_count: 0 })
  })

  it('in concurrent requests -> reaches each user once', async () => {
    const client = await startClient(
      (request, response) => void setTimeout(() => acceptAll(request, response), 10),
    )
    const { appId, notification, send } = await createMiniApp(parts, unlimited)
    const requestBody = { notification: { ...notification, uuid: randomUUID() } }
    await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(), fids: fidsFrom(1, 300) })
    const results = await Promise.all([1, 2, 3, 4].map(() => send(requestBody)))
    expect(results.map(({ success_count }) => success_count).sort()).toEqual([0, 0, 0, 300])
    expect(new Set(client.notificationCounts().values())).toEqual(new Set([1]))
  })
})

describe('rate limits of clients', () => {
  it('one notification in 30 seconds for a token', async () => {
    const client = await startClient()
    const { appId, send } = await createMiniApp(parts)
    await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(), fids: fidsFrom(1, 150) })
    const results = await Promise.all([1, 2, 3].map(() => send()))
    const sums = results.map(({ success_count, failure_count }) => [success_count, failure_count])
    expect(sums.reduce((total, [success]) => total + success, 0)).toBe(150)
    expect(sums.every(([success, failure]) => success + failure === 150)).toBe(true)
    expect(new Set(client.notificationCounts().values())).toEqual(new Set([1]))
    const retryable = results.flatMap(({ retryable_fids }) => retryable_fids)
    expect(retryable).toHaveLength(300)

    await db`update miniapps.rate_windows set sent_at = array[now() - interval '31 seconds'] where app_id = ${appId}`
    expect(await send()).toMatchObject({ success_count: 150 })
  })

  it('a maximum in 24 hours for a token', async () => {
    const client = await startClient()
    const { appId, send } = await createMiniApp(parts, { intervalSeconds: 0, perDay: 2 })
    await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(), fids: [1] })
    const counts = [await send(), await send(), await send()].map(({ success_count }) => success_count)
    expect(counts).toEqual([1, 1, 0])
    await db`
      update miniapps.rate_windows
      set sent_at = array[now() - interval '24 hours 1 second', sent_at[2]]
      where app_id = ${appId}`
    expect(await send()).toMatchObject({ success_count: 1 })
    expect(await send()).toMatchObject({ success_count: 0, failure_count: 1, retryable_fids: [1] })
  })

  it('a database whose clock was set back by hours: later sends count for nothing, and are forgotten', async () => {
    const client = await startClient()
    const { appId, send } = await createMiniApp(parts, { intervalSeconds: 30, perDay: 2 })
    await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(), fids: [1] })
    await send()
    await db`
      update miniapps.rate_windows
      set sent_at = array[now() + interval '3 hours', now() + interval '4 hours'] where app_id = ${appId}`
    expect(await send()).toMatchObject({ success_count: 1 })
    const [window] = await db`
      select cardinality(sent_at) as stamps, sent_at[1] <= now() as "isPast"
      from miniapps.rate_windows where app_id = ${appId}`
    expect(window).toEqual({ stamps: 1, isPast: true })
    expect(await send()).toMatchObject({ success_count: 0, failure_count: 1, retryable_fids: [1] })
  })

  it('only successful sends count', async () => {
    const client = await startClient((_, response) => response.writeHead(500).end())
    const { appId, send } = await createMiniApp(parts)
    await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(), fids: [1] })
    expect(await send()).toMatchObject({ failure_count: 1 })
    client.setResponse(acceptAll)
    expect(await send()).toMatchObject({ success_count: 1 })
    expect(await send()).toMatchObject({ success_count: 0, failure_count: 1, retryable_fids: [1] })
  })
})

describe('refuses', () => {
  it('an app that has no mini app', async () => {
    const api = await createTestApi({ db, appName: 'no mini app' })
    const notification = { title: 'x', body: 'x', target_url: 'https://example.com/' }
    const reply = await api.send('POST', 'frame/notifications', { notification })
    expect([reply.statusCode, reply.json()]).toEqual([
      404,
      { code: 'NotFound', status: 404, message: expect.stringContaining('no mini app') },
    ])
  })

  it.each([
    ['another domain', 'https://example.com/play'],
    ['a domain below it', 'https://DOMAIN.example.org/'],
    ['a name below its own', 'https://sub.DOMAIN/'],
    ['another port', 'https://DOMAIN:8443/'],
  ])('a target on %s', async (_name, url) => {
    const { notification, send } = await createMiniApp(parts)
    const target_url = url.replace('DOMAIN', new URL(notification.target_url).host)
    expect(await send({ notification: { ...notification, target_url } })).toMatchObject({
      httpStatus: 422,
      code: 'Unprocessable',
      property: 'notification.target_url',
    })
  })

  it.each([
    ['a target that is no URL', { target_url: 'play' }, 'notification.target_url'],
    ['a target without TLS', { target_url: 'http://app.example.com/' }, 'notification.target_url'],
    ['a target with a password', { target_url: 'https://a:b@app.example.com/' }, 'notification.target_url'],
    ['a uuid that is none', { uuid: 'once' }, 'notification.uuid'],
    ['an empty uuid, which would notify again', { uuid: '' }, 'notification.uuid'],
    ['no title', { title: '' }, 'notification.title'],
  ])('%s', async (_name, changed, property) => {
    const { notification, send } = await createMiniApp(parts)
    expect(await send({ notification: { ...notification, ...changed } })).toMatchObject({
      httpStatus: 400,
      code: 'InvalidField',
      property,
    })
  })

  it('reports every wrong member with its path', async () => {
    const { send } = await createMiniApp(parts)
    const reply = await send({
      notification: { title: 'x'.repeat(33), body: 7, uuid: 'x' },
      target_fids: [1, 0],
      filters: { minimum_user_score: 2, near_location: 3 },
    })
    expect(reply).toMatchObject({ httpStatus: 400, code: 'InvalidField' })
    const validationErrors = reply.errors.map(({ code, path, received }: ReturnType<typeof JSON.parse>) => [
      path.join('.'),
      code,
      received,
    ])
    expect(validationErrors.sort()).toEqual([
      ['filters.minimum_user_score', 'too_big', '2'],
      ['filters.near_location', 'invalid_type', '3'],
      ['notification.body', 'invalid_type', '7'],
      ['notification.target_url', 'invalid_type', 'undefined'],
      ['notification.title', 'too_big', 'a text of 33 characters'],
      ['notification.uuid', 'invalid_string', 'a text of 1 characters'],
      ['target_fids.1', 'too_small', '0'],
    ])
    for (const { expected, message } of reply.errors) {
      expect([typeof expected, typeof message]).toEqual(['string', 'string'])
    }
  })

  it('more than 100 targets', async () => {
    const { send } = await createMiniApp(parts)
    expect(await send({ target_fids: fidsFrom(1, 101) })).toMatchObject({
      httpStatus: 400,
      errors: [{ code: 'too_big', path: ['target_fids'], received: 'a list of 101' }],
    })
  })
})
