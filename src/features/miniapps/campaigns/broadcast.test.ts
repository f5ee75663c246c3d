import { expect, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { countLockWaiters, holdTransaction } from '../../../graph/project/testing/transaction-locks.js'
import { poolUsage } from '../../../platform/db/connection.js'
import { createApp } from '../../apps/apps.js'
import { broadcast } from './broadcast.js'
import { createCampaigns } from './campaign-client.js'

const { db, connect } = await createTestDatabase()
const settings = { isAsync: false, intervalSeconds: 0, perDay: 100, concurrency: 2, timeoutMs: 10_000 }
const UUID = '7b2c8c4e-0c3a-4b52-8d0c-1f6f1f0b9a55'

/** A notification to all users of an app. */
const toAllOf = (appId: string, uuid: string | null = null) => ({
  appId,
  notification: { title: 'hello', body: 'there', targetUrl: 'https://garden.example.com/' },
  uuid,
  audience: { targetFids: [], excludeFids: [], followingFid: null, minimumScore: null, near: null },
})

/** Makes everything that reads tokens wait. */
const holdTokens = () =>
  holdTransaction(db, (transaction) => transaction`lock table miniapps.tokens in access exclusive mode`)

it('a slow look at an audience takes no connection from merges', async () => {
  const { id: appId } = await createApp(db, { name: 'garden' })
  const [reads, writes] = [connect({ poolSize: 2 }), connect({ poolSize: 2 })]
  const campaigns = createCampaigns({ settings: { ...settings, isAsync: true }, listen: db.listen, db })
  onTestFinished(() => campaigns.close())
  const held = await holdTokens()
  const requests = [1, 2].map(() => broadcast({ db: reads, writerDb: writes, campaigns }, toAllOf(appId)))
  await expect.poll(() => countLockWaiters(db)).toBe(2)

  expect(poolUsage(writes)).toMatchObject({ held: 0, waiting: 0 })
  await held.release()
  const [result] = (await Promise.all(requests)).map(({ result }) => result)
  expect(result).toMatchObject({ success: 0, openBatches: 0 })
})

it('broadcasts that wait leave connections to the senders, however many there are, and one app has one', async () => {
  const apps = await Promise.all(['brook', 'creek', 'river'].map((name) => createApp(db, { name })))
  const work = connect({ poolSize: 4 })
  const campaigns = createCampaigns({ settings, listen: db.listen, db: work })
  onTestFinished(() => campaigns.close())
  const held = await holdTokens()
  const send = (appId: string) => broadcast({ db, writerDb: db, campaigns }, toAllOf(appId, UUID))
  const ofOne = [1, 2, 3].map(() => send(apps[0]!.id))
  await expect.poll(() => poolUsage(work).held).toBe(1)
  const ofOthers = apps.slice(1).map(({ id }) => send(id))
  await expect.poll(() => countLockWaiters(db)).toBe(2)

  expect(poolUsage(work)).toMatchObject({ held: 2, waiting: 0 })
  await held.release()
  const results = await Promise.all([...ofOne, ...ofOthers])
  expect(results.map(({ result }) => result?.openBatches)).toEqual([0, 0, 0, 0, 0])
})
