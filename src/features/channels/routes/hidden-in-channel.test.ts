import { beforeAll, expect, it } from 'vitest'
import { channelRegistration } from '../../../../test/channel-events.js'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestHub } from '../../../../test/hub.js'
import { TestUser, testNow, testNowUnix } from '../../../../test/network.js'
import { createTestApi } from '../../../app/testing/test-api.js'
import { Hydrator } from '../../../graph/cache/hydrator.js'
import { verification } from '../../../hub/merge/testing/in-memory-merges.js'
import { channelIdOf } from '../../../protocol/channel-uri.js'
import { MessageType } from '../../../protocol/definitions.js'
import { approvedSigner } from '../../signers/testing/approved-signer.js'

const { db } = await createTestDatabase()
const clock = () => testNowUnix * 1000
const hydrator = new Hydrator({ db, clock, locationOf: () => null, maxViews: 100 })
const hub = await createTestHub(db, {
  onCommitted: (events) => hydrator.invalidation.applyCommitted(events),
})
const { get, send, appId } = await createTestApi({ db, hub, clock, hydrator })
const users = [1, 2, 3, 4].map((fid) => new TestUser(fid))
const [owner, author, other, reader] = users as [TestUser, TestUser, TestUser, TestUser]
const address = Buffer.alloc(20, 1)
const parentUrl = 'https://farcaster.xyz/~/channel/gardens'
const [nuisance, rose] = [
  author.cast('a nuisance', testNow - 90, { parentUrl }),
  other.cast('a rose', testNow - 80, { parentUrl }),
]
const castHash = nuisance.hash
const cast_hash = `0x${castHash.toString('hex')}`
let signer_uuid: string

async function submit(...messages: Parameters<typeof hub.submit>[0]) {
  expect(await hub.submit(messages, { trusted: true })).toEqual(messages.map(() => null))
}

beforeAll(async () => {
  await hub.submitOnChainEvents(users.flatMap((user) => user.onChain()))
  signer_uuid = (await approvedSigner({ db, hub }, owner, { appId })).id
  await submit(verification(owner, address, testNow - 99))
  await hub.submitOnChainEvents([channelRegistration('gardens', address, { block: 10 })])
  const channelPinBody = { channelId: channelIdOf('gardens'), castHash }
  await submit(nuisance, rose, owner.message({ type: MessageType.CHANNEL_PIN, channelPinBody }, testNow - 70))
  await submit(reader.react(nuisance, testNow - 60), owner.react(rose, testNow - 50))
})

const bodyOf = async (path: string, query: Record<string, string | boolean>) => {
  const reply = await get(path, query)
  expect([reply.statusCode, reply.body]).toEqual([200, expect.any(String)])
  return reply.body
}

const search = { q: 'nuisance', channel_id: 'gardens' }
const active = { id: 'gardens', has_root_cast_authors: false, has_cast_likers: true }

/** A page of the channel, and how what it has of the cast is told. */
const pages: [path: string, query: Record<string, string | boolean>, trace: string][] = [
  ['feed/channels', { channel_ids: 'gardens' }, cast_hash],
  ['feed/trending', { channel_id: 'gardens' }, cast_hash],
  ['cast/search', search, cast_hash],
  ['cast/search', { ...search, sort_type: 'chron' }, cast_hash],
  ['cast/search', { ...search, sort_type: 'algorithmic' }, cast_hash],
  ['cast/search', { ...search, author_fid: '2' }, cast_hash],
  ['channel/users', { id: 'gardens', has_root_cast_authors: true }, '"fid":2,'],
  ['channel/users', active, '"fid":4,'],
  ['channel', { id: 'gardens' }, `"pinned_cast_hash":"${cast_hash}"`],
]

it.each(pages)('what moderators hide is not in %s %j, at once', async (path, query, trace) => {
  const shows = async () => (await bodyOf(path, query)).includes(trace)
  const moderate = async (method: 'POST' | 'DELETE', operation: string, body: object) => {
    const reply = await send(method, operation, { signer_uuid, channel_id: 'gardens', ...body })
    expect([reply.statusCode, reply.body]).toEqual([200, expect.any(String)])
  }
  expect(await shows()).toBe(true)
  for (const [operation, body] of [
    ['channel/hide', { cast_hash }],
    ['channel/ban', { fid: 2 }],
  ] as const) {
    await moderate('POST', operation, body)
    expect([operation, await shows()]).toEqual([operation, false])
    await moderate('DELETE', operation, body)
    expect([operation, await shows()]).toEqual([operation, true])
  }
})
