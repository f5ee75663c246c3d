import { beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { createTestHub } from '../../../test/hub.js'
import { TestUser, testNowUnix } from '../../../test/network.js'
import { createRecordingLog } from '../../../test/sync/test-sync.js'
import { INVALIDATION_CHANNEL, uncachedWriter } from '../../graph/cache/invalidation.js'
import { setChannelFollow } from './channel-follows.js'
import { type SaveOptions, saveChannel } from './channels.js'
import { importChannels } from './import-channels.js'
import { answerInvite, inviteMember, removeMember } from './membership.js'
import { type PublicClient, publicApiOf } from './testing/public-client.js'
import { readStoredChannel } from './testing/stored-membership.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
const fids = [1, 2, 3, 4, 5]
await hub.submitOnChainEvents(fids.flatMap((fid) => new TestUser(fid).onChain()))
const writer = uncachedWriter(db)
const channelId = 'gardens'
const gardens = {
  id: 'gardens',
  url: 'chain://gardens',
  name: 'Gardens',
  description: 'what grows',
  imageUrl: 'https://images.example/garden.png',
  leadFid: 1,
  moderatorFids: [2],
  createdAt: 7,
  followerCount: 10,
  memberCount: 20,
}
let client: PublicClient
beforeEach(async () => {
  await db`delete from channels.channels`
  client = { channels: [gardens], users: { gardens: { followers: [2, 3], members: [2, 3] } } }
})

/** Runs the scheduled import and returns what it warns of. */
async function runImport(includeMembers: readonly string[] = [channelId]): Promise<unknown[]> {
  const log = createRecordingLog()
  await importChannels({ db, api: publicApiOf(client), log, clock: () => testNowUnix * 1000, includeMembers })
  return log.lines
}

const edit = (document: object, options: SaveOptions = { mode: 'edit' }) =>
  saveChannel(writer, { id: channelId, ...document }, testNowUnix, options)
const follow = (fid: number, follows: boolean) =>
  setChannelFollow(writer, { channelId, fid, followedAt: follows ? testNowUnix : null })
const remove = (fid: number, callerFid = 1, role: 'member' | 'moderator' = 'member') =>
  removeMember(writer, { channelId, callerFid, fid, role }, testNowUnix)

async function join(fid: number, role: 'member' | 'moderator' = 'member') {
  await inviteMember(writer, { channelId, callerFid: 1, fid, role }, testNowUnix)
  return await answerInvite(writer, { channelId, fid, role, accept: true }, testNowUnix)
}

async function row(id = channelId) {
  const [found] = await db`
    select name, description, image_url as image, parent_url as parent, lead_fid as lead,
      follower_count as followers, member_count as members
    from channels.channels where id = ${id}`
  return found
}

async function followers(): Promise<number[]> {
  const rows = await db<{ fid: number }[]>`select fid from channels.follows order by fid`
  return rows.map(({ fid }) => fid)
}

async function memberships() {
  const stored = await readStoredChannel(db, channelId, fids)
  return [...stored.memberships].map(([fid, { role, isRestricted }]) => [
    fid,
    isRestricted ? 'restricted' : role,
  ])
}

describe('the scheduled import', () => {
  it('leaves what the lead has changed, and takes the rest', async () => {
    await runImport()
    await edit({ name: 'Mine', image_url: null }, { mode: 'edit', editorFid: 1 })
    client.channels = [{ ...gardens, name: 'Theirs', description: 'peas', imageUrl: 'https://i.example/2' }]
    await runImport()
    expect(await row()).toMatchObject({ name: 'Mine', image: null, description: 'peas' })
  })

  it('leaves the lead that an operator has set; the former lead stays a member', async () => {
    await runImport()
    await edit({ lead_fid: 3 })
    await runImport()
    expect(await row()).toMatchObject({ lead: 3, members: 3 })
    expect(await memberships()).toEqual([
      [1, 'member'],
      [2, 'moderator'],
      [3, 'owner'],
      [4, null],
      [5, null],
    ])
  })

  it('leaves a channel that was created on this server', async () => {
    await edit({ lead_fid: 5, name: 'Mine' }, { mode: 'create' })
    const before = await row()
    await runImport()
    expect(await row()).toEqual(before)
    expect(await followers()).toEqual([])
    expect(await memberships()).toContainEqual([2, null])
  })

  it('leaves follows and ended follows of users', async () => {
    await runImport()
    await follow(4, true)
    await follow(2, false)
    await follow(3, true)
    client.users = { gardens: { followers: [2, 5], members: [] } }
    await runImport()
    expect(await followers()).toEqual([3, 4, 5])
    expect(await row()).toMatchObject({ followers: 3 })
  })

  it('leaves members who accepted, left, were demoted or removed', async () => {
    client.users = { gardens: { followers: [4, 5], members: [2, 3] } }
    await runImport()
    await join(4)
    await join(5)
    await join(5, 'moderator')
    await remove(2, 1, 'moderator')
    await remove(3)
    await runImport()
    expect(await memberships()).toEqual([
      [1, 'owner'],
      [2, 'member'],
      [3, 'restricted'],
      [4, 'member'],
      [5, 'moderator'],
    ])
    expect(await row()).toMatchObject({ members: 4 })
    await remove(4, 4)
    client.users = { gardens: { followers: [], members: [3, 4] } }
    await runImport()
    expect(await memberships()).toContainEqual([4, null])
    expect(await memberships()).toContainEqual([3, 'restricted'])
  })

  it('without lists -> counters are the numbers of the client and the changes on this server', async () => {
    await runImport([])
    await follow(4, true)
    await join(4)
    await runImport([])
    await runImport([])
    expect(await row()).toMatchObject({ followers: 11, members: 21 })
    await follow(4, false)
    await remove(4)
    await remove(2)
    expect(await row()).toMatchObject({ followers: 10, members: 19 })
    await runImport([])
    expect(await row()).toMatchObject({ followers: 10, members: 19 })
    expect(await memberships()).toContainEqual([2, 'restricted'])
  })
})

describe('an import of an operator', () => {
  it('replaces what was changed on this server, and later scheduled imports go on from it', async () => {
    client.users = { gardens: { followers: [2, 4], members: [2, 3] } }
    await runImport()
    await edit({ name: 'Mine' })
    await follow(5, true)
    await join(4)
    const members = [{ fid: 5, role: 'member', member_since: 1 }]
    await edit({ name: 'File', followers: [{ fid: 3, followed_at: 1 }], members }, {})
    expect(await row()).toMatchObject({ name: 'File', followers: 1, members: 2 })
    await runImport()
    expect(await row()).toMatchObject({ name: 'Gardens', followers: 2, members: 3 })
    expect(await followers()).toEqual([2, 4])
  })

  it('lifts no restriction of a user whom it does not name', async () => {
    await runImport()
    await remove(3)
    await edit({ members: [] }, {})
    await runImport()
    expect(await memberships()).toContainEqual([3, 'restricted'])
    await edit({ members: [{ fid: 3, role: 'member', member_since: 1 }] }, {})
    await runImport()
    expect(await memberships()).toContainEqual([3, 'member'])
  })
})

describe('a URL that the client lists with another channel', () => {
  const urlsOf = async (id: string) => {
    const rows = await db<
      { url: string }[]
    >`select url from channels.urls where channel_id = ${id} order by url`
    return rows.map(({ url }) => url)
  }
  const forms = ['https://farcaster.xyz/~/channel/gardens', 'https://warpcast.com/~/channel/gardens']
  const meadows = { ...gardens, id: 'meadows' }

  it('moves when a channel was renamed; the former one keeps its people and has its own URL', async () => {
    await runImport()
    const stale: string[] = []
    const listening = await db.listen(INVALIDATION_CHANNEL, (tag) => stale.push(tag))
    client.channels = [meadows]
    expect(await runImport([])).toEqual([])
    await expect.poll(() => stale).toContain('channel:gardens')
    expect(stale).toEqual(expect.arrayContaining(['channel:meadows', 'channelUrl:chain://gardens']))
    await listening.unlisten()
    expect([await urlsOf('meadows'), await urlsOf('gardens')]).toEqual([['chain://gardens'], forms])
    expect(await row()).toMatchObject({ parent: forms[0], followers: 2 })
    expect(await runImport([])).toEqual([])
  })

  it('moves when the former channel has another URL, in either order of the list', async () => {
    const [moved, taker] = [{ ...gardens, url: 'chain://hills' }, meadows]
    for (const list of [
      [moved, taker],
      [taker, moved],
    ]) {
      await db`delete from channels.channels`
      client.channels = [gardens]
      await runImport([])
      client.channels = list
      expect(await runImport([])).toEqual([])
      expect(await urlsOf('meadows')).toEqual(['chain://gardens'])
      expect(await urlsOf('gardens')).toContain('chain://hills')
      expect(await row()).toMatchObject({ parent: 'chain://hills' })
    }
  })

  it('stays while the client lists it with both, or one has it in the other form', async () => {
    await runImport([])
    client.channels = [gardens, meadows]
    expect(await runImport([])).toHaveLength(1)
    expect(await urlsOf('gardens')).toEqual(['chain://gardens'])
    client.channels = [{ ...gardens, url: forms[1] }]
    await runImport([])
    client.channels.push({ ...meadows, url: forms[0] })
    expect(await runImport([])).toHaveLength(1)
    expect(await urlsOf('gardens')).toEqual(['chain://gardens', ...forms])
  })

  it('stays where it was set on this server', async () => {
    await edit({ lead_fid: 1, parent_url: 'chain://gardens' }, {})
    client.channels = [meadows]
    expect(await runImport([])).toHaveLength(1)
    await db`delete from channels.channels`
    client.channels = [{ ...gardens, url: 'chain://hills' }]
    await runImport([])
    await edit({ parent_urls: ['chain://gardens'] })
    client.channels.push(meadows)
    expect(await runImport([])).toHaveLength(1)
    expect(await urlsOf('gardens')).toEqual(['chain://gardens', 'chain://hills'])
  })
})
