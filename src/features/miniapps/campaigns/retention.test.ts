import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { createApp } from '../../apps/apps.js'
import { listCampaigns } from './campaigns.js'
import { deleteExpiredBatches } from './sending/batch-queue.js'

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
