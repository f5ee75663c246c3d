import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import {
  type CampaignSettings,
  createCampaigns,
} from '../../src/features/miniapps/campaigns/campaign-client.js'
import { startCampaignSender } from '../../src/features/miniapps/campaigns/sending/campaign-sender.js'
import {
  answerWith,
  type ClientResponse,
  type NotifyRequest,
  startClient,
} from '../../src/features/miniapps/campaigns/testing/client-simulator.js'
import { fidOf, fidsFrom, grantTokens } from '../../src/features/miniapps/campaigns/testing/token-rows.js'
import { createMiniApp } from '../../src/features/miniapps/routes/testing/mini-app.js'
import { silentLog } from '../../src/platform/log/log.js'
import { createNetClient } from '../../src/platform/outbound/net-client.js'
import { createTestDatabase } from '../database.js'

const { db, connect } = await createTestDatabase()
const net = createNetClient({ policy: { allowHttp: true, allowLoopback: true }, userAgent: 'plaza test' })
afterAll(() => net.close())
const settings: CampaignSettings = {
  isAsync: true,
  intervalSeconds: 0,
  perDay: 1_000,
  concurrency: 3,
  // Longer than any pause of this process, which also runs the clients.
  timeoutMs: 6_000,
}

/** How long the end of a campaign is waited for: 21 batches, six at a time, may each take the timeout. */
const completion = { interval: 20 }

/** What a client did with each token; no token is notified twice. */
type TokenFateOutcome = 'success' | 'invalid_token' | 'rate_limited' | 'failed' | 'http_error'
type RequestOutcome = (
  request: NotifyRequest,
) => readonly [answer: ClientResponse, fates: readonly TokenFateOutcome[]]

/** Returns different outcomes per token, and none for some. */
const mixedOutcomes: RequestOutcome = ({ tokens }) => {
  const outcomeOf = (token: string) =>
    (['success', 'success', 'invalid_token', 'rate_limited', 'failed', 'failed'] as const)[fidOf(token) % 6]!
  const of = (outcome: TokenFateOutcome) => tokens.filter((token) => outcomeOf(token) === outcome)
  const answer: ClientResponse = (_, response) =>
    answerWith(response, {
      successfulTokens: of('success'),
      invalidTokens: of('invalid_token'),
      rateLimitedTokens: of('rate_limited'),
      failedTokens: of('failed')
        .filter((token) => fidOf(token) % 2 === 0)
        .map((token) => ({ token, reason: 'unknown' })),
    })
  return [answer, tokens.map(outcomeOf)]
}
const always =
  (outcome: TokenFateOutcome, answer: ClientResponse): RequestOutcome =>
  ({ tokens }) => [answer, tokens.map(() => outcome)]
const fates: readonly RequestOutcome[] = [
  mixedOutcomes,
  always(
    'success',
    ({ tokens }, response) => void response.end(JSON.stringify({ successfulTokens: tokens })),
  ),
  always('http_error', (_, response) => void response.writeHead(502).end()),
  always('http_error', () => {}),
  always('http_error', (_, response) => void response.destroy()),
  always('failed', (_, response) => void response.end('{"result":{"successfulTokens":"all"}}')),
]

/** Starts a client that handles its requests by the plan, in order. */
async function startUnreliableClient(plan: readonly number[]) {
  const known = new Map<string, TokenFateOutcome>()
  let next = 0
  const client = await startClient((request, response) => {
    const [answer, ofTokens] = fates[plan[next % plan.length]!]!(request)
    next += 1
    for (const [index, token] of request.tokens.entries()) known.set(token, ofTokens[index]!)
    answer(request, response)
  })
  return { client, known }
}

it("campaigns: counts equal the clients' records for any client behavior and number of processes", async () => {
  const senders = await Promise.all(
    [1, 2].map(() => {
      const pool = connect({ poolSize: 4 })
      const own = connect({ poolSize: 1 })
      const parts = { db: pool, lockDb: own, listen: pool.listen, net, settings, clock: Date.now }
      return startCampaignSender({ ...parts, log: silentLog })
    }),
  )
  const campaigns = createCampaigns({ settings, listen: db.listen, db })
  const plan = fc.array(fc.nat({ max: fates.length - 1 }), { minLength: 1, maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(fc.tuple(plan, plan, plan), fc.integer({ min: 101, max: 700 }), async (plans, users) => {
      const app = await createMiniApp({ db, net }, settings, campaigns)
      const clients = await Promise.all(plans.map(startUnreliableClient))
      for (const [clientFid, { client }] of clients.entries()) {
        await grantTokens(db, { appId: app.appId, clientFid, url: client.url(), fids: fidsFrom(1, users) })
      }
      const uuid = randomUUID()
      const requestedTokens = { notification: { ...app.notification, uuid } }

      const { campaign_id: id } = await app.send(requestedTokens)
      await expect.poll(async () => (await app.campaign(id)).status, completion).toBe('completed')

      const known = clients.flatMap((each) => [...each.known.values()])
      const count = (outcome: TokenFateOutcome) => known.filter((each) => each === outcome).length
      const { stats } = await app.campaign(id)
      expect(stats).toMatchObject({
        intended_recipient_notification_token_count: users * 3,
        successful_sends: count('success'),
        failure_count: users * 3 - count('success'),
        not_attempted_count: 0,
        pending_count: 0,
      })
      const failures = ['invalid_token', 'rate_limited', 'failed', 'http_error'] as const
      const counted = failures.flatMap((outcome) => (count(outcome) === 0 ? [] : [[outcome, count(outcome)]]))
      expect(stats.error_breakdown.delivery_errors).toEqual(Object.fromEntries(counted))
      for (const { client } of clients)
        expect([...client.notificationCounts().values()].every((times) => times === 1)).toBe(true)

      const reached = clients.flatMap((each) =>
        [...each.known].filter(([, outcome]) => outcome === 'success'),
      )
      const ended = clients.flatMap((each) =>
        [...each.known].filter(([, outcome]) => outcome === 'invalid_token'),
      )
      for (const { client } of clients) {
        client.requests.length = 0
        client.setResponse(({ tokens }, response) => answerWith(response, { successfulTokens: tokens }))
      }
      const secondResult = await app.send(requestedTokens)
      await expect
        .poll(async () => (await app.campaign(secondResult.campaign_id)).status, completion)
        .toBe('completed')
      const notificationCounts = new Set(
        clients.flatMap(({ client }) => [...client.notificationCounts().keys()]),
      )
      expect(notificationCounts.size).toBe(users * 3 - reached.length - ended.length)
      for (const [token] of [...reached, ...ended]) expect(notificationCounts.has(token)).toBe(false)
    }),
    { numRuns: 4 },
  )
  await Promise.all(senders.map((sender) => sender.stop()))
})
