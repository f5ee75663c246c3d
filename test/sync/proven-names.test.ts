import { expect, test } from 'vitest'
import { SelectedUsers } from '../../src/hub/sync/subset/selected-users.js'
import type { Database } from '../../src/platform/db/connection.js'
import { MessageType, UserNameProof, UserNameType } from '../../src/protocol/definitions.js'
import { unixSecondsFromFarcasterSeconds } from '../../src/protocol/time.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { TestUser, testNow } from '../network.js'
import { followShard, logOfHub, startAtFirstEvent, upstreamOf } from './stub-upstream.js'

/** Names on chains, which messages prove. */

const [alice, bob] = [new TestUser(1), new TestUser(2)]

async function openHub() {
  const { db } = await createTestDatabase({ poolSize: 8 })
  return { db, hub: await createTestHub(db) }
}

function prove(user: TestUser, name: string, at: number) {
  const usernameProofBody = UserNameProof.create({
    timestamp: unixSecondsFromFarcasterSeconds(at),
    name: Buffer.from(name),
    owner: user.custody,
    fid: user.fid,
    type: UserNameType.USERNAME_TYPE_ENS_L1,
  })
  return user.message({ type: MessageType.USERNAME_PROOF, usernameProofBody }, at)
}

function holders(db: Database) {
  return db`select name, fid from hub.username_proofs order by name`
}

test('a part of the network: a name that moves to a user who is not selected leaves the former holder', async () => {
  const [upstream, here] = await Promise.all([openHub(), openHub()])
  await upstream.hub.submitOnChainEvents([...alice.onChain(), ...bob.onChain()])
  await here.hub.submitOnChainEvents(alice.onChain())
  const proofs = [prove(alice, 'moved.eth', testNow - 20), prove(bob, 'moved.eth', testNow - 10)]
  for (const proof of proofs) expect(await upstream.hub.submit([proof], { origin: 'log' })).toEqual([null])
  const settings = { fids: [alice.fid], channelUrls: [], includeNeighbors: false }
  const client = upstreamOf(await logOfHub(upstream.db))
  await startAtFirstEvent(here.db, client)
  await followShard(here, client, { selection: await SelectedUsers.open(here.db, settings) })
  expect(await holders(here.db)).toEqual([{ name: 'moved.eth', fid: bob.fid }])
  expect(await here.db`select from hub.messages`).toHaveLength(0)
  // Bob is not fetched.
  expect(await here.db`select fid from sync.fids where fid = ${bob.fid}`).toHaveLength(0)
})
