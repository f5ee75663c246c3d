import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestHub } from '../../../../test/hub.js'
import { TestUser, testNow, testNowUnix } from '../../../../test/network.js'
import { Hydrator } from '../../../graph/cache/hydrator.js'
import { UserDataType } from '../../../protocol/definitions.js'
import { renderEventData } from './event-data.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)

it('user.updated has the profile that is stored, also before the caches of this process heard of it', async () => {
  const alice = new TestUser(1)
  // Nothing follows the log: this process did not merge, and the follower has not come so far.
  const hydrator = new Hydrator({
    db,
    clock: () => testNowUnix * 1000,
    locationOf: () => null,
    maxEntries: 100,
  })
  await hub.submitOnChainEvents(alice.onChain())
  await hydrator.users([alice.fid])
  await hub.submit([alice.userData(UserDataType.DISPLAY, 'Alice', testNow - 30)])
  const event = { id: '1-1', kind: 'user.updated', happenedAt: testNowUnix, detectedAt: new Date(0) } as const
  const rendered = await renderEventData({ db, hydrator }, [
    { ...event, subject: { type: 'user', fid: alice.fid } },
  ])
  expect(JSON.parse(rendered.get('1-1')!)).toMatchObject({ fid: alice.fid, display_name: 'Alice' })
})
