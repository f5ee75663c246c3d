import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { createTestHub } from '../../../test/hub.js'
import { TestUser, testNowUnix } from '../../../test/network.js'
import { createTestApi } from '../../app/testing/test-api.js'
import { approvedSigner, revokeSigner } from '../signers/testing/approved-signer.js'
import { createApiKey } from './api-keys.js'
import { ensureApp } from './apps.js'
import { deleteOldUsage, KeyUsage } from './key-usage.js'

const DAY_MS = 86_400_000
const { db } = await createTestDatabase()
const hub = await createTestHub(db)
let nowMs = testNowUnix * 1000
const clock = () => nowMs
const adminToken = 'the-admin-token-of-the-tests-0123456789'
const usage = new KeyUsage(clock)
const { app, appId, key, get, send } = await createTestApi({
  db,
  hub,
  clock,
  adminToken,
  usage,
  rateLimit: 5,
})

async function admin(path: string) {
  const reply = await app.inject({
    url: `/admin/${path}`,
    headers: { authorization: `Bearer ${adminToken}` },
  })
  return { status: reply.statusCode, body: reply.json() }
}

const usageOf = async (days: number) => (await admin(`apps/${appId}/usage?days=${days}`)).body

it('requests are counted by key and operation, also refused ones', async () => {
  const other = await createApiKey(db, { appId, rateLimit: 0 })
  for (const fname of ['a', 'b', 'c']) await get('fname/availability', { fname })
  expect((await get('fname/availability')).statusCode).toBe(400)
  await app.inject({
    url: '/v2/farcaster/fname/availability?fname=d',
    headers: { 'x-api-key': other.key },
  })
  await send('POST', 'mute', {})
  expect((await get('fname/availability', { fname: 'e' })).statusCode).toBe(429)
  // Of no key: a wrong one, and an admin in the name of the app.
  await app.inject({ url: '/v2/social/user/bulk?fids=1', headers: { 'x-api-key': 'wrong' } })
  await app.inject({
    url: '/v2/social/user/bulk?fids=1',
    headers: { authorization: `Bearer ${adminToken}`, 'x-plaza-app': appId },
  })
  await usage.flush(db)
  await usage.flush(db)
  const { days, operations } = await usageOf(1)
  expect(days).toEqual([
    { object: 'usage_day', day: new Date(nowMs).toISOString().slice(0, 10), requests: 7, refusals: 3 },
  ])
  expect(operations).toEqual([
    expect.objectContaining({
      prefix: key.slice(0, 12),
      operation: 'GET fname/availability',
      requests: 5,
      refusals: 2,
    }),
    expect.objectContaining({ operation: 'POST mute', requests: 1, refusals: 1 }),
    expect.objectContaining({
      api_key_id: other.id,
      operation: 'GET fname/availability',
      requests: 1,
      refusals: 0,
    }),
  ])
})

it('days without requests are there, and old ones are deleted', async () => {
  nowMs += 29 * DAY_MS
  expect((await usageOf(7)).days.map(({ requests }: { requests: number }) => requests)).toEqual(
    Array(7).fill(0),
  )
  expect((await usageOf(30)).days[0]).toMatchObject({ requests: 7 })
  await deleteOldUsage(db, nowMs)
  expect((await usageOf(30)).days[0]).toMatchObject({ requests: 7 })
  nowMs += DAY_MS
  await deleteOldUsage(db, nowMs)
  expect(await db`select from apps.usage`).toHaveLength(0)
})

it('more pairs of a key and an operation than are listed are told of', async () => {
  const [{ id }] = await db<[{ id: number }]>`select id from apps.api_keys where app_id = ${appId} limit 1`
  const add = (from: number, to: number) => db`
    insert into apps.usage (key_id, day, operation, requests, refusals)
    select ${id}, to_timestamp(${nowMs / 1000}), 'GET made up ' || n, n, 0
    from generate_series(${from}::integer, ${to}::integer) n`
  await db`delete from apps.usage`
  await add(1, 500)
  const all = await usageOf(1)
  expect([all.operations.length, all.complete]).toEqual([500, true])
  await add(501, 501)
  const most = await usageOf(1)
  expect([most.operations.length, most.complete]).toEqual([500, false])
  expect(most.operations.at(-1).requests).toBe(2)
})

it('counts that could not be written are written the next time', async () => {
  await db`delete from apps.usage`
  usage.count(1, 'GET cast', 200)
  await db`alter table apps.usage rename to elsewhere`
  await expect(usage.flush(db)).rejects.toThrow('usage')
  await db`alter table apps.elsewhere rename to usage`
  usage.count(1, 'GET cast', 404)
  await usage.flush(db)
  expect(await db`select operation, requests, refusals from apps.usage`).toEqual([
    { operation: 'GET cast', requests: 2, refusals: 1 },
  ])
})

it('an unknown app is a 404', async () => {
  const unknown = '00000000-0000-4000-8000-000000000000'
  expect((await admin(`apps/${unknown}/usage`)).status).toBe(404)
  expect((await admin(`apps/${unknown}/signers`)).status).toBe(404)
  expect((await admin(`apps/${appId}/usage?days=31`)).status).toBe(400)
})

it('signers of an app are listed with what they may do', async () => {
  const [ann, bob] = [new TestUser(1), new TestUser(2)]
  await hub.submitOnChainEvents([ann, bob].flatMap((user) => user.onChain()))
  const full = await approvedSigner({ db, hub }, ann, { appId })
  const caster = await approvedSigner({ db, hub }, bob, { appId, permissions: ['PUBLISH_CAST'] })
  const revoked = await approvedSigner({ db, hub }, bob, { appId })
  await revokeSigner(hub, bob, revoked)
  await approvedSigner({ db, hub }, ann, { appId: await ensureApp(db, 'another') })
  const first = (await admin(`apps/${appId}/signers?limit=2`)).body
  const second = (await admin(`apps/${appId}/signers?limit=2&cursor=${first.next.cursor}`)).body
  expect(second.next.cursor).toBeNull()
  const signers = new Map([...first.signers, ...second.signers].map((signer) => [signer.signer_uuid, signer]))
  expect(signers.size).toBe(3)
  expect(signers.get(full.id)).toMatchObject({
    status: 'approved',
    fid: 1,
    permissions: ['WRITE_ALL'],
    held_by: 'server',
  })
  expect(signers.get(full.id).operations).toContain('POST block')
  expect(signers.get(caster.id).operations).toEqual(['POST cast', 'POST notifications/seen'])
  expect(signers.get(revoked.id)).toMatchObject({ status: 'revoked', operations: [] })
})
