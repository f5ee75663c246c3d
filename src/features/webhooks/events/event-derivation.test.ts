import { HubEventType, ReactionType, UserDataType } from '@farcaster/core'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestHub } from '../../../../test/hub.js'
import { nameTransfer, TestUser, testNow, testNowUnix } from '../../../../test/network.js'
import { projectEvents } from '../../../graph/project/project.js'
import type { ConsumedEvent } from '../../../hub/log/consumer-batch.js'
import { hubEventBody } from '../../../hub/log/hub-event.js'
import { AFTER_ALL_EVENTS, readEvents } from '../../../hub/log/read.js'
import { recordCompactedFollows, takeCompactedFollows } from './compacted-follows.js'
import { deriveWebhookEvents, webhookEventTypes } from './event-derivation.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db, { mergeHooks: [projectEvents, recordCompactedFollows] })
let from = 1

/** What has happened since the last time that was asked. */
async function derivedEvents(): Promise<string[]> {
  const page = await readEvents(db, [{ shard: 1, from, stop: AFTER_ALL_EVENTS }], {
    limit: 10_000,
    reverse: false,
    filter: { fids: null, types: webhookEventTypes },
  })
  from = page.remaining[0]!.from
  const events: ConsumedEvent[] = page.events.map(({ shard, id, event }) => ({
    shard,
    id,
    body: hubEventBody(event),
  }))
  const webhookEvents = deriveWebhookEvents(events, await takeCompactedFollows(db, events))
  expect(new Set(webhookEvents.map(({ id }) => id)).size).toBe(webhookEvents.length)
  return webhookEvents.map(({ kind, subject }) => {
    if (subject.type === 'cast') return `${kind} ${subject.message.data.castAddBody?.text}`
    if (subject.type === 'follow') return `${kind} ${subject.fid} ${subject.targetFid}`
    return 'fid' in subject ? `${kind} ${subject.fid}` : kind
  })
}

const [alice, bob] = [new TestUser(1), new TestUser(2)]
await hub.submitOnChainEvents([...alice.onChain(), ...bob.onChain()])

it('a registration is a new user; keys and storage are none of anybody', async () => {
  expect(await derivedEvents()).toEqual(['user.created 1', 'user.created 2'])
})

it('what stands already and is said anew is nothing new', async () => {
  const cast = alice.cast('one', testNow - 100)
  await hub.submit([cast])
  await hub.submit([bob.link(1, testNow - 90), bob.react(cast, testNow - 90)])
  await hub.submit([bob.link(1, testNow - 80), bob.react(cast, testNow - 80)])
  await hub.submit([bob.link(1, testNow - 70, { type: 'block' })])
  expect(await derivedEvents()).toEqual(['cast.created one', 'follow.created 2 1', 'reaction.created 2'])
  await hub.submit([
    bob.react(cast, testNow - 60, { remove: true }),
    bob.link(1, testNow - 60, { remove: true }),
  ])
  await hub.submit([bob.link(1, testNow - 50, { remove: true })])
  expect((await derivedEvents()).sort()).toEqual(['follow.deleted 2 1', 'reaction.deleted 2'])
  await hub.submit([bob.react(cast, testNow - 40, { type: ReactionType.RECAST })])
  expect(await derivedEvents()).toEqual(['reaction.created 2'])
})

it('a profile changes when a value does', async () => {
  await hub.submit([alice.userData(UserDataType.BIO, 'gardener', testNow - 30)])
  await hub.submit([alice.userData(UserDataType.BIO, 'gardener', testNow - 29)])
  await hub.submit([alice.userData(UserDataType.BIO, 'sailor', testNow - 28)])
  expect(await derivedEvents()).toEqual(['user.updated 1', 'user.updated 1'])
})

it('follows that a compact state ends are deleted', async () => {
  for (const target of [11, 12, 13]) await hub.submit([bob.link(target, testNow - 25)])
  await derivedEvents()
  await hub.submit([bob.compactLinks([12], testNow - 20)])
  expect((await derivedEvents()).sort()).toEqual(['follow.deleted 2 11', 'follow.deleted 2 13'])
  expect(await db`select 1 from webhooks.compacted_follows`).toEqual([])
})

it('what is revoked is deleted, and never created', async () => {
  const cast = bob.cast('two', testNow - 15)
  const said = [
    cast,
    bob.link(1, testNow - 14),
    bob.react(cast, testNow - 13),
    bob.removeCast(cast.hash, testNow),
  ]
  const revoked = said.map((message, index) => ({
    shard: 1,
    id: index,
    body: { type: HubEventType.REVOKE_MESSAGE as const, message },
  }))
  expect(deriveWebhookEvents(revoked).map(({ kind }) => kind)).toEqual([
    'cast.deleted',
    'follow.deleted',
    'reaction.deleted',
  ])
  await hub.submitNameTransfers([nameTransfer('bob', 2, testNowUnix - 500)])
  await hub.submit([bob.userData(UserDataType.USERNAME, 'bob', testNow - 12)])
  await derivedEvents()
  await hub.submitNameTransfers([nameTransfer('bob', 0, testNowUnix - 400)])
  expect(await derivedEvents()).toEqual(['user.updated 2'])
})

it('what storage has no room for is deleted', async () => {
  const carol = new TestUser(3)
  await hub.submitOnChainEvents(carol.onChain({ units: 1 }))
  const casts = Array.from({ length: 101 }, (_, n) => carol.cast(`cast ${n}`, testNow - 5_000 + n))
  for (let at = 0; at < casts.length; at += 50) await hub.submit(casts.slice(at, at + 50))
  const all = await derivedEvents()
  expect(all.filter((each) => each.startsWith('cast.deleted'))).toEqual(['cast.deleted cast 0'])
  expect(all.filter((each) => each.startsWith('cast.created'))).toHaveLength(101)
})
