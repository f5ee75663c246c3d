import { FormatRegistry } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { expect } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { nameTransfer, TestUser, testNow, testNowUnix } from '../../../../test/network.js'
import { ensurePartitions } from '../../../hub/log/partitions.js'
import type { MergeBatch } from '../../../hub/merge/batch.js'
import { type MergeHook, mergeBatch } from '../../../hub/merge/merge.js'
import { UserDataType } from '../../../protocol/definitions.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { projectEvents } from '../../project/project.js'
import { Cast } from '../../view/schema/cast.js'
import { User } from '../../view/schema/user.js'
import { cacheTag } from '../cache-tags.js'
import { Hydrator, type HydratorOptions } from '../hydrator.js'

for (const format of ['int32', 'double', 'date-time', 'uri']) {
  if (!FormatRegistry.Has(format)) FormatRegistry.Set(format, () => true)
}

export const hex = (message: SignedMessage) => message.hash.toString('hex')

/** Three users who know each other and a channel, in a database whose statements are noted. */
export async function createHydratorScene() {
  const statements: string[] = []
  const { db, connect } = await createTestDatabase()
  const counting = connect({ onStatement: (sql) => statements.push(sql) })
  const [alice, bob, carol] = [1, 2, 3].map((fid) => new TestUser(fid)) as [TestUser, TestUser, TestUser]
  const locationOf = () => ({ city: 'Bern', country: 'Switzerland' })
  const createHydrator = (maxViews = 100, options: Partial<HydratorOptions> = {}) =>
    new Hydrator({ db: counting, clock: () => testNowUnix * 1000, locationOf, maxViews, ...options })
  const url = 'https://example.com/~/channel/gardens'

  async function merge(batch: Partial<MergeBatch>, hydrator?: Hydrator): Promise<void> {
    const transactionHooks = { messages: [], chainEvents: [], nameTransfers: [], ...batch }
    const dropTags = async (_db: unknown, events: Parameters<Hydrator['invalidation']['applyEvents']>[0]) => {
      hydrator?.invalidation.applyEvents(events)
    }
    const project: MergeHook = (transaction, events, withCommit) =>
      projectEvents(transaction, events, withCommit, {
        onThreadsMoved: async (_, threads) =>
          hydrator?.invalidation.apply({ tags: threads.map(cacheTag.thread) }),
      })
    const { messages } = await mergeBatch(
      db,
      1,
      transactionHooks,
      { shards: 1, hooks: [project, dropTags] },
      testNowUnix * 1000,
    )
    expect(messages.filter((outcome) => outcome !== null)).toEqual([])
  }

  async function castOf(hydrator: Hydrator, message: SignedMessage, viewerFid?: number): Promise<Cast> {
    const rendered = (await hydrator.casts([hex(message)], viewerFid)).get(hex(message))
    const cast = rendered!.parse<Cast>()
    expect([...Value.Errors(Cast, cast)].map(({ path, message: text }) => `${path} ${text}`)).toEqual([])
    return cast
  }

  async function userOf(hydrator: Hydrator, fid: number, viewerFid?: number): Promise<User> {
    const user = (await hydrator.users([fid], viewerFid)).get(fid)!.parse<User>()
    expect([...Value.Errors(User, user)].map(({ path, message }) => `${path} ${message}`)).toEqual([])
    return user
  }

  await ensurePartitions(db, testNowUnix * 1000)
  await db`insert into hub.shards (shard) values (1)`
  await merge({
    chainEvents: [alice, bob, carol]
      .flatMap((user) => user.onChain({ units: 10 }))
      .concat(alice.proPurchaseEvent(30)),
    nameTransfers: [nameTransfer('alice', 1, 100), nameTransfer('bob', 2, 100)],
  })
  await merge({
    messages: [
      alice.userData(UserDataType.USERNAME, 'alice', testNow),
      bob.userData(UserDataType.USERNAME, 'bob', testNow),
      alice.userData(UserDataType.DISPLAY, 'Alice 🌱', testNow),
      alice.userData(UserDataType.BIO, 'I garden with @bob in /gardens', testNow),
      alice.userData(UserDataType.LOCATION, 'geo:46.95,7.45', testNow),
      alice.link(2, testNow),
      bob.link(3, testNow, { type: 'block' }),
    ],
  })
  await db`
    insert into channels.channels (id, url, parent_url, name, lead_fid, created_at, image_url)
    values ('gardens', ${url}, ${url}, 'Gardens', 2, 1700000000, 'https://example.com/gardens.png')
  `
  await db`insert into channels.urls (url, channel_id) values (${url}, 'gardens')`
  await db`insert into channels.follows (channel_id, fid, followed_at) values ('gardens', 1, 1700000000)`
  return { db, statements, alice, bob, carol, url, createHydrator, merge, castOf, userOf }
}
