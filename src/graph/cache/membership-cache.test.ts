import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { cacheTag } from './cache-tags.js'
import { Invalidation } from './invalidation.js'
import { MembershipCache } from './membership-cache.js'

const { db, connect } = await createTestDatabase()
const statements: string[] = []
const counting = connect({ onStatement: (sql) => statements.push(sql) })
const fids = [1, 2, 3]
const channelIds = ['boats', 'gardens', 'maps']

beforeEach(async () => {
  await db`truncate channels.channels cascade`
  for (const id of channelIds) {
    await db`
      insert into channels.channels (id, url, parent_url, name, lead_fid, created_at)
      values (${id}, ${id}, ${id}, ${id}, 0, 1)
    `
  }
  statements.length = 0
})

/** What a user is in a channel, straight from the tables. */
async function storedMembership(fid: number, id: string) {
  const [row] = await db<{ isFollowing: boolean; role: string | null }[]>`
    select
      exists (select from channels.follows where channel_id = ${id} and fid = ${fid}) as "isFollowing",
      case when c.lead_fid = ${fid} then 'owner' else m.role end as role
    from channels.channels c
    left join channels.members m on m.channel_id = c.id and m.fid = ${fid}
    where c.id = ${id}
  `
  return row
}

async function cachedMembership(cache: MembershipCache, fid: number, id: string) {
  const memberships = (await cache.load(fid, [id]))!
  return { isFollowing: memberships.channels.has(id), role: memberships.roles.get(id) ?? null }
}

type Change = { readonly fid: number; readonly id: string } & (
  | { readonly kind: 'follow' | 'unfollow' | 'leave' | 'own' }
  | { readonly kind: 'join'; readonly role: string }
)

async function write({ kind, fid, id, ...change }: Change): Promise<string[]> {
  // An owner takes the place of another, whom the change does not name.
  if (kind === 'own') {
    await db`update channels.channels set lead_fid = ${fid} where id = ${id}`
    return [cacheTag.channel(id)]
  }
  if (kind === 'follow')
    await db`insert into channels.follows values (${id}, ${fid}, 1) on conflict do nothing`
  if (kind === 'unfollow') await db`delete from channels.follows where channel_id = ${id} and fid = ${fid}`
  if (kind === 'leave') await db`delete from channels.members where channel_id = ${id} and fid = ${fid}`
  if ('role' in change) {
    await db`
      insert into channels.members values (${id}, ${fid}, ${change.role}, 1)
      on conflict (channel_id, fid) do update set role = excluded.role
    `
  }
  return [cacheTag.channel(id), cacheTag.channelsOf(fid)]
}

const anyChange = fc.record({
  fid: fc.constantFrom(...fids),
  id: fc.constantFrom(...channelIds),
  role: fc.constantFrom('member', 'moderator'),
  kind: fc.constantFrom('follow', 'unfollow', 'join', 'leave', 'own'),
}) as fc.Arbitrary<Change>

test('a cached user says what the tables say, after any change and during loads', async () => {
  const step = fc.record({ change: anyChange, isRead: fc.boolean(), overtakes: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const invalidation = new Invalidation()
      const cache = new MembershipCache(db, { invalidation, maxEntries: 100 })
      for (const { change, isRead, overtakes } of steps) {
        // A load may begin before a change and end after it.
        const loads = overtakes ? fids.map((fid) => cache.load(fid, channelIds)) : []
        invalidation.apply({ tags: await write(change) })
        await Promise.all(loads)
        if (!isRead) continue
        for (const fid of fids) {
          for (const id of channelIds)
            expect(await cachedMembership(cache, fid, id)).toEqual(await storedMembership(fid, id))
        }
      }
    }),
    { numRuns: 40 },
  )
})

test('a user is read once for all channels, and again for the channel that changed', async () => {
  const invalidation = new Invalidation()
  const cache = new MembershipCache(counting, { invalidation, maxEntries: 100 })
  for (const id of channelIds) await cache.load(1, [id])
  expect(statements).toHaveLength(1)

  invalidation.apply({ tags: await write({ kind: 'own', fid: 2, id: 'maps' }) })
  await cache.load(1, ['boats'])
  expect(statements).toHaveLength(1)
  await cache.load(1, ['boats', 'maps'])
  expect(statements).toHaveLength(2)
})

test('a user with more channels than are kept -> null, without another look', async () => {
  await db`
    insert into channels.channels (id, url, parent_url, name, lead_fid, created_at)
    select 'c' || n, n, n, n, 7, 1 from generate_series(1, 1001) n
  `
  const cache = new MembershipCache(counting, { invalidation: new Invalidation(), maxEntries: 100 })
  expect([await cache.load(7, ['maps']), await cache.load(7, ['maps'])]).toEqual([null, null])
  expect(statements).toHaveLength(1)
})

test('changes beyond those that are remembered -> older entries are read again', async () => {
  const invalidation = new Invalidation()
  const cache = new MembershipCache(counting, { invalidation, maxEntries: 100 })
  await cache.load(1, ['maps'])
  const tags = Array.from({ length: 100_001 }, (_, index) => cacheTag.channel(`c${index}`))
  invalidation.apply({ tags: [...(await write({ kind: 'own', fid: 1, id: 'maps' })), ...tags] })
  expect(await cachedMembership(cache, 1, 'maps')).toEqual({ isFollowing: false, role: 'owner' })
})

test('a cache without room asks nothing: its caller reads what it needs', async () => {
  const cache = new MembershipCache(counting, { invalidation: new Invalidation(), maxEntries: 0 })
  expect(await cache.load(1, ['boats'])).toBeNull()
  expect(statements).toEqual([])
})
