import { beforeEach, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { createTestHub } from '../../../test/hub.js'
import { TestUser, testNowUnix } from '../../../test/network.js'
import { uncachedWriter } from '../../graph/cache/invalidation.js'
import { isRefusal } from '../../platform/errors.js'
import { setChannelFollow } from './channel-follows.js'
import { saveChannel } from './channels.js'
import { answerInvite, inviteMember, removeMember } from './membership.js'
import { MAX_MODERATORS } from './membership-rules.js'
import { readStoredChannel, validMemberships } from './testing/stored-membership.js'

// Runs hundreds of races.
const { db, connect } = await createTestDatabase()
const hub = await createTestHub(db)
const many = connect({ poolSize: 16 })

const [owner, guest] = [1, 2]
const users = Array.from({ length: 30 }, (_, index) => 10 + index)
const allFids = [owner, guest, ...users]
const channelId = 'gardens'
const rounds = Array.from({ length: 40 }, (_, index) => index)
await hub.submitOnChainEvents(allFids.flatMap((fid) => new TestUser(fid).onChain()))
/** Opens all connections first, so that the first calls do not queue for one. */
await Promise.all(Array.from({ length: 16 }, () => many`select pg_sleep(0.1)`))

beforeEach(makeChannel)

async function makeChannel(): Promise<void> {
  await db`delete from channels.channels`
  await saveChannel(uncachedWriter(db), { id: channelId, lead_fid: owner }, testNowUnix)
  await db`
    insert into channels.follows select ${channelId}, fid, 1 from unnest(${allFids}::bigint[]) as f (fid)
  `
}

type Role = 'member' | 'moderator'

async function outcomeOf(change: ReturnType<typeof inviteMember>): Promise<string> {
  const outcome = await change
  return isRefusal(outcome) ? outcome.code : outcome.message
}

const invite = (fid: number, role: Role, callerFid = owner) =>
  outcomeOf(inviteMember(uncachedWriter(many), { channelId, callerFid, fid, role }, testNowUnix))
const answer = (fid: number, role: Role, accept: boolean) =>
  outcomeOf(answerInvite(uncachedWriter(many), { channelId, fid, role, accept }, testNowUnix))
const remove = (fid: number, role: Role, callerFid = owner) =>
  outcomeOf(removeMember(uncachedWriter(many), { channelId, callerFid, fid, role }, testNowUnix))

/** Reads the memberships of a user and checks the invariants. */
async function membershipOf(fid: number) {
  const { memberships, memberCount, moderatorFids } = await readStoredChannel(db, channelId, allFids)
  for (const membership of memberships.values()) expect(validMemberships).toContainEqual(membership)
  const memberCountOfRows = [...memberships].filter(([, { role }]) => role !== null)
  expect(memberCount).toBe(memberCountOfRows.length)
  expect(moderatorFids).toEqual(
    memberCountOfRows.flatMap(([each, { role }]) => (role === 'moderator' ? [each] : [])),
  )
  return memberships.get(fid)!
}

const count = (outcomes: readonly string[], outcome: string) =>
  outcomes.filter((each) => each === outcome).length

test('one invite, many answers at once -> one counts', async () => {
  for (const round of rounds) {
    await makeChannel()
    await invite(guest, 'member')
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, index) => answer(guest, 'member', index % 2 === round % 2)),
    )
    const accepted = count(outcomes, 'accepted: now a member')
    expect([accepted + count(outcomes, 'rejected'), count(outcomes, 'conflict')]).toEqual([1, 7])
    expect((await membershipOf(guest)).role).toBe(accepted === 1 ? 'member' : null)
  }
})

test('accept and withdraw an invite at once -> the user is out, in either order', async () => {
  const orders = new Set<string>()
  for (const round of rounds) {
    await makeChannel()
    await invite(guest, 'member')
    const accept = () => answer(guest, 'member', true)
    const withdraw = () => remove(guest, 'member')
    const outcomes = await Promise.all(round % 2 === 0 ? [accept(), withdraw()] : [withdraw(), accept()])
    const order = outcomes.toSorted().join(', ')
    orders.add(order)
    const isRestricted = order === 'accepted: now a member, removed from the channel'
    if (!isRestricted) expect(order).toBe('not_found, the invite is withdrawn')
    expect(await membershipOf(guest)).toEqual({ role: null, invited: null, isRestricted })
  }
  expect(orders.size).toBe(2)
})

test('accept a moderator invite while being removed -> never a moderator', async () => {
  for (const _ of rounds) {
    await makeChannel()
    await invite(guest, 'member')
    await answer(guest, 'member', true)
    await invite(guest, 'moderator')
    const [accepted, removed] = await Promise.all([answer(guest, 'moderator', true), remove(guest, 'member')])
    expect(removed).toBe('removed from the channel')
    expect(['accepted: now a moderator', 'not_found']).toContain(accepted)
    expect(await membershipOf(guest)).toEqual({ role: null, invited: null, isRestricted: true })
  }
})

test('many invites of one user at once -> one invite', async () => {
  for (const _ of rounds.slice(0, 10)) {
    await makeChannel()
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => invite(guest, 'member')))
    expect(count(outcomes, 'invited to become member')).toBe(1)
    expect(count(outcomes, 'this user is invited already')).toBe(7)
    expect((await membershipOf(guest)).invited).toBe('member')
  }
})

test('many moderator invites at once -> at most the limit', async () => {
  await saveChannel(
    uncachedWriter(db),
    { id: channelId, members: users.map((fid) => ({ fid, role: 'member', member_since: 1 })) },
    testNowUnix,
  )
  const outcomes = await Promise.all(users.map((fid) => invite(fid, 'moderator')))
  expect(count(outcomes, 'invited to become moderator')).toBe(MAX_MODERATORS)
  expect(count(outcomes, 'conflict')).toBe(users.length - MAX_MODERATORS)
  await Promise.all(users.map((fid) => answer(fid, 'moderator', true)))
  const { moderatorFids } = await readStoredChannel(db, channelId, allFids)
  expect(moderatorFids).toHaveLength(MAX_MODERATORS)
  await membershipOf(owner)
})

test('concurrent calls of all kinds: counters equal the rows', async () => {
  for (const round of rounds.slice(0, 5)) {
    await makeChannel()
    await Promise.all(users.map((fid) => invite(fid, 'member')))
    await Promise.all(
      users.flatMap((fid, index) => [
        answer(fid, 'member', true),
        ...(index % 3 === round % 3 ? [remove(fid, 'member')] : []),
        ...(index % 7 === 0 ? [invite(fid, 'moderator')] : []),
      ]),
    )
    await membershipOf(owner)
  }
})

test('import and removal at once -> one of both results', async () => {
  const imported = [{ fid: guest, role: 'moderator' as const, member_since: 5 }]
  for (const _ of rounds) {
    await makeChannel()
    await saveChannel(uncachedWriter(db), { id: channelId, members: imported }, testNowUnix)
    await Promise.all([
      saveChannel(uncachedWriter(many), { id: channelId, members: imported }, testNowUnix),
      remove(guest, 'member'),
    ])
    const { role, isRestricted } = await membershipOf(guest)
    expect(isRestricted).toBe(role === null)
  }
})

test('import during follows and unfollows -> all finish, the counter is right', async () => {
  for (const round of rounds) {
    const now = testNowUnix + round
    await Promise.all([
      saveChannel(
        uncachedWriter(many),
        { id: channelId, followers: users.map((fid) => ({ fid, followed_at: now })) },
        now,
      ),
      ...users.map((fid) =>
        (fid + round) % 2 === 0
          ? setChannelFollow(uncachedWriter(many), { channelId, fid, followedAt: now })
          : setChannelFollow(uncachedWriter(many), { channelId, fid, followedAt: null }),
      ),
    ])
    const [row] = await db`
      select follower_count as counted, (select count(*)::integer from channels.follows) as there
      from channels.channels`
    expect(row?.counted).toBe(row?.there)
  }
})

test('unfollow while an import adds the follow -> the user does not follow', async () => {
  await db`delete from channels.follows`
  let unfollowed: Promise<boolean> | undefined
  await db.begin(async (transaction) => {
    await transaction`select from channels.channels where id = ${channelId} for no key update`
    await transaction`insert into channels.follows values (${channelId}, ${guest}, 1)`
    unfollowed = setChannelFollow(uncachedWriter(many), { channelId, fid: guest, followedAt: null })
    await expect.poll(() => waitingForLocks()).toBe(1)
  })
  await unfollowed
  expect(await db`select fid from channels.follows`).toEqual([])
})

async function waitingForLocks(): Promise<number> {
  const [row] = await db<{ waiting: number }[]>`
    select count(*)::integer as waiting from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  return row!.waiting
}

test('create one channel many times at once -> created once', async () => {
  const leads = users.slice(0, 16)
  const outcomes = await Promise.allSettled(
    leads.map((fid) =>
      saveChannel(uncachedWriter(many), { id: 'sailing', lead_fid: fid }, testNowUnix, { mode: 'create' }),
    ),
  )
  const made = leads.filter((_, index) => outcomes[index]?.status === 'fulfilled')
  expect(made).toHaveLength(1)
  const rows = await db<
    { lead: number }[]
  >`select lead_fid as lead from channels.channels where id = 'sailing'`
  expect(rows.map(({ lead }) => lead)).toEqual(made)
})
