import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestHub } from '../../../../test/hub.js'
import { TestUser, testNow, testNowUnix } from '../../../../test/network.js'
import { createTestApi } from '../../../app/testing/test-api.js'
import { cacheTag } from '../../../graph/cache/cache-tags.js'
import { Hydrator } from '../../../graph/cache/hydrator.js'
import { uncachedWriter } from '../../../graph/cache/invalidation.js'
import { approvedSigner } from '../../signers/testing/approved-signer.js'
import { saveChannel } from '../channels.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
let now = testNowUnix
const clock = () => now * 1000
// Views are kept ready, as the server keeps them: what is changed must be seen all the same.
const hydrator = new Hydrator({ db, clock, locationOf: () => null, maxViews: 100 })
const { get, send, appId } = await createTestApi({ db, hub, clock, hydrator })

const [owner, guest] = [new TestUser(1), new TestUser(2)]
const manyUsers = Array.from({ length: 12 }, (_, index) => new TestUser(10 + index))
await hub.submitOnChainEvents([owner, guest, ...manyUsers].flatMap((user) => user.onChain()))
const url = 'https://example.com/gardens'
const cast = guest.cast('roses', testNow - 9, { parentUrl: url })
await hub.submit([cast])
const signers = new Map<number, string>()
for (const user of [owner, guest])
  signers.set(user.fid, (await approvedSigner({ db, hub }, user, { appId })).id)

beforeEach(async () => {
  now = testNowUnix
  await db`delete from channels.channels`
  await saveChannel(
    { db, invalidation: hydrator.invalidation },
    {
      id: 'gardens',
      lead_fid: owner.fid,
      parent_url: url,
      followers: [guest, ...manyUsers].map(({ fid }) => ({ fid, followed_at: 1 })),
    },
    testNowUnix,
  )
})

const signedBy = ({ fid }: TestUser, more: object) => ({
  signer_uuid: signers.get(fid),
  channel_id: 'gardens',
  role: 'member',
  ...more,
})
const invite = (fid: number, more = {}) =>
  send('POST', 'channel/member/invite', signedBy(owner, { fid, ...more }))
const answer = (accept: boolean, more = {}) =>
  send('PUT', 'channel/member/invite', signedBy(guest, { accept, ...more }))
const remove = (fid: number, more = {}) => send('DELETE', 'channel/member', signedBy(owner, { fid, ...more }))

describe('a change of a membership', () => {
  const readChannel = async () => {
    const { channel } = (await get('channel', { id: 'gardens', viewer_fid: guest.fid })).json()
    const identifier = `0x${cast.hash.toString('hex')}`
    const found = (await get('cast', { identifier, type: 'hash' })).json()
    return {
      members: channel.member_count,
      moderators: channel.moderator_fids,
      viewer: channel.viewer_context.role,
      author: found.cast.author_channel_context.role,
    }
  }

  it('is visible in the next read: counters, roles and casts', async () => {
    const stranger = { members: 1, moderators: [], viewer: undefined, author: undefined }
    expect(await readChannel()).toEqual(stranger)
    await invite(guest.fid)
    expect(await readChannel()).toEqual(stranger)
    await answer(true)
    const member = { members: 2, moderators: [], viewer: 'member', author: 'member' }
    expect(await readChannel()).toEqual(member)
    await invite(guest.fid, { role: 'moderator' })
    await answer(true, { role: 'moderator' })
    expect(await readChannel()).toEqual({
      members: 2,
      moderators: [guest.fid],
      viewer: 'moderator',
      author: 'moderator',
    })
    await remove(guest.fid, { role: 'moderator' })
    expect(await readChannel()).toEqual(member)
    await remove(guest.fid)
    expect(await readChannel()).toEqual(stranger)
  })

  it('the eleventh moderator, invited or active -> refused', async () => {
    const members = manyUsers.map(({ fid }) => ({ fid, role: 'member' as const, member_since: 1 }))
    await saveChannel(uncachedWriter(db), { id: 'gardens', members }, testNowUnix)
    const replies = []
    for (const { fid } of manyUsers) replies.push(await invite(fid, { role: 'moderator' }))
    expect(replies.map(({ statusCode }) => statusCode)).toEqual([...Array(10).fill(200), 409, 409])
    await remove(manyUsers[0]!.fid, { role: 'moderator' })
    expect((await invite(manyUsers[11]!.fid, { role: 'moderator' })).statusCode).toBe(200)
  })

  it('is limited to 100 calls an hour in a channel, refusals included', async () => {
    await saveChannel(uncachedWriter(db), { id: 'sailing', lead_fid: owner.fid }, testNowUnix)
    for (let call = 1; call <= 99; call += 1) await remove(guest.fid)
    expect((await invite(guest.fid)).statusCode).toBe(200)
    now += 600
    const refused = await remove(guest.fid)
    expect([refused.statusCode, refused.json().code]).toEqual([429, 'RateLimited'])
    expect(refused.headers['retry-after']).toBe('3000')
    // Neither of another user, nor about another channel.
    expect((await answer(true)).statusCode).toBe(200)
    expect((await remove(guest.fid, { channel_id: 'sailing' })).statusCode).toBe(404)
    now += 3_000
    expect((await remove(guest.fid)).statusCode).toBe(200)
  })

  it.each([
    ['fid', { fid: -1 }],
    ['fid', { fid: 1.5 }],
    ['role', { role: 'admin' }],
    ['channel_id', { channel_id: '' }],
    ['signer_uuid', { signer_uuid: 7 }],
  ])('names %s when it is wrong', async (property, wrong) => {
    const reply = await invite(guest.fid, wrong)
    expect([reply.statusCode, reply.json().code, reply.json().property]).toEqual([
      400,
      'InvalidField',
      property,
    ])
  })
})

describe('imported members', () => {
  it('ends obsolete invites, and adds removed users again', async () => {
    await invite(guest.fid)
    const members = [{ fid: guest.fid, role: 'member' as const, member_since: 7 }]
    await saveChannel(uncachedWriter(db), { id: 'gardens', members }, testNowUnix)
    expect((await answer(true)).statusCode).toBe(404)
    await invite(guest.fid, { role: 'moderator' })
    await saveChannel(uncachedWriter(db), { id: 'gardens', moderator_fids: [guest.fid] }, testNowUnix)
    expect((await answer(true, { role: 'moderator' })).statusCode).toBe(404)
    const { channel } = (await get('channel', { id: 'gardens' })).json()
    expect(channel).toMatchObject({ member_count: 2, moderator_fids: [guest.fid] })
    await remove(guest.fid)
    await saveChannel(uncachedWriter(db), { id: 'gardens', members }, testNowUnix)
    expect(await db`select from channels.restricted`).toHaveLength(0)
  })

  it('a new lead -> the previous lead stays a member', async () => {
    await saveChannel(uncachedWriter(db), { id: 'gardens', lead_fid: guest.fid }, testNowUnix)
    const { members } = (await get('channel/member/list', { channel_id: 'gardens' })).json()
    const roles = members.map(({ user, role }: { user: { fid: number }; role: string }) => [user.fid, role])
    expect(roles).toEqual([
      [guest.fid, 'owner'],
      [owner.fid, 'member'],
    ])
    expect((await get('channel', { id: 'gardens' })).json().channel.member_count).toBe(2)
    expect((await invite(manyUsers[0]!.fid)).statusCode).toBe(403)
  })
})

interface Page {
  members: { user: { fid: number }; channel: { id: string } }[]
  invites: { invited: { fid: number }; channel_id: string }[]
  next: { cursor: string | null }
}

describe('lists', () => {
  const channels = ['gardens', 'sailing', 'trees', 'woods']

  /** All pages of a list; between two of them, `between` changes what there is. */
  async function readAll(path: string, query: Record<string, string | number>, between: () => Promise<void>) {
    const found: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Page = (await get(path, cursor ? { ...query, cursor } : query)).json()
      found.push(
        ...(page.members ?? []).map(({ user, channel }) => `${user.fid} ${channel.id}`),
        ...(page.invites ?? []).map((each) => `${each.invited.fid} ${each.channel_id}`),
      )
      cursor = page.next.cursor
      await between()
    }
    return found
  }

  const someTimes = fc.array(fc.integer({ min: 1, max: 4 }), {
    minLength: manyUsers.length,
    maxLength: manyUsers.length,
  })

  it.each([
    ['channel/member/list', { channel_id: 'gardens' }],
    ['channel/member/invite/list', { channel_id: 'gardens' }],
    ['user/memberships/list', { fid: guest.fid }],
    ['channel/member/invite/list', { invited_fid: guest.fid }],
  ])('%s of %j shows what stays once, whatever comes and goes meanwhile', async (path, query) => {
    const ofChannel = 'channel_id' in query
    const table = path.includes('invite') ? 'channels.invites' : 'channels.members'
    await fc.assert(
      fc.asyncProperty(
        someTimes,
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 0, max: 11 }),
        async (times, limit, removedMember) => {
          await db`delete from channels.channels`
          for (const id of channels)
            await saveChannel(uncachedWriter(db), { id, lead_fid: owner.fid, created_at: 3 }, testNowUnix)
          const pairs = ofChannel
            ? manyUsers.map(({ fid }) => ({ fid, id: 'gardens' }))
            : channels.map((id) => ({ fid: guest.fid, id }))
          const storeMember = async ({ fid, id }: (typeof pairs)[number], at: number) => {
            if (table === 'channels.invites') {
              await db`
              insert into channels.invites (channel_id, fid, role, inviter_fid, state, invited_at)
              values (${id}, ${fid}, 'member', 1, 'invited', ${at})`
            } else await db`insert into channels.members values (${id}, ${fid}, 'member', ${at})`
          }
          for (const [index, pair] of pairs.entries()) await storeMember(pair, times[index]!)
          hydrator.invalidation.apply({ tags: [cacheTag.everything] })
          const leaves = pairs[removedMember % pairs.length]!
          const found = await readAll(path, { ...query, limit }, async () => {
            await db`delete from ${db(table)} where fid = ${leaves.fid} and channel_id = ${leaves.id}`
            if (ofChannel) {
              await db`delete from ${db(table)} where fid = ${guest.fid}`
              await storeMember({ fid: guest.fid, id: 'gardens' }, 9)
            }
          })
          const lead = path === 'channel/member/list' ? [`${owner.fid} gardens`] : []
          const expected = [...pairs.map(({ fid, id }) => `${fid} ${id}`), ...lead]
          const remainingKey = `${leaves.fid} ${leaves.id}`
          expect(new Set(found).size).toBe(found.length)
          expect(found.filter((each) => each !== remainingKey).toSorted()).toEqual(
            expected.filter((each) => each !== remainingKey).toSorted(),
          )
        },
      ),
      { numRuns: 25 },
    )
  })

  it.each([
    ['channel/member/list', {}, 'channel_id'],
    ['channel/member/list', { channel_id: 'gardens', fid: 0 }, 'fid'],
    ['channel/member/list', { channel_id: 'gardens', limit: 101 }, 'limit'],
    ['channel/member/list', { channel_id: 'gardens', cursor: 'x' }, 'cursor'],
    ['channel/member/list', { channel_id: 'gardens', fid: 1, cursor: 'x' }, 'cursor'],
    ['channel/member/invite/list', {}, 'channel_id'],
    ['channel/member/invite/list', { channel_id: 'gardens', invited_fid: 1, cursor: 'x' }, 'cursor'],
    ['user/memberships/list', {}, 'fid'],
    ['user/memberships/list', { fid: 1, limit: 0 }, 'limit'],
  ])('%s refuses %j and names %s', async (path, query, property) => {
    const reply = await get(path, query as Record<string, string>)
    expect([reply.statusCode, reply.json().property]).toEqual([400, property])
  })

  it.each([
    ['channel/member/list', { channel_id: 'none' }],
    ['channel/member/list', { channel_id: 'none', fid: 1 }],
    ['channel/member/invite/list', { channel_id: 'none' }],
    ['channel/member/invite/list', { channel_id: 'none', invited_fid: 1 }],
  ])('%s %j -> 404 that names the channel', async (path, query) => {
    const reply = await get(path, query)
    expect([reply.statusCode, reply.json()]).toEqual([
      404,
      expect.objectContaining({ code: 'NotFound', property: 'channel_id' }),
    ])
  })
})
