import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestHub } from '../../../../test/hub.js'
import { TestUser, testNow, testNowUnix } from '../../../../test/network.js'
import { Hydrator } from '../../../graph/cache/hydrator.js'
import { UserDataType } from '../../../protocol/definitions.js'
import { renderEventData } from './event-data.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)

const alice = new TestUser(1)
await hub.submitOnChainEvents(alice.onChain())
/** Nothing follows the log: this process did not merge, and the follower has not come so far. */
const createHydrator = () =>
  new Hydrator({ db, clock: () => testNowUnix * 1000, locationOf: () => null, maxViews: 100 })

it('user.updated has the profile that is stored, also before the caches of this process heard of it', async () => {
  const hydrator = createHydrator()
  await hydrator.users([alice.fid])
  await hub.submit([alice.userData(UserDataType.DISPLAY, 'Alice', testNow - 30)])
  const event = { id: '1-1', kind: 'user.updated', happenedAt: testNowUnix, detectedAt: new Date(0) } as const
  const rendered = await renderEventData({ db, hydrator }, [
    { ...event, subject: { type: 'user', fid: alice.fid } },
  ])
  expect(JSON.parse(rendered.get('1-1')!)).toMatchObject({ fid: alice.fid, display_name: 'Alice' })
})

it('cast.deleted: thread and root are those of the parent, unless the cast names a wrong author of it', async () => {
  const root = 'https://example.com/~/channel/gardens'
  const first = alice.cast('tulips', testNow - 100, { parentUrl: root })
  const parent = alice.cast('lilies', testNow - 90, { parentCastId: { fid: 1, hash: first.hash } })
  await hub.submit([first, parent])
  const dataOf = async (parentFid: number) => {
    const message = alice.cast('gone', testNow - 80, { parentCastId: { fid: parentFid, hash: parent.hash } })
    const event = { id: '1-2', kind: 'cast.deleted', happenedAt: null, detectedAt: new Date(0) } as const
    const rendered = await renderEventData({ db, hydrator: createHydrator() }, [
      { ...event, subject: { type: 'cast', message } },
    ])
    return JSON.parse(rendered.get('1-2')!)
  }
  const hashOf = ({ hash }: typeof first) => `0x${hash.toString('hex')}`
  expect(await dataOf(1)).toMatchObject({ thread_hash: hashOf(first), root_parent_url: root })
  expect(await dataOf(2)).toMatchObject({ thread_hash: hashOf(parent), root_parent_url: null })
})

it('reaction.created to a cast of a fid above int32 has no author', async () => {
  const targetHash = `0x${'44'.repeat(20)}` as const
  const event = { id: '1-3', kind: 'reaction.created', happenedAt: null, detectedAt: new Date(0) } as const
  const subject = {
    type: 'reaction',
    fid: alice.fid,
    reactionType: 1,
    targetFid: 3_000_000_000,
    targetHash,
  } as const
  const rendered = await renderEventData({ db, hydrator: createHydrator() }, [{ ...event, subject }])
  expect(JSON.parse(rendered.get('1-3')!).cast).toEqual({
    object: 'cast_dehydrated',
    hash: targetHash,
    app: null,
  })
})
