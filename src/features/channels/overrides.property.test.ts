import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { createTestHub } from '../../../test/hub.js'
import { TestUser, testNowUnix } from '../../../test/network.js'
import { createRecordingLog } from '../../../test/sync/test-sync.js'
import { uncachedWriter } from '../../graph/cache/invalidation.js'
import type { ChannelMemberRole } from '../../graph/view/schema/primitives.js'
import { isRefusal } from '../../platform/errors.js'
import { setChannelFollow } from './channel-follows.js'
import { saveChannel } from './channels.js'
import { importChannels } from './import-channels.js'
import { answerInvite, inviteMember, removeMember } from './membership.js'
import { type PublicClient, publicApiOf } from './testing/public-client.js'
import { readStoredChannel } from './testing/stored-membership.js'

// Runs thousands of small transactions.
const { db } = await createTestDatabase()
const hub = await createTestHub(db)
const writer = uncachedWriter(db)
const owner = 1
const fids = [2, 3, 4]
/** `listed` is imported with its users, `counted` with numbers alone. */
const channelIds = ['listed', 'counted'] as const
type ChannelId = (typeof channelIds)[number]
await hub.submitOnChainEvents([owner, ...fids].flatMap((fid) => new TestUser(fid).onChain()))

interface Membership {
  readonly role: ChannelMemberRole | null
  readonly isRestricted: boolean
}

/** What a channel must show: what users changed last, and of the others what was imported last. */
interface ChannelModel {
  readonly follows: Map<number, boolean>
  readonly memberships: Map<number, Membership>
  name: string | null
  imported: Listing
  /** By how many local follows have changed the counter. */
  localFollowers: number
}

/** What the public client lists of a channel. */
interface Listing {
  readonly name: string
  readonly followers: readonly number[]
  readonly members: readonly number[]
  readonly moderators: readonly number[]
  readonly followerCount: number
}

type Model = Record<ChannelId, ChannelModel>
type Command = fc.AsyncCommand<Model, null>

const rolesOf = ({ members, moderators }: Listing, fid: number): ChannelMemberRole | null =>
  members.includes(fid) ? (moderators.includes(fid) ? 'moderator' : 'member') : null

async function readFollowers(id: ChannelId): Promise<number[]> {
  const rows = await db<{ fid: number }[]>`
    select fid from channels.follows where channel_id = ${id} order by fid`
  return rows.map(({ fid }) => fid)
}

async function compare(model: Model): Promise<void> {
  for (const id of channelIds) {
    const { follows, memberships, name, imported, localFollowers } = model[id]
    const [row] = await db<{ name: string; followers: number; members: number }[]>`
      select name, follower_count as followers, member_count as members from channels.channels where id = ${id}`
    expect(row!.name).toBe(name ?? imported.name)
    const followers = await readFollowers(id)
    const stored = await readStoredChannel(db, id, fids)
    for (const fid of fids) {
      const isListed = id === 'listed' && imported.followers.includes(fid)
      expect(followers.includes(fid)).toBe(follows.get(fid) ?? isListed)
      const { role, isRestricted } = stored.memberships.get(fid)!
      const last = memberships.get(fid)
      if (last) expect({ role, isRestricted }).toEqual(last)
      else if (id === 'listed') expect(role).toBe(rolesOf(imported, fid))
    }
    if (id === 'counted') expect(row!.followers).toBe(imported.followerCount + localFollowers)
    else {
      expect(row!.followers).toBe(followers.length)
      expect(row!.members).toBe(1 + fids.filter((fid) => stored.memberships.get(fid)!.role).length)
    }
  }
}

/** Runs `change`, which updates the database and the model, and compares both. */
function command(name: string, change: (model: Model) => Promise<void>): Command {
  const run = async (model: Model) => {
    await change(model)
    await compare(model)
  }
  return { check: () => true, run, toString: () => name }
}

function follow(id: ChannelId, fid: number, follows: boolean): Command {
  return command(`${fid} ${follows ? 'follows' : 'unfollows'} ${id}`, async (model) => {
    const followed = (await readFollowers(id)).includes(fid)
    await setChannelFollow(writer, { channelId: id, fid, followedAt: follows ? testNowUnix : null })
    model[id].follows.set(fid, follows)
    model[id].localFollowers += Number(follows) - Number(followed)
  })
}

function join(id: ChannelId, fid: number, role: 'member' | 'moderator'): Command {
  return command(`${fid} becomes ${role} of ${id}`, async (model) => {
    await inviteMember(writer, { channelId: id, callerFid: owner, fid, role }, testNowUnix)
    const outcome = await answerInvite(writer, { channelId: id, fid, role, accept: true }, testNowUnix)
    if (!isRefusal(outcome)) model[id].memberships.set(fid, { role, isRestricted: false })
  })
}

function remove(id: ChannelId, fid: number, role: 'member' | 'moderator', isSelf: boolean): Command {
  return command(`${fid} ${isSelf ? 'leaves' : 'is removed'} as ${role} of ${id}`, async (model) => {
    const callerFid = isSelf ? fid : owner
    const { message } = await removeMember(writer, { channelId: id, callerFid, fid, role }, testNowUnix)
    const after = {
      'no moderator any more': { role: 'member', isRestricted: false },
      'removed from the channel': { role: null, isRestricted: true },
      'left the channel': { role: null, isRestricted: false },
    }[message] as Membership | undefined
    if (after) model[id].memberships.set(fid, after)
  })
}

function rename(id: ChannelId, name: string): Command {
  return command(`${id} is renamed`, async (model) => {
    await saveChannel(writer, { id, name }, testNowUnix, { mode: 'edit', editorFid: owner })
    model[id].name = name
  })
}

async function runImport(listing: Listing): Promise<void> {
  const { name, followers, members, moderators, followerCount } = listing
  const client: PublicClient = {
    channels: channelIds.map((id) => ({
      id,
      url: `chain://${id}`,
      name,
      leadFid: owner,
      moderatorFids: moderators.filter((fid) => members.includes(fid)),
      followerCount,
      memberCount: 50,
    })),
    users: { listed: { followers, members } },
  }
  const options = { db, api: publicApiOf(client), log: createRecordingLog(), clock: () => testNowUnix * 1000 }
  await importChannels({ ...options, includeMembers: ['listed'] })
}

function importing(listing: Listing): Command {
  return command(`import ${JSON.stringify(listing)}`, async (model) => {
    await runImport(listing)
    for (const id of channelIds) model[id].imported = listing
  })
}

const channel = fc.constantFrom(...channelIds)
const fid = fc.constantFrom(...fids)
const role = fc.constantFrom('member' as const, 'moderator' as const)
const listing: fc.Arbitrary<Listing> = fc.record({
  name: fc.constantFrom('Theirs', 'Theirs too'),
  followers: fc.subarray(fids),
  members: fc.subarray(fids),
  moderators: fc.subarray(fids),
  followerCount: fc.integer({ min: 100, max: 103 }),
})
const imports = listing.map(importing)

async function begin(): Promise<{ model: Model; real: null }> {
  await db`delete from channels.channels`
  const imported = { name: 'First', followers: fids, members: [], moderators: [], followerCount: 100 }
  await runImport(imported)
  const modelOf = (): ChannelModel => ({
    follows: new Map(),
    memberships: new Map(),
    name: null,
    imported,
    localFollowers: 0,
  })
  return { model: { listed: modelOf(), counted: modelOf() }, real: null }
}

test('changes of users and scheduled imports in any order keep the last change of each user', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.commands(
        [
          imports,
          imports,
          fc.tuple(channel, fid, fc.boolean()).map((parameters) => follow(...parameters)),
          fc.tuple(channel, fid, role).map((parameters) => join(...parameters)),
          fc.tuple(channel, fid, role, fc.boolean()).map((parameters) => remove(...parameters)),
          fc.tuple(channel, fc.constantFrom('Mine', 'Ours')).map((parameters) => rename(...parameters)),
        ],
        { maxCommands: 30, size: 'max' },
      ),
      (commands) => fc.asyncModelRun(begin, commands),
    ),
    { numRuns: 40 },
  )
})
