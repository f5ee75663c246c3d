import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { createTestHub } from '../../../test/hub.js'
import { TestUser, testNow } from '../../../test/network.js'
import { moveNotifications, rebuildInbox } from './refresh.js'
import { consumeInbox } from './testing/consume-inbox.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
const url = 'https://example.com/~/channel/gardens'

it('notifications of casts that a job moves later than their event have the root URL of a rebuild', async () => {
  const [alice, bob] = [new TestUser(1), new TestUser(2)]
  await hub.submitOnChainEvents([alice, bob].flatMap((user) => user.onChain()))
  const root = alice.cast('tulips', testNow - 90, { parentUrl: url })
  const reply = bob.cast('nice', testNow - 80, { parentCastId: { fid: 1, hash: root.hash } })
  const answer = alice.cast('thanks', testNow - 70, { parentCastId: { fid: 2, hash: reply.hash } })
  expect(await hub.submit([root, reply, answer, alice.react(reply, testNow - 60)])).toEqual([
    null,
    null,
    null,
    null,
  ])
  await consumeInbox(db)
  const rootUrls = async () => (await db`select root_url from inbox.notifications`).map((row) => row.root_url)
  expect(await rootUrls()).toEqual([url, url, url])
  // As the job does after the first cast was removed.
  await db`update social.casts set root_parent_url = null, thread_hash = ${reply.hash} where hash <> ${root.hash}`
  await db.begin((transaction) => moveNotifications(transaction, reply.hash))
  expect(await rootUrls()).toEqual([null, null, null])
  expect(await db.begin((transaction) => rebuildInbox(transaction))).toEqual({ written: 0, removed: 0 })
})
