import { describe, expect, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { countLockWaiters, holdTransaction } from '../../../graph/project/testing/transaction-locks.js'
import { type Database, poolUsage } from '../../../platform/db/connection.js'
import { createApp } from '../../apps/apps.js'
import { type BroadcastRequest, broadcast } from './broadcast.js'
import { type Campaigns, createCampaigns } from './campaign-client.js'
import { fidsFrom, grantTokens } from './testing/token-rows.js'

const { db, connect } = await createTestDatabase()
const settings = { isAsync: false, intervalSeconds: 0, perDay: 100, concurrency: 2, timeoutMs: 10_000 }
const UUID = '7b2c8c4e-0c3a-4b52-8d0c-1f6f1f0b9a55'

/** A notification to all users of an app. */
const toAllOf = (appId: string, uuid: string | null = null): BroadcastRequest => ({
  appId,
  notification: { title: 'hello', body: 'there', targetUrl: 'https://garden.example.com/' },
  uuid,
  audience: { targetFids: [], excludeFids: [], followingFid: null, minimumScore: null, near: null },
})

/** A notification to one user. */
const toOneOf = (appId: string, uuid: string | null = null): BroadcastRequest => {
  const request = toAllOf(appId, uuid)
  return { ...request, audience: { ...request.audience, targetFids: [9152] } }
}

/** Makes selections of these apps with the uuid wait. */
const holdUuid = (appIds: readonly string[]) =>
  holdTransaction(db, async (transaction) => {
    for (const appId of appIds)
      await transaction`select pg_advisory_xact_lock(hashtextextended(${`campaign ${appId} ${UUID}`}, 0))`
  })

/** Makes everything that reads tokens wait. */
const holdTokens = () =>
  holdTransaction(db, (transaction) => transaction`lock table miniapps.tokens in access exclusive mode`)

it('slow looks at audiences take no connection from merges, two of those for reads, and one of an app', async () => {
  const apps = await Promise.all(['garden', 'grove', 'hedge'].map((name) => createApp(db, { name })))
  const [garden, grove, hedge] = apps.map(({ id }) => id) as [string, string, string]
  const [reads, writes] = [connect({ poolSize: 3 }), connect({ poolSize: 2 })]
  const campaigns = createCampaigns({ settings: { ...settings, isAsync: true }, listen: db.listen, db })
  onTestFinished(() => campaigns.close())
  const held = await holdTokens()
  const send = (appId: string) => broadcast({ db: reads, writerDb: writes, campaigns }, toAllOf(appId))
  const requests = [send(garden), send(garden)]
  await expect.poll(() => countLockWaiters(db)).toBe(1)
  requests.push(send(grove), send(hedge))
  await expect.poll(() => countLockWaiters(db)).toBe(2)

  expect(await reads`select 1 as found`).toEqual([{ found: 1 }])
  expect(poolUsage(reads)).toMatchObject({ held: 2, waiting: 0 })
  expect(poolUsage(writes)).toMatchObject({ held: 0, waiting: 0 })
  await held.release()
  const results = (await Promise.all(requests)).map(({ result }) => result)
  expect(results).toMatchObject(requests.map(() => ({ success: 0, openBatches: 0 })))
})

it('an audience that cannot be counted in time is queued', async () => {
  const { id: appId } = await createApp(db, { name: 'orchard' })
  const campaigns = createCampaigns({ settings: { ...settings, isAsync: true }, listen: db.listen, db })
  onTestFinished(() => campaigns.close())
  const held = await holdTokens()
  const reads = connect({ poolSize: 1, statementTimeoutMs: 200 })
  const { campaignId, result } = await broadcast({ db: reads, writerDb: db, campaigns }, toAllOf(appId))
  await held.release()
  expect(result).toBeNull()
  expect(await db`select state from miniapps.campaigns where id = ${campaignId}`).toEqual([
    { state: 'queued' },
  ])
})

it('a notification to one user waits for no look at a larger audience of its app', async () => {
  const { id: appId } = await createApp(db, { name: 'meadow' })
  const campaigns = createCampaigns({ settings: { ...settings, isAsync: true }, listen: db.listen, db })
  onTestFinished(() => campaigns.close())
  const held = await holdTransaction(
    db,
    (transaction) => transaction`lock table social.follows in access exclusive mode`,
  )
  const send = (request: BroadcastRequest) => broadcast({ db, writerDb: db, campaigns }, request)
  const toAll = toAllOf(appId)
  const toFollowers = send({ ...toAll, audience: { ...toAll.audience, followingFid: 9152 } })
  await expect.poll(() => countLockWaiters(db)).toBe(1)

  expect((await send(toOneOf(appId))).result?.openBatches).toBe(0)
  await held.release()
  await toFollowers
})

it('a notification to one user is sent within the call, also where a lock delays the look at its tokens', async () => {
  const { id: appId } = await createApp(db, { name: 'vineyard' })
  const [reads, work] = [connect({ poolSize: 1, statementTimeoutMs: 200 }), connect({ poolSize: 4 })]
  const campaigns = createCampaigns({ settings: { ...settings, isAsync: true }, listen: db.listen, db: work })
  onTestFinished(() => campaigns.close())
  const held = await holdTokens()
  const sent = broadcast({ db: reads, writerDb: db, campaigns }, toOneOf(appId))
  await expect.poll(() => poolUsage(work).held).toBe(1)
  await held.release()
  expect((await sent).result?.openBatches).toBe(0)
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

it('broadcasts that wait for their turn when the server ends are refused, and nothing of them is stored', async () => {
  const { id: appId } = await createApp(db, { name: 'pond' })
  const campaigns = createCampaigns({ settings, listen: db.listen, db: connect({ poolSize: 4 }) })
  const held = await holdTokens()
  const send = () => broadcast({ db, writerDb: db, campaigns }, toAllOf(appId))
  const first = send()
  await expect.poll(() => countLockWaiters(db)).toBe(1)
  const others = [send(), send()]
  const refused = others.map((other) => expect(other).rejects.toMatchObject({ code: 'unavailable' }))
  // They listen for ends already: in the next turn both wait.
  await new Promise(setImmediate)
  await campaigns.close()

  await Promise.all(refused)
  await expect(send()).rejects.toThrow('nothing was sent')
  await held.release()
  expect(await first).toMatchObject({ result: { openBatches: 0 } })
  expect(await db`select from miniapps.campaigns where app_id = ${appId}`).toHaveLength(1)
})

it('a notification to one user passes selections of many, but those with its uuid', async () => {
  const apps = await Promise.all(['bay', 'cove', 'reef'].map((name) => createApp(db, { name })))
  const [bay, cove, reef] = apps.map(({ id }) => id) as [string, string, string]
  const work = connect({ poolSize: 4 })
  const campaigns = createCampaigns({ settings, listen: db.listen, db: work })
  onTestFinished(() => campaigns.close())
  const send = (request: BroadcastRequest) => broadcast({ db, writerDb: db, campaigns }, request)
  const held = await holdUuid([bay, cove])
  const large = [bay, cove].map((appId) => send(toAllOf(appId, UUID)))
  await expect.poll(() => countLockWaiters(db)).toBe(2)
  const repeated = send(toOneOf(bay, UUID))

  const small = await Promise.all([bay, cove, reef].map((appId) => send(toOneOf(appId))))
  expect(small.map(({ result }) => result?.openBatches)).toEqual([0, 0, 0])
  expect(poolUsage(work)).toMatchObject({ held: 2, waiting: 0 })
  await held.release()
  await Promise.all([...large, repeated])
})

it('a notification to one user whose uuid another process has waits in the way of no other app', async () => {
  const apps = await Promise.all(['fjord', 'sound'].map((name) => createApp(db, { name })))
  const [fjord, sound] = apps.map(({ id }) => id) as [string, string]
  const work = connect({ poolSize: 4 })
  const campaigns = createCampaigns({ settings: { ...settings, isAsync: true }, listen: db.listen, db: work })
  onTestFinished(() => campaigns.close())
  const send = (request: BroadcastRequest) => broadcast({ db, writerDb: db, campaigns }, request)
  const held = await holdUuid([fjord])
  const repeated = send(toOneOf(fjord, UUID))
  await expect.poll(() => countLockWaiters(db)).toBe(1)

  const { result } = await send(toOneOf(sound))
  expect(result?.openBatches).toBe(0)
  await held.release()
  expect(await repeated).toMatchObject({ result: { openBatches: 0 } })
})

it('a notification to one user that has to wait twice has one time for both', async () => {
  const apps = await Promise.all(['dune', 'oasis', 'mesa'].map((name) => createApp(db, { name })))
  const [dune, oasis, mesa] = apps.map(({ id }) => id) as [string, string, string]
  const campaigns = createCampaigns({ settings, listen: db.listen, db: connect({ poolSize: 4 }) })
  onTestFinished(() => campaigns.close())
  const send = (request: BroadcastRequest, maxWaitMs?: number) =>
    broadcast({ db, writerDb: db, campaigns }, request, maxWaitMs)
  const held = await holdUuid([dune, oasis, mesa])
  const large = [dune, oasis].map((appId) => send(toAllOf(appId, UUID)))
  await expect.poll(() => countLockWaiters(db)).toBe(2)

  // It is its turn among the small ones at once, and its uuid is taken. Among the large ones no time is left.
  await expect(send(toOneOf(mesa, UUID), 0)).rejects.toMatchObject({ code: 'unavailable' })
  expect(await db`select from miniapps.campaigns where app_id = ${mesa}`).toEqual([])
  await held.release()
  await Promise.all(large)
})

it('an app with 100 notifications that wait for their turn is refused more, and other apps are not', async () => {
  const apps = await Promise.all(['delta', 'strait'].map((name) => createApp(db, { name })))
  const [delta, strait] = apps.map(({ id }) => id) as [string, string]
  const campaigns = createCampaigns({ settings, listen: db.listen, db: connect({ poolSize: 4 }) })
  onTestFinished(() => campaigns.close())
  const send = (request: BroadcastRequest) => broadcast({ db, writerDb: db, campaigns }, request)
  const held = await holdUuid([delta])
  const sent = Array.from({ length: 101 }, () => send(toAllOf(delta, UUID)))
  await expect.poll(() => countLockWaiters(db)).toBe(1)

  await expect(send(toAllOf(delta, UUID))).rejects.toMatchObject({ code: 'bad_request.rate_limited' })
  expect((await send(toAllOf(strait))).result?.openBatches).toBe(0)
  await held.release()
  await Promise.all(sent)
})

it('broadcasts of all sizes at once leave connections to claims, and to queued campaigns where there are any', async () => {
  const apps = await Promise.all(['lake', 'loch', 'mere'].map((name) => createApp(db, { name })))
  const expectTaken = async (isAsync: boolean, poolSize: number, taken: number) => {
    const work = connect({ poolSize })
    const campaigns = createCampaigns({ settings: { ...settings, isAsync }, listen: db.listen, db: work })
    const held = await holdTransaction(
      db,
      (transaction) => transaction`lock table miniapps.campaigns in exclusive mode`,
    )
    const sent = apps.flatMap(({ id }) =>
      [toOneOf(id), toAllOf(id)].map((request) => broadcast({ db, writerDb: db, campaigns }, request)),
    )
    await expect.poll(() => countLockWaiters(db)).toBe(taken)
    expect(poolUsage(work)).toMatchObject({ held: taken, waiting: 0 })
    await held.release()
    await Promise.all(sent)
    await campaigns.close()
  }

  await expectTaken(false, 3, 2)
  await expectTaken(false, 9, 5)
  await expectTaken(true, 3, 1)
  await expectTaken(true, 4, 2)
})

describe('once a notification is stored', () => {
  /** An app with a token that no sender sends to, and a broadcast to it. */
  async function createBroadcast(name: string, isAsync = false) {
    const { id: appId } = await createApp(db, { name })
    await grantTokens(db, {
      appId,
      clientFid: 9152,
      url: 'https://client.example.com/',
      fids: fidsFrom(1, 101),
    })
    const campaigns = createCampaigns({ settings: { ...settings, isAsync }, listen: db.listen, db })
    onTestFinished(() => campaigns.close())
    const send = (overrides: Partial<Campaigns>, writerDb: Database = db) =>
      broadcast({ db, writerDb, campaigns: { ...campaigns, ...overrides } }, toAllOf(appId))
    const storedIds = async () =>
      (await db<{ id: string }[]>`select id from miniapps.campaigns where app_id = ${appId}`).map(
        ({ id }) => id,
      )
    return { campaigns, send, storedIds }
  }

  it('its result is read again when the database was away for a moment', async () => {
    const { send, storedIds } = await createBroadcast('glade')
    const writerDb = connect({ poolSize: 2, statementTimeoutMs: 200 })
    const lock = () =>
      holdTransaction(db, (tx) => tx`lock table miniapps.campaign_counts in access exclusive mode`)
    let held: Awaited<ReturnType<typeof lock>> | undefined
    const sent = await send(
      {
        async waitForEnd(campaignId) {
          if (held === undefined) {
            held = await lock()
            return
          }
          await held.release()
          await db`update miniapps.campaigns set open_batches = 0 where id = ${campaignId}`
        },
      },
      writerDb,
    )
    expect([sent.campaignId]).toEqual(await storedIds())
    expect(sent.result).toMatchObject({ openBatches: 0 })
  })

  it('a failure names its campaign, also when the server ends', async () => {
    const { campaigns, send, storedIds } = await createBroadcast('dell')
    const sent = send({})
    const refused = expect(sent).rejects.toMatchObject({ code: 'unavailable' })
    await expect.poll(storedIds).toHaveLength(1)
    await campaigns.close()
    await refused
    await expect(sent).rejects.toThrow(`campaign_id=${(await storedIds())[0]}`)
  })

  it('a queued one is answered with its campaign, also when nobody could be woken', async () => {
    const { send, storedIds } = await createBroadcast('combe', true)
    const sent = await send({ wake: () => Promise.reject(new Error('the connection is lost')) })
    expect(sent).toEqual({ campaignId: (await storedIds())[0], result: null })
  })
})
