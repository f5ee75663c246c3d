import { expect, test } from 'vitest'
import { blockOf } from '../../src/hub/log/hub-event.js'
import { SelectedUsers } from '../../src/hub/sync/subset/selected-users.js'
import type { Database } from '../../src/platform/db/connection.js'
import { HubEvent, MessageType, UserNameProof, UserNameType } from '../../src/protocol/definitions.js'
import { unixSecondsFromFarcasterSeconds } from '../../src/protocol/time.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { TestUser, testNow } from '../network.js'
import { followShard, logOfHub, startAtFirstEvent, upstreamOf } from './stub-upstream.js'
import { createRecordingMetrics } from './test-sync.js'

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

test('a proof that came without its message ends when the upstream prunes it, and the log says so once', async () => {
  const [upstream, here] = await Promise.all([openHub(), openHub()])
  for (const { hub } of [upstream, here]) await hub.submitOnChainEvents(alice.onChain({ units: 1 }))
  const proofs = Array.from({ length: 6 }, (_, n) => prove(alice, `name-${n}.eth`, testNow - 100 + n))
  const [first, ...others] = proofs
  await upstream.hub.submit([first!], { origin: 'log' })
  const proof = first!.data.usernameProofBody!
  await here.hub.submitItems([{ kind: 'nameTransfer', proof }], { origin: 'store' })
  for (const other of others) await upstream.hub.submit([other], { origin: 'log' })
  const client = upstreamOf((await logOfHub(upstream.db)).filter(({ id }) => blockOf(id) > 2))
  await startAtFirstEvent(here.db, client)
  const metrics = createRecordingMetrics()
  await followShard(here, client, { metrics })
  expect(await holders(here.db)).toEqual(await holders(upstream.db))
  expect(await holders(here.db)).not.toContainEqual({ name: 'name-0.eth', fid: alice.fid })
  expect(metrics.items.refused ?? 0).toBe(0)
  const ends = async (db: Database) =>
    (await logOfHub(db)).filter(({ bytes }) => {
      const body = HubEvent.decode(bytes).mergeUsernameProofBody
      return body?.deletedUsernameProof && !body.usernameProof
    }).length
  expect(await ends(here.db)).toBe(await ends(upstream.db))
})
