import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestHub } from '../../../../test/hub.js'
import { nameTransfer, TestUser, testNow, testNowUnix } from '../../../../test/network.js'
import { projectEvents } from '../../../graph/project/project.js'
import type { ConsumedEvent } from '../../../hub/log/consumer-batch.js'
import { hubEventBody } from '../../../hub/log/hub-event.js'
import { AFTER_ALL_EVENTS } from '../../../hub/log/log-range.js'
import { readEvents } from '../../../hub/log/read.js'
import { HubEventType, ReactionType, SignerEventType, UserDataType } from '../../../protocol/definitions.js'
import { KEY_TYPE_AUTH } from '../../../protocol/key-rules.js'
import { deleteExpiredDeliveries } from '../delivery-retention.js'
import { recordCompactedFollows, takeCompactedFollows } from './compacted-follows.js'
import { deriveWebhookEvents, webhookEventTypes } from './event-derivation.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db, { mergeHooks: [projectEvents, recordCompactedFollows] })
let lastFid = 0

/** Creates a user with a new fid, so that tests do not share users. */
function newUser(): TestUser {
  lastFid += 1
  return new TestUser(lastFid)
}

/** Reads the events of this shard after a position in the log, and the position behind them. */
async function readFrom(from: number): Promise<{ readonly events: ConsumedEvent[]; readonly next: number }> {
  const page = await readEvents(db, [{ shard: 1, from, stop: AFTER_ALL_EVENTS }], {
    limit: 10_000,
    reverse: false,
    filter: { fids: null, types: webhookEventTypes },
  })
  const events = page.events.map(({ shard, id, event }) => ({ shard, id, body: hubEventBody(event) }))
  return { events, next: page.remaining[0]!.from }
}

/** Returns a function that derives the webhook events since its previous call, or since now. */
async function watchEvents(): Promise<() => Promise<string[]>> {
  let { next: from } = await readFrom(1)
  return async () => {
    const { events, next } = await readFrom(from)
    from = next
    const webhookEvents = deriveWebhookEvents(events, await takeCompactedFollows(db, events))
    expect(new Set(webhookEvents.map(({ id }) => id)).size).toBe(webhookEvents.length)
    return webhookEvents.map(({ kind, subject }) => {
      if (subject.type === 'cast') return `${kind} ${subject.message.data.castAddBody?.text}`
      if (subject.type === 'follow') return `${kind} ${subject.fid} ${subject.targetFid}`
      return 'fid' in subject ? `${kind} ${subject.fid}` : kind
    })
  }
}

/** Registers new users and watches the events after that. */
async function createScene() {
  const [alice, bob] = [newUser(), newUser()]
  await hub.submitOnChainEvents([...alice.onChain(), ...bob.onChain()])
  return { alice, bob, derivedEvents: await watchEvents() }
}

it('deriveWebhookEvents: a registration -> user.created, keys and storage -> nothing', async () => {
  const derivedEvents = await watchEvents()
  const [alice, bob] = [newUser(), newUser()]
  await hub.submitOnChainEvents([...alice.onChain(), ...bob.onChain()])
  expect(await derivedEvents()).toEqual([`user.created ${alice.fid}`, `user.created ${bob.fid}`])
})

it('deriveWebhookEvents: a repeated follow or reaction -> nothing', async () => {
  const { alice, bob, derivedEvents } = await createScene()
  const cast = alice.cast('one', testNow - 100)
  await hub.submit([cast])
  await hub.submit([bob.link(alice.fid, testNow - 90), bob.react(cast, testNow - 90)])
  await hub.submit([bob.link(alice.fid, testNow - 80), bob.react(cast, testNow - 80)])
  await hub.submit([bob.link(alice.fid, testNow - 70, { type: 'block' })])
  const follow = `${bob.fid} ${alice.fid}`
  // Messages of one second and one call are in the order of their hashes.
  expect((await derivedEvents()).sort()).toEqual([
    'cast.created one',
    `follow.created ${follow}`,
    `reaction.created ${bob.fid}`,
  ])
  await hub.submit([
    bob.react(cast, testNow - 60, { remove: true }),
    bob.link(alice.fid, testNow - 60, { remove: true }),
  ])
  await hub.submit([bob.link(alice.fid, testNow - 50, { remove: true })])
  expect((await derivedEvents()).sort()).toEqual([`follow.deleted ${follow}`, `reaction.deleted ${bob.fid}`])
  await hub.submit([bob.react(cast, testNow - 40, { type: ReactionType.RECAST })])
  expect(await derivedEvents()).toEqual([`reaction.created ${bob.fid}`])
})

it('deriveWebhookEvents: a changed profile value -> user.updated', async () => {
  const { alice, derivedEvents } = await createScene()
  await hub.submit([alice.userData(UserDataType.BIO, 'gardener', testNow - 30)])
  await hub.submit([alice.userData(UserDataType.BIO, 'gardener', testNow - 29)])
  await hub.submit([alice.userData(UserDataType.BIO, 'sailor', testNow - 28)])
  expect(await derivedEvents()).toEqual([`user.updated ${alice.fid}`, `user.updated ${alice.fid}`])
})

it('deriveWebhookEvents: follows removed by a compact state -> follow.deleted', async () => {
  const { bob, derivedEvents } = await createScene()
  for (const target of [11, 12, 13]) await hub.submit([bob.link(target, testNow - 25)])
  await derivedEvents()
  await hub.submit([bob.compactLinks([12], testNow - 20)])
  expect((await derivedEvents()).sort()).toEqual([
    `follow.deleted ${bob.fid} 11`,
    `follow.deleted ${bob.fid} 13`,
  ])
  expect(await db`select 1 from webhooks.compacted_follows`).toEqual([])
})

it('follows that a compact state has removed are told for as long as the log has it, however long deliveries are kept', async () => {
  const { bob, derivedEvents } = await createScene()
  for (const target of [11, 12]) await hub.submit([bob.link(target, testNow - 25)])
  await derivedEvents()
  await hub.submit([bob.compactLinks([12], testNow - 20)])
  await db`update webhooks.compacted_follows set created_at = now() - interval '9 days'`
  await deleteExpiredDeliveries(db, 1)
  expect(await derivedEvents()).toEqual([`follow.deleted ${bob.fid} 11`])
})

it('deriveWebhookEvents: another message that takes the place of a lost one in the log -> another id', () => {
  const user = newUser()
  const idOf = (text: string) => {
    const body = {
      type: HubEventType.MERGE_MESSAGE,
      message: user.cast(text, testNow),
      deletedMessages: [],
    } as const
    return deriveWebhookEvents([{ shard: 1, id: 16_385, body }]).map(({ id }) => id)[0]
  }
  expect(idOf('one')).toMatch(/^1-16385-[0-9a-f]{8}$/)
  expect(idOf('one')).toBe(idOf('one'))
  expect(idOf('two')).not.toBe(idOf('one'))
})

it('deriveWebhookEvents: revoked messages -> deletions', () => {
  const [alice, bob] = [newUser(), newUser()]
  const cast = bob.cast('two', testNow - 15)
  const messages = [
    cast,
    bob.link(alice.fid, testNow - 14),
    bob.react(cast, testNow - 13),
    bob.removeCast(cast.hash, testNow),
  ]
  const revoked = messages.map((message, index) => ({
    shard: 1,
    id: index,
    body: { type: HubEventType.REVOKE_MESSAGE as const, message },
  }))
  expect(deriveWebhookEvents(revoked).map(({ kind }) => kind)).toEqual([
    'cast.deleted',
    'follow.deleted',
    'reaction.deleted',
  ])
})

it('deriveWebhookEvents: a revoked username -> user.updated', async () => {
  const { bob, derivedEvents } = await createScene()
  await hub.submitNameTransfers([nameTransfer('bob', bob.fid, testNowUnix - 500)])
  await hub.submit([bob.userData(UserDataType.USERNAME, 'bob', testNow - 12)])
  await derivedEvents()
  await hub.submitNameTransfers([nameTransfer('bob', 0, testNowUnix - 400)])
  expect(await derivedEvents()).toEqual([`user.updated ${bob.fid}`])
})

it.each([
  ['an address', Buffer.alloc(20, 7)],
  ['an ABI word', Buffer.concat([Buffer.alloc(12), Buffer.alloc(20, 8)])],
])('deriveWebhookEvents: %s that signs in is added, removed, and reset -> user.updated', async (_, key) => {
  const { bob, derivedEvents } = await createScene()
  const { ADD, REMOVE, ADMIN_RESET } = SignerEventType
  for (const [index, eventType] of [ADD, REMOVE, ADMIN_RESET].entries()) {
    const event = bob.signerEvent(eventType, bob.fid * 100 + 10 + index, key)
    // Chains say the type of a key only when it is added.
    event.signerEventBody!.keyType = eventType === ADD ? KEY_TYPE_AUTH : 0
    await hub.submitOnChainEvents([event])
    expect(await derivedEvents()).toEqual([`user.updated ${bob.fid}`])
  }
  await hub.submitOnChainEvents([bob.signerEvent(REMOVE, bob.fid * 100 + 20)])
  expect(await derivedEvents()).toEqual([])
})

it('deriveWebhookEvents: a pruned cast -> cast.deleted', async () => {
  const derivedEvents = await watchEvents()
  const carol = newUser()
  await hub.submitOnChainEvents(carol.onChain({ units: 1 }))
  const casts = Array.from({ length: 101 }, (_, n) => carol.cast(`cast ${n}`, testNow - 5_000 + n))
  for (let at = 0; at < casts.length; at += 50) await hub.submit(casts.slice(at, at + 50))
  const all = await derivedEvents()
  expect(all.filter((each) => each.startsWith('cast.deleted'))).toEqual(['cast.deleted cast 0'])
  expect(all.filter((each) => each.startsWith('cast.created'))).toHaveLength(101)
})
