import { expect, test } from 'vitest'
import { testNow, testNowUnix } from '../../../../test/network.js'
import { MessageType, ReactionType } from '../../../protocol/definitions.js'
import { createCastNetwork, prefixedHash, recast, userOf } from '../../casts/routes/testing/cast-network.js'

const { ask, api, merge, countStatements, db } = await createCastNetwork()
const [alice, bob, carol] = [userOf(1), userOf(2), userOf(3)]
const users = [2, 3, 4, 5, 6].map(userOf)
const first = alice.cast('first', testNow - 900)
const second = bob.cast('second', testNow - 800)
await merge(first, second)
await merge(
  ...users.map((user) => user.react(first, testNow - 100)),
  recast(bob, first, testNow - 100),
  recast(carol, second, testNow - 50),
  carol.react(second, testNow - 60),
)

interface ReactionReply {
  reaction_type: string
  reaction_timestamp: string
  user: { fid: number; username: string }
  cast: { hash: string }
  app?: { fid: number }
}
type Query = Record<string, string | number | boolean>

async function allPages(
  path: string,
  query: Query,
  betweenPages?: () => Promise<void>,
): Promise<ReactionReply[]> {
  const collected: ReactionReply[] = []
  let cursor: string | null = null
  do {
    const reply = await ask(path, cursor === null ? query : { ...query, cursor })
    collected.push(...(reply.reactions as ReactionReply[]))
    cursor = reply.next.cursor
    await betweenPages?.()
  } while (cursor !== null)
  return collected
}

const byType = ({ user, reaction_type }: ReactionReply) => `${user.fid} ${reaction_type}`

test('reactions/cast: newest first, in pages', async () => {
  const expected = ['6 like', '5 like', '4 like', '3 like', '2 like', '2 recast']
  for (const limit of [1, 2, 5, 6, 100]) {
    const collected = await allPages('reactions/cast', { hash: prefixedHash(first), types: 'all', limit })
    expect(collected.map(byType)).toEqual(expected)
  }
  const recasts = await allPages('reactions/cast', { hash: first.hash.toString('hex'), types: 'recasts' })
  expect(recasts).toMatchObject([
    {
      user: { fid: 2, username: 'bob' },
      reaction_timestamp: new Date((testNowUnix - 100) * 1000).toISOString(),
    },
  ])
  const both = await allPages('reactions/cast', { hash: prefixedHash(second), types: 'likes,recasts' })
  expect(both.map(byType)).toEqual(['3 recast', '3 like'])
})

test('reactions/cast: paging is stable under changes', async () => {
  let round = 0
  const query = { hash: prefixedHash(first), types: 'likes', limit: 2 }
  const collected = await allPages('reactions/cast', query, async () => {
    round += 1
    if (round === 1)
      await merge(alice.react(first, testNow - 10), userOf(6).react(first, testNow, { remove: true }))
  })
  expect(collected.map(({ user }) => user.fid)).toEqual([6, 5, 4, 3, 2])
})

test('reactions/user: reactions of a user with their casts', async () => {
  for (const limit of [1, 2, 3, 100]) {
    const collected = await allPages('reactions/user', { fid: 3, type: 'all', limit })
    expect(collected.map(({ cast, reaction_type }) => [cast.hash, reaction_type])).toEqual([
      [prefixedHash(second), 'recast'],
      [prefixedHash(second), 'like'],
      [prefixedHash(first), 'like'],
    ])
  }
  const likes = await allPages('reactions/user', { fid: 3, type: 'likes', viewer_fid: 2 })
  expect(likes).toMatchObject([
    { user: { fid: 3, username: '!3' }, cast: { viewer_context: { liked: false } } },
    { cast: { text: 'first', viewer_context: { liked: true, recasted: true } } },
  ])
})

test('both show the app of the reaction', async () => {
  await db`insert into social.signer_apps (fid, key, app_fid) values (3, ${db.types.bytea(carol.key.publicKey)}, 5)`
  const [ofUser] = await allPages('reactions/user', { fid: 3, type: 'recasts' })
  const ofCast = await allPages('reactions/cast', { hash: prefixedHash(second), types: 'recasts' })
  expect([ofUser, ...ofCast]).toMatchObject([{ app: { fid: 5 } }, { app: { fid: 5 } }])
  const [withoutApp] = await allPages('reactions/cast', { hash: prefixedHash(first), types: 'recasts' })
  expect(withoutApp).not.toHaveProperty('app')
})

test('both leave out users hidden from the viewer', async () => {
  await merge(bob.link(5, testNow, { type: 'block' }))
  const seen = await allPages('reactions/cast', { hash: prefixedHash(first), types: 'likes', viewer_fid: 5 })
  expect(seen.map(({ user }) => user.fid)).not.toContain(2)
  const liked = await allPages('reactions/user', { fid: 3, type: 'all', viewer_fid: 5 })
  expect(liked.map(({ cast }) => cast.hash)).toEqual([prefixedHash(first)])
})

test('reactions/user: none of a user hidden from the viewer', async () => {
  await merge(carol.link(4, testNow, { type: 'block' }), userOf(6).link(3, testNow, { type: 'block' }))
  await db`insert into moderation.mutes (fid, target_fid, muted_at) values (1, 3, 0)`
  for (const viewer_fid of [4, 6, 1])
    expect(await ask('reactions/user', { fid: 3, type: 'all', viewer_fid })).toEqual({
      reactions: [],
      next: { cursor: null },
    })
  expect(await allPages('reactions/user', { fid: 3, type: 'all', viewer_fid: 3 })).toHaveLength(3)
})

test('wrong author or unknown cast -> in neither list', async () => {
  const reactionBody = { type: ReactionType.LIKE, targetCastId: { fid: 4, hash: first.hash } }
  const removedCast = alice.cast('gone', testNow - 70)
  const wrong = alice.message({ type: MessageType.REACTION_ADD, reactionBody }, testNow)
  await merge(
    wrong,
    removedCast,
    alice.react(removedCast, testNow),
    alice.removeCast(removedCast.hash, testNow),
  )
  const reactions = await allPages('reactions/user', { fid: 1, type: 'all' })
  expect(reactions.map(({ cast }) => cast.hash)).toEqual([prefixedHash(first)])
  expect(await ask('reactions/cast', { hash: prefixedHash(removedCast), types: 'all' })).toEqual({
    reactions: [],
    next: { cursor: null },
  })
})

test('both run at most six statements', async () => {
  const cast = { hash: prefixedHash(first), types: 'all', viewer_fid: 2 }
  expect(await countStatements('reactions/cast', cast)).toBeLessThanOrEqual(6)
  expect(await countStatements('reactions/user', { fid: 3, type: 'all', viewer_fid: 2 })).toBeLessThanOrEqual(
    6,
  )
})

test.each([
  ['reactions/cast', { hash: '0x12', types: 'all' }, 'hash'],
  ['reactions/cast', { hash: '00'.repeat(20) }, 'types'],
  ['reactions/cast', { hash: '00'.repeat(20), types: 'like' }, 'types'],
  ['reactions/user', { fid: 1 }, 'type'],
  ['reactions/user', { type: 'all' }, 'fid'],
  ['reactions/user', { fid: 1, type: 'all', limit: 101 }, 'limit'],
])('400: %s %j names %s', async (path, query, property) => {
  expect((await api.get(path, query as Query)).json()).toMatchObject({ status: 400, property })
})
