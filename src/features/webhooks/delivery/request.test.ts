import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { testNowUnix } from '../../../../test/network.js'
import { Hydrator } from '../../../graph/cache/hydrator.js'
import { testVault } from '../../signers/testing/approved-signer.js'
import type { ClaimedDelivery } from './delivery-store.js'
import { prepareDeliveries } from './request.js'

const { db } = await createTestDatabase()
const hydrator = new Hydrator({ db, clock: () => testNowUnix * 1000, locationOf: () => null, maxViews: 0 })

it('an event that two workers render -> the body is the one that was stored first', async () => {
  const eventId = '1-1'
  const happenedAt = new Date(testNowUnix * 1000)
  const subject = { type: 'user', fid: 1 } as const
  await db`
    insert into webhooks.events (id, kind, happened_at, detected_at, subject)
    values (${eventId}, 'user.updated', ${happenedAt}, ${happenedAt}, ${db.json(subject)})`
  const claimed: ClaimedDelivery = {
    ...{
      id: randomUUID(),
      webhookId: randomUUID(),
      targetUrl: 'https://target.example/',
      httpTimeoutMs: 1_000,
    },
    ...{
      attempts: 0,
      sinceFirstAttemptMs: 0,
      eventId,
      kind: 'user.updated',
      happenedAt,
      detectedAt: happenedAt,
    },
    ...{ subject, data: null, traceparent: null },
  }
  const prepare = async () =>
    (await prepareDeliveries({ db, hydrator, vault: testVault }, [claimed]))[0]!.data
  const first = await prepare()
  await db`
    insert into social.users (fid, custody_address, registered_at, username) values (1, '\\x00', 0, 'alice')`
  expect(await prepare()).toBe(first)
  expect(await db`select data from webhooks.events`).toEqual([{ data: first }])
})
