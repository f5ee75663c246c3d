import { expect, test } from 'vitest'
import { primary, verification } from '../../src/hub/merge/testing/in-memory-merges.js'
import { MessageSet } from '../../src/protocol/message-kind.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { TestUser, testNow } from '../network.js'
import { followShard, logOf, startAtFirstEvent, upstreamOf } from './stub-upstream.js'

const { db } = await createTestDatabase({ poolSize: 8 })
const hub = await createTestHub(db)
const user = new TestUser(1)

test('an address that is verified again in a block after it became the primary one is not primary, as upstream', async () => {
  await hub.submitOnChainEvents(user.onChain())
  const messages = [
    verification(user, primary.ethereum, testNow - 300),
    primary.showEthereum(testNow - 200),
    verification(user, primary.ethereum, testNow - 100),
  ]
  const client = upstreamOf(logOf(messages.map((message) => ({ messages: [message] }))))
  await startAtFirstEvent(db, client)
  await followShard({ db, hub }, client)
  const stored = await db`select set from hub.messages where fid = ${user.fid}`
  expect(stored).toEqual([{ set: MessageSet.verifications }])
})
