import { beforeEach, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { TestUser, testNow } from '../../../test/network.js'
import { HubEventType } from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import { merged, project, pruned } from './testing/project-messages.js'
import { readModel } from './testing/read-model.js'

const { db } = await createTestDatabase()
const alice = new TestUser(1)
const bob = new TestUser(2)
const page = 'https://example.com/page'
const hour = 3600
const start = testNow - (testNow % hour)

beforeEach(() =>
  db.unsafe(
    ['casts', 'cast_counts', 'quotes', 'url_embeds', 'url_activity']
      .map((name) => `delete from social.${name}`)
      .join(';'),
  ),
)

const idOf = ({ data, hash }: SignedMessage) => ({ fid: data.fid, hash })
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

function reply(to: SignedMessage, text: string, at = start, user = bob): SignedMessage {
  return user.cast(text, at, { parentCastId: idOf(to) })
}

/** The stored thread of a cast. */
async function threadOf({ hash }: SignedMessage) {
  const [row] = await db<{ thread: Buffer; url: string | null }[]>`
    select thread_hash as thread, root_parent_url as url from social.casts where hash = ${hash}
  `
  return row && [hex(row.thread), row.url]
}

const counts = () =>
  db<{ fid: number; hash: Buffer; replies: number; quotes: number }[]>`
    select fid, hash, likes, recasts, replies, quotes from social.cast_counts order by fid, hash
  `.then((rows) => [...rows])

const activity = () =>
  db`select url, hour, casts from social.url_activity order by url, hour`.then((rows) => [...rows])

test('a cast row holds everything in its message', async () => {
  const quoted = bob.cast('quoted', start)
  const cast = alice.cast('null \0 and all', start, {
    parentUrl: 'https://example.com/\0',
    mentions: [3, 4],
    mentionsPositions: [0, 5],
    embeds: [{ url: page }, { castId: idOf(quoted) }, { url: 'https://example.com/\0x' }, {}],
  })
  await project(db, ...merged(cast))
  expect(await db`select * from social.casts`).toMatchObject([
    {
      hash: cast.hash,
      fid: 1,
      ts: start,
      text: 'null   and all',
      parent_fid: null,
      parent_hash: null,
      parent_url: 'https://example.com/ ',
      thread_hash: cast.hash,
      root_parent_url: 'https://example.com/ ',
      embeds: [{ url: page }, { fid: 2, hash: `0x${hex(quoted.hash)}` }, { url: 'https://example.com/ x' }],
      mentions: [3, 4],
      mention_positions: [0, 5],
      signer: cast.signer,
    },
  ])
  expect(await db`select quoted_hash, quoted_fid, ts, hash, fid from social.quotes`).toEqual([
    { quoted_hash: quoted.hash, quoted_fid: 2, ts: start, hash: cast.hash, fid: 1 },
  ])
  expect(await db`select url, ts, hash, fid from social.url_embeds order by url`).toEqual([
    { url: 'https://example.com/ x', ts: start, hash: cast.hash, fid: 1 },
    { url: page, ts: start, hash: cast.hash, fid: 1 },
  ])
  expect(await db`select from embeds.urls where url = ${page}`).toHaveLength(1)
})

test('a reply has its parent, and an old cast its deprecated embeds', async () => {
  const root = alice.cast('root', start)
  const nestedReply = bob.cast('reply', start, {
    parentCastId: idOf(root),
    embedsDeprecated: [page, 'https://\0'],
  })
  await project(db, ...merged(root, nestedReply))
  expect(
    await db`select parent_fid, parent_hash, parent_url, embeds from social.casts where fid = 2`,
  ).toEqual([
    {
      parent_fid: 1,
      parent_hash: root.hash,
      parent_url: null,
      embeds: [{ url: page }, { url: 'https:// ' }],
    },
  ])
})

test('replies and quotes count once per cast', async () => {
  const root = alice.cast('root', start)
  const twice = bob.cast('quotes twice', start, {
    parentCastId: idOf(root),
    embeds: [{ castId: idOf(root) }, { castId: idOf(root) }],
  })
  await project(db, ...merged(root, twice, reply(root, 'another'), alice.cast('alone', start)))
  const both = { likes: 0, recasts: 0, replies: 2, quotes: 1 }
  expect(await counts()).toEqual([{ fid: 1, hash: root.hash, ...both }])
  await project(db, ...merged(twice))
  expect(await counts()).toEqual([{ fid: 1, hash: root.hash, ...both }])
  await project(db, ...pruned(twice))
  expect(await counts()).toEqual([{ fid: 1, hash: root.hash, ...both, replies: 1, quotes: 0 }])
  await project(db, ...pruned(twice))
  expect(await counts()).toEqual([{ fid: 1, hash: root.hash, ...both, replies: 1, quotes: 0 }])
})

test('a cast that is added twice, or removed when missing, counts once', async () => {
  const [one, two] = [
    alice.cast('one', start, { parentUrl: page }),
    bob.cast('two', start, { parentUrl: page }),
  ]
  const quotes = bob.cast('quotes both', start, { embeds: [{ castId: idOf(one) }, { castId: idOf(two) }] })
  await project(db, ...merged(one, quotes))
  await project(db, ...merged(two, one, quotes))
  const before = await readModel(db)
  expect(before.quotes).toHaveLength(2)
  expect(await counts()).toMatchObject([
    { fid: 1, quotes: 1 },
    { fid: 2, quotes: 1 },
  ])
  expect(await activity()).toMatchObject([{ casts: 2 }])
  await project(db, ...pruned(reply(one, 'never came')))
  expect(await readModel(db)).toEqual(before)
  await project(db, ...pruned(one), ...merged(alice.cast('three', start, { parentUrl: page })))
  expect(await activity()).toMatchObject([{ casts: 2 }])
})

test('an hour without casts has no row, even when another hour gains', async () => {
  const [early, late] = [start, start + hour].map((at) => alice.cast('at', at, { parentUrl: page }))
  await project(db, ...merged(early!))
  await project(db, ...pruned(early!), ...merged(late!))
  expect(await activity()).toEqual([{ url: page, hour: start / hour + 1, casts: 1 }])
})

test('removing a cast removes all of its rows', async () => {
  const root = alice.cast('root', start, { parentUrl: page })
  const cast = bob.cast('all', start, {
    parentCastId: idOf(root),
    embeds: [{ url: page }, { castId: idOf(root) }],
  })
  await project(db, ...merged(root))
  const before = await readModel(db)
  await project(db, ...merged(cast))
  expect(await readModel(db)).not.toEqual(before)
  const remove = bob.removeCast(cast.hash, start + 1)
  await project(db, { type: HubEventType.MERGE_MESSAGE, message: remove, deletedMessages: [cast] })
  expect(await readModel(db)).toEqual(before)
})

test('added and removed in one batch: not stored; removed and added again: stored', async () => {
  const [passing, remaining] = [alice.cast('passing', start), alice.cast('staying', start)]
  await project(db, ...merged(remaining))
  await project(db, ...merged(passing), ...pruned(remaining, passing), ...merged(remaining))
  expect(await db`select text from social.casts`).toEqual([{ text: 'staying' }])
  await project(db, { type: HubEventType.REVOKE_MESSAGE, message: remaining })
  expect(await db`select from social.casts`).toEqual([])
})

test('threads are the same for every order of arrival and every batching', async () => {
  const root = alice.cast('root', start, { parentUrl: page })
  const one = reply(root, 'one')
  const two = reply(one, 'two', start, alice)
  const three = reply(two, 'three')
  const casts = [root, one, two, three]
  for (const order of [casts, [...casts].reverse(), [two, root, three, one]]) {
    await project(db, ...pruned(...casts))
    await project(db, ...merged(...order))
    for (const cast of casts) expect(await threadOf(cast)).toEqual([hex(root.hash), page])
    await project(db, ...pruned(...casts))
    for (const cast of order) await project(db, ...merged(cast))
    for (const cast of casts) expect(await threadOf(cast)).toEqual([hex(root.hash), page])
    expect(await activity()).toEqual([{ url: page, hour: start / hour, casts: 4 }])
  }
})

test('replies below a missing cast: the missing cast is their thread until it arrives', async () => {
  const root = alice.cast('root', start, { parentUrl: page })
  const one = reply(root, 'one', start + hour)
  const two = reply(one, 'two', start + 2 * hour - 1, alice)
  await project(db, ...merged(two))
  expect(await threadOf(two)).toEqual([hex(one.hash), null])
  expect(await activity()).toEqual([])
  await project(db, ...merged(one))
  expect([await threadOf(one), await threadOf(two)]).toEqual(Array(2).fill([hex(root.hash), null]))
  await project(db, ...merged(root))
  expect([await threadOf(one), await threadOf(two)]).toEqual(Array(2).fill([hex(root.hash), page]))
  expect(await activity()).toEqual([
    { url: page, hour: start / hour, casts: 1 },
    { url: page, hour: start / hour + 1, casts: 2 },
  ])
  await project(db, ...pruned(one))
  expect(await threadOf(two)).toEqual([hex(one.hash), null])
  expect(await activity()).toEqual([{ url: page, hour: start / hour, casts: 1 }])
  await project(db, ...pruned(root))
  expect(await activity()).toEqual([])
})

test('two missing casts of a thread that arrive in one batch join it', async () => {
  const root = alice.cast('root', start, { parentUrl: page })
  const one = reply(root, 'one')
  const two = reply(one, 'two', start, alice)
  const three = reply(two, 'three')
  const four = reply(three, 'four', start, alice)
  await project(db, ...merged(one, three, four))
  expect(await threadOf(four)).toEqual([hex(two.hash), null])
  await project(db, ...merged(root, two))
  for (const cast of [root, one, two, three, four]) {
    expect(await threadOf(cast)).toEqual([hex(root.hash), page])
  }
  expect(await activity()).toEqual([{ url: page, hour: start / hour, casts: 5 }])
})

test('a reply that names the wrong author of its parent does not count', async () => {
  const root = alice.cast('root', start, { parentUrl: page })
  const wrongParentReply = bob.cast('misled', start, { parentCastId: { fid: 9, hash: root.hash } })
  await project(db, ...merged(root, wrongParentReply))
  expect(await threadOf(wrongParentReply)).toEqual([hex(root.hash), null])
  expect(await counts()).toMatchObject([{ fid: 9, replies: 1 }])
})

test('messages of other types are ignored', async () => {
  await project(db, ...merged(alice.link(2, start), alice.removeCast(Buffer.alloc(20), start)))
  await project(db, ...pruned(alice.link(2, start), alice.removeCast(Buffer.alloc(20), start)))
  expect(await db`select from social.casts`).toEqual([])
})
