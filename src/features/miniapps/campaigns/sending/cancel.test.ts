import { afterAll, expect, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../../../../../test/database.js'
import { silentLog } from '../../../../platform/log/log.js'
import { createNetClient } from '../../../../platform/outbound/net-client.js'
import { createApp } from '../../../apps/apps.js'
import { broadcast } from '../broadcast.js'
import { createCampaigns } from '../campaign-client.js'
import { acceptAll, startClient } from '../testing/client-simulator.js'
import { fidsFrom, grantTokens } from '../testing/token-rows.js'
import { cancelCampaign } from './campaign-end.js'
import { startCampaignSender } from './campaign-sender.js'

const { db, connect } = await createTestDatabase()
const net = createNetClient({ policy: { allowHttp: true, allowLoopback: true }, userAgent: 'plaza test' })
afterAll(() => net.close())

it('a canceled campaign -> batches that a sender has claimed and not posted are canceled with the others', async () => {
  const settings = { isAsync: true, intervalSeconds: 30, perDay: 100, concurrency: 1, timeoutMs: 60_000 }
  const answers: (() => void)[] = []
  const client = await startClient(
    (request, response) => void answers.push(() => acceptAll(request, response)),
  )
  const { id: appId } = await createApp(db, { name: 'orchard' })
  await grantTokens(db, { appId, clientFid: 9152, url: client.url(), fids: fidsFrom(1, 400) })
  const lockDb = connect({ poolSize: 1 })
  const parts = { db, lockDb, listen: db.listen, net, settings, clock: Date.now, log: silentLog }
  const sender = await startCampaignSender(parts)
  onTestFinished(() => sender.stop())
  const campaigns = createCampaigns({ settings, listen: db.listen, db })
  onTestFinished(() => campaigns.close())
  const { campaignId } = await broadcast(
    { db, writerDb: db, campaigns },
    {
      appId,
      notification: { title: 'hello', body: 'there', targetUrl: 'https://orchard.example.com/' },
      uuid: null,
      audience: { targetFids: [], excludeFids: [], followingFid: null, minimumScore: null, near: null },
    },
  )
  const claimed = () => db`select from miniapps.batches where state = 'sending'`
  await expect.poll(() => answers.length).toBe(1)
  await expect.poll(claimed).toHaveLength(2)

  await cancelCampaign(db, appId, campaignId)
  const counts = () =>
    db`select outcome, tokens from miniapps.campaign_counts where campaign_id = ${campaignId} order by outcome`
  await expect.poll(counts).toEqual([{ outcome: 'canceled', tokens: 300 }])
  for (const answer of answers) answer()
  await expect.poll(claimed).toEqual([])
  expect(await counts()).toEqual([
    { outcome: 'canceled', tokens: 300 },
    { outcome: 'success', tokens: 100 },
  ])
  expect(client.requests).toHaveLength(1)
  // Those who were not notified may be at once.
  expect(
    await db`select count(*)::integer as users from miniapps.rate_windows where sent_at <> '{}'`,
  ).toEqual([{ users: 100 }])
})
