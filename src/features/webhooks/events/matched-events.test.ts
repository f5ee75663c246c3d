import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestHub } from '../../../../test/hub.js'
import { TestUser, testNow } from '../../../../test/network.js'
import type { Queryable } from '../../../platform/db/connection.js'
import { inPipeline } from '../../../platform/db/pipeline.js'
import { ReactionType } from '../../../protocol/definitions.js'
import { enqueueDeliveries } from '../delivery/enqueue-deliveries.js'
import { Matcher } from '../matching/matcher.js'
import { matchEvents } from './matched-events.js'
import type { WebhookEvent } from './webhook-event.js'

it('matching of many events lets other work have its turn', async () => {
  const events = ['1', '2', '3'].map(
    (id): WebhookEvent => ({ id, kind: 'user.created', happenedAt: null, subject: { type: 'user', fid: 1 } }),
  )
  const order: string[] = []
  const slowMatcher = {
    hasSubscribers: () => true,
    match() {
      order.push('event')
      const startMs = performance.now()
      while (performance.now() - startMs < 3);
      return ['a webhook']
    },
  } as unknown as Matcher
  setImmediate(() => order.push('other work'))
  const matched = await matchEvents({} as Queryable, slowMatcher, events)
  expect(matched.map(({ event }) => event.id)).toEqual(['1', '2', '3'])
  expect(order.indexOf('other work')).toBeGreaterThan(0)
  expect(order.at(-1)).toBe('event')
})

it('root_parent_urls: a reply that names a wrong author of its parent is in no thread', async () => {
  const { db } = await createTestDatabase()
  const hub = await createTestHub(db)
  const [alice, bob] = [new TestUser(1), new TestUser(2)]
  const root = 'https://example.com/~/channel/gardens'
  const cast = alice.cast('tulips', testNow - 100, { parentUrl: root })
  const reply = bob.cast('lilies', testNow - 90, { parentCastId: { fid: 1, hash: cast.hash } })
  const forged = bob.cast('spam', testNow - 80, { parentCastId: { fid: 3, hash: cast.hash } })
  const removedReply = bob.cast('weeds', testNow - 70, { parentCastId: { fid: 1, hash: cast.hash } })
  const removedForged = bob.cast('more spam', testNow - 60, { parentCastId: { fid: 3, hash: cast.hash } })
  await hub.submitOnChainEvents([...alice.onChain(), ...bob.onChain()])
  // Those that were removed are not stored any more when their events are matched.
  await hub.submit([cast, reply, forged])
  const matcher = new Matcher()
  const filter = { root_parent_urls: [root] }
  matcher.set({ webhookId: 'gardener', filters: { 'cast.created': filter, 'cast.deleted': filter } })
  const eventOf = (kind: 'cast.created' | 'cast.deleted') => (message: typeof cast) =>
    ({
      id: message.data.castAddBody!.text,
      kind,
      happenedAt: null,
      subject: { type: 'cast', message },
    }) as const
  const events: WebhookEvent[] = [
    ...[cast, reply, forged].map(eventOf('cast.created')),
    ...[removedReply, removedForged].map(eventOf('cast.deleted')),
  ]
  const matched = await matchEvents(db, matcher, events)
  expect(matched.map(({ event }) => event.id)).toEqual(['tulips', 'lilies', 'weeds'])
})

it('root_parent_urls: replies that are deleted together with what they are below are in its thread', async () => {
  const { db } = await createTestDatabase()
  const alice = new TestUser(1)
  const root = 'https://example.com/~/channel/gardens'
  const cast = alice.cast('tulips', testNow - 100, { parentUrl: root })
  const reply = alice.cast('lilies', testNow - 90, { parentCastId: { fid: 1, hash: cast.hash } })
  const lower = alice.cast('roses', testNow - 80, { parentCastId: { fid: 1, hash: reply.hash } })
  const other = alice.cast('weeds', testNow - 70, { parentCastId: { fid: 2, hash: reply.hash } })
  const matcher = new Matcher()
  matcher.set({ webhookId: 'gardener', filters: { 'cast.deleted': { root_parent_urls: [root] } } })
  const events = [lower, reply, cast, other].map((message): WebhookEvent => {
    const id = message.data.castAddBody!.text
    return { id, kind: 'cast.deleted', happenedAt: null, subject: { type: 'cast', message } }
  })
  const matched = await matchEvents(db, matcher, events)
  expect(matched.map(({ event }) => event.id)).toEqual(['roses', 'lilies', 'tulips'])
})

it('deliveries of any number are enqueued in slices of 5,000, each once and in the order of the events', async () => {
  const { db, connect } = await createTestDatabase()
  const [app] = await db<{ id: string }[]>`insert into apps.apps (name) values ('app') returning id`
  const webhooks = await db<{ id: string }[]>`
    insert into webhooks.webhooks (
      app_id, title, target_url, revision, http_timeout_ms, rate_limit, rate_limit_ms
    )
    select ${app!.id}, 'webhook', 'https://plaza.social', n, 1, 1, 1 from generate_series(1, 5001) n
    returning id`
  const webhookIds = webhooks.map(({ id }) => id)
  const matched = [webhookIds.slice(0, 3), webhookIds, webhookIds.slice(2, 5)].map((ids, index) => ({
    event: {
      id: `event ${index}`,
      kind: 'user.created',
      happenedAt: null,
      subject: { type: 'user', fid: 1 },
    } as const,
    webhookIds: ids,
  }))
  const statements: string[] = []
  const counted = connect({ onStatement: (sql) => statements.push(sql) })
  const enqueue = () =>
    counted.begin(async (transaction) => {
      await inPipeline(await enqueueDeliveries(transaction, matched, 0))
    })
  await enqueue()
  expect(statements.filter((sql) => sql.includes('insert into webhooks.deliveries'))).toHaveLength(2)
  await enqueue()
  const stored = await db<{ webhookId: string; eventId: string }[]>`
    select webhook_id as "webhookId", event_id as "eventId" from webhooks.deliveries order by seq`
  expect(stored).toEqual(
    matched.flatMap(({ event, webhookIds: ids }) =>
      ids.map((webhookId) => ({ webhookId, eventId: event.id })),
    ),
  )
})

it('an embed that names a wrong author of a stored cast matches no webhook', async () => {
  const { db } = await createTestDatabase()
  const hub = await createTestHub(db)
  const [alice, bob] = [new TestUser(1), new TestUser(2)]
  const cast = alice.cast('tulips', testNow - 100)
  await hub.submitOnChainEvents(alice.onChain())
  await hub.submit([cast])
  const matcher = new Matcher()
  const unknown = Buffer.alloc(20, 7)
  const hashes = [cast.hash, unknown].map((hash) => `0x${hash.toString('hex')}`)
  matcher.set({ webhookId: 'of the hash', filters: { 'cast.created': { embedded_cast_hashes: hashes } } })
  matcher.set({ webhookId: 'of a user', filters: { 'cast.created': { embedded_cast_author_fids: [3] } } })
  const quoteOf = (id: string, fid: number, hash: Buffer): WebhookEvent => {
    const message = bob.cast(id, testNow - 90, { embeds: [{ castId: { fid, hash } }] })
    return { id, kind: 'cast.created', happenedAt: null, subject: { type: 'cast', message } }
  }
  const matched = await matchEvents(db, matcher, [
    quoteOf('right', 1, cast.hash),
    quoteOf('forged', 3, cast.hash),
    quoteOf('unknown', 3, unknown),
  ])
  expect(matched.map(({ event, webhookIds }) => [event.id, webhookIds.toSorted()])).toEqual([
    ['right', ['of the hash']],
    ['unknown', ['of a user', 'of the hash']],
  ])
})

it('a reaction that names a wrong author of a stored cast matches no webhook', async () => {
  const { db } = await createTestDatabase()
  const hub = await createTestHub(db)
  const alice = new TestUser(1)
  const cast = alice.cast('tulips', testNow - 100)
  await hub.submitOnChainEvents(alice.onChain())
  await hub.submit([cast])
  const matcher = new Matcher()
  const hash = `0x${cast.hash.toString('hex')}`
  const filters = { 'reaction.created': { target_cast_hashes: [hash] } }
  matcher.set({ webhookId: 'of the cast', filters })
  matcher.set({ webhookId: 'of a user', filters: { 'reaction.created': { target_fids: [3] } } })
  const likeOf = (targetFid: number, targetHash: string): WebhookEvent => ({
    id: `${targetFid} ${targetHash}`,
    kind: 'reaction.created',
    happenedAt: null,
    subject: { type: 'reaction', fid: 2, reactionType: ReactionType.LIKE, targetFid, targetHash },
  })
  const unknownHash = `0x${'07'.repeat(20)}`
  const matched = await matchEvents(db, matcher, [likeOf(1, hash), likeOf(3, hash), likeOf(3, unknownHash)])
  expect(matched.map(({ event, webhookIds }) => [event.id, webhookIds])).toEqual([
    [`1 ${hash}`, ['of the cast']],
    [`3 ${unknownHash}`, ['of a user']],
  ])
})
