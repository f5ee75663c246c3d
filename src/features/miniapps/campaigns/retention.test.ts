import { expect, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { silentLog } from '../../../platform/log/log.js'
import { createApp } from '../../apps/apps.js'
import { broadcast } from './broadcast.js'
import { createCampaigns } from './campaign-client.js'
import { listCampaigns } from './campaigns.js'
import { deleteExpiredBatches } from './sending/batch-queue.js'
import { cancelCampaign } from './sending/campaign-end.js'
import { createAudienceSelector } from './sending/campaign-sender.js'

const { db } = await createTestDatabase()

it('deleteExpiredBatches: batches go after two days, counts stay', async () => {
  const { id: appId } = await createApp(db, { name: 'garden' })
  const [campaign] = await db<{ id: string }[]>`
    insert into miniapps.campaigns (app_id, title, body, target_url, audience, state, audience_size)
    values (${appId}, 'hello', 'there', 'https://garden.example.com/', '{}', 'completed', 3)
    returning id`
  await db`
    insert into miniapps.batches (campaign_id, campaign_seq, app_id, client_fid, host, turn, state, fids, ended_at)
    select ${campaign!.id}, 1, ${appId}, 9152, 'client.example', turn, state, array[turn], ended_at
    from (values
      (1, 'ended', now() - interval '49 hours'),
      (2, 'ended', now() - interval '47 hours'),
      (3, 'waiting', null)
    ) as batch (turn, state, ended_at)`
  await db`
    insert into miniapps.campaign_counts (campaign_id, client_fid, outcome, tokens)
    values (${campaign!.id}, 9152, 'success', 2)`

  await deleteExpiredBatches(db)

  const remaining = await db<{ turn: number }[]>`select turn from miniapps.batches order by turn`
  expect(remaining.map(({ turn }) => turn)).toEqual([2, 3])
  const [listed] = await listCampaigns(db, appId, { limit: 10 })
  expect(listed?.stats).toMatchObject({ successful_sends: 2, pending_count: 1 })
})

it('the audience of a campaign is stored only until it was selected, has failed or was canceled', async () => {
  const { id: appId } = await createApp(db, { name: 'orchard' })
  const audience = { targetFids: [7], excludeFids: [], followingFid: null, minimumScore: null, near: null }
  const queued = await db<{ id: string }[]>`
    insert into miniapps.campaigns (app_id, title, body, target_url, audience)
    select ${appId}, 'hello', 'there', 'https://orchard.example.com/', audience::jsonb
    from unnest(${[JSON.stringify(audience), '{"of": "a version to come"}', '{"targetFids": [8]}']}::text[]) audience
    returning id`
  const read = async () =>
    (await db`select state, audience from miniapps.campaigns where app_id = ${appId} order by seq`).map(
      ({ state, audience }) => [state, audience],
    )
  const selector = createAudienceSelector(db, silentLog, () => {})
  onTestFinished(() => selector.stop())
  await cancelCampaign(db, appId, queued[2]!.id)
  expect(await read()).toMatchObject([
    ['queued', audience],
    ['queued', {}],
    ['canceled', {}],
  ])
  selector.wake()
  const ends = [
    ['completed', {}],
    ['failed', {}],
    ['canceled', {}],
  ]
  await expect.poll(read).toEqual(ends)

  const settings = { isAsync: false, intervalSeconds: 0, perDay: 1, concurrency: 1, timeoutMs: 400 }
  const campaigns = createCampaigns({ settings, listen: db.listen, db })
  onTestFinished(() => campaigns.close())
  const notification = { title: 'hello', body: 'there', targetUrl: 'https://orchard.example.com/' }
  await broadcast({ db, writerDb: db, campaigns }, { appId, notification, uuid: null, audience })
  expect(await read()).toEqual([...ends, ['completed', {}]])
})
