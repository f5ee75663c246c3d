import { describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestHub } from '../../../../test/hub.js'
import { TestUser, testNow, testNowUnix } from '../../../../test/network.js'
import { createTestApi } from '../../../app/testing/test-api.js'
import { Hydrator } from '../../../graph/cache/hydrator.js'
import { UserDataType } from '../../../protocol/definitions.js'
import { bodyOf } from '../../publishing/routes/testing/publishing-network.js'
import { approvedSigner } from '../../signers/testing/approved-signer.js'

const { db } = await createTestDatabase()
const clock = () => testNowUnix * 1000
// Views are kept ready, as the server keeps them: what is changed must be seen all the same.
const hydrator = new Hydrator({ db, clock, locationOf: () => null, maxViews: 100 })
const hub = await createTestHub(db, {
  onCommitted: (events) => hydrator.invalidation.applyCommitted(events),
})
const { get, send, appId } = await createTestApi({ db, hub, clock, hydrator })

const [lead, other] = [new TestUser(1), new TestUser(2)]
await hub.submitOnChainEvents([...lead.onChain(), ...other.onChain()])
const parentUrl = 'https://example.com/gardens'
const root = lead.cast('roses', testNow - 9, { parentUrl })
const otherChannelCast = lead.cast('waves', testNow - 8, { parentUrl: 'https://example.com/sea' })
await hub.submit([root, otherChannelCast, lead.userData(UserDataType.DISPLAY, 'Lea', testNow)])
await db`update social.users set username = 'bob' where fid = 2`
const [ownChannelCast, others] = [
  (await approvedSigner({ db, hub }, lead, { appId })).id,
  (await approvedSigner({ db, hub }, other, { appId })).id,
]
const hashOf = (cast: typeof root) => `0x${cast.hash.toString('hex')}`

const make = (body: object, signer_uuid = ownChannelCast) => send('POST', 'channel', { signer_uuid, ...body })
const edit = (body: object, signer_uuid = ownChannelCast) =>
  send('PATCH', 'channel', { signer_uuid, channel_id: 'gardens', ...body })
const read = async () => (await get('channel', { id: 'gardens' })).json().channel

describe('a channel', () => {
  it('is created with all members and led by the user of the signer', async () => {
    const made = await make({
      channel_id: 'gardens',
      name: 'Gardens',
      description: 'by @bob, not @nobody: 🌱 @bob',
      parent_url: parentUrl,
      url: 'https://gardens.example',
      image_url: 'https://gardens.example/rose.png',
      external_link: { title: 'Seeds', url: 'https://seeds.example' },
      pinned_cast_hash: hashOf(root),
    })
    expect(made.json()).toMatchObject({
      channel: {
        id: 'gardens',
        name: 'Gardens',
        description: 'by @bob, not @nobody: 🌱 @bob',
        description_mentioned_profiles: [{ fid: 2 }, { fid: 2 }],
        parent_url: parentUrl,
        url: 'https://gardens.example',
        image_url: 'https://gardens.example/rose.png',
        external_link: { title: 'Seeds', url: 'https://seeds.example' },
        pinned_cast_hash: hashOf(root),
        lead: { fid: 1 },
        member_count: 1,
        follower_count: 0,
        moderator_fids: [],
        created_at: new Date(testNowUnix * 1000).toISOString(),
        viewer_context: { following: false, role: 'owner' },
      },
    })
    const { description, description_mentioned_profiles_ranges: ranges } = await read()
    expect(
      ranges.map((range: { start: number; end: number }) => description.slice(range.start, range.end)),
    ).toEqual(['@bob', '@bob'])
  })

  it('has earlier casts below its URL', async () => {
    const { cast } = (await get('cast', { identifier: hashOf(root), type: 'hash' })).json()
    expect(cast).toMatchObject({ channel: { id: 'gardens' }, author_channel_context: { role: 'owner' } })
  })

  it('has a default URL and name from its id', async () => {
    const { channel } = (await make({ channel_id: 'creators-support', parent_url: '' })).json()
    expect(channel).toMatchObject({
      name: 'creators-support',
      parent_url: 'https://farcaster.xyz/~/channel/creators-support',
    })
  })

  it('PATCH -> the given members change at once', async () => {
    await read()
    await edit({ name: 'Vegetable gardens', image_url: null, pinned_cast_hash: null, external_link: null })
    const channel = await read()
    expect(channel).toMatchObject({ name: 'Vegetable gardens', url: 'https://gardens.example' })
    for (const member of ['image_url', 'pinned_cast_hash', 'external_link'])
      expect(channel).not.toHaveProperty(member)
    await edit({ description: 'Peas' })
    expect(await read()).toMatchObject({ description: 'Peas', description_mentioned_profiles: [] })
    const { cast } = (await get('cast', { identifier: hashOf(root), type: 'hash' })).json()
    expect(cast.channel.name).toBe('Vegetable gardens')
  })

  it('a pinned cast that its author deletes is gone from the next read', async () => {
    const pinned = lead.cast('tulips', testNow - 7, { parentUrl })
    await hub.submit([pinned])
    bodyOf(await edit({ pinned_cast_hash: hashOf(pinned) }))
    expect(await read()).toHaveProperty('pinned_cast_hash', hashOf(pinned))
    expect(await hub.submit([lead.removeCast(pinned.hash, testNow - 6)])).toEqual([null])
    expect(await read()).not.toHaveProperty('pinned_cast_hash')
    bodyOf(await edit({ pinned_cast_hash: null }))
  })

  it('addresses elsewhere, URLs and code mention nobody, as in casts', async () => {
    const description = '@bob@social.example, https://site.example/?by=@bob, `@bob`'
    const { channel } = (await make({ channel_id: 'elsewhere', description })).json()
    expect(channel).toMatchObject({ description, description_mentioned_profiles: [] })
  })

  it('a name that two users share mentions the lowest fid, as in casts', async () => {
    const second = new TestUser(3)
    await hub.submitOnChainEvents(second.onChain())
    for (const fid of [1, 3]) await db`update social.users set username = 'carl' where fid = ${fid}`
    const { channel } = (await make({ channel_id: 'shared', description: 'by @carl' })).json()
    expect(channel.description_mentioned_profiles).toMatchObject([{ fid: 1 }])
  })
})

describe('it is refused', () => {
  const taken = 'https://example.com/gardens'

  it.each([
    ['an id that is taken', () => make({ channel_id: 'gardens' }), [409, 'Conflict', 'channel_id']],
    ['by whomever', () => make({ channel_id: 'gardens' }, others), [409, 'Conflict', 'channel_id']],
    [
      'a URL that is taken',
      () => make({ channel_id: 'thief', parent_url: taken }),
      [409, 'Conflict', 'parent_url'],
    ],
    [
      'the URL of another id',
      () => make({ channel_id: 'thief', parent_url: 'https://warpcast.com/~/channel/art' }),
      [400, 'InvalidField', 'parent_url'],
    ],
    [
      'no address',
      () => make({ channel_id: 'x', parent_url: 'https://[' }),
      [400, 'InvalidField', 'parent_url'],
    ],
    [
      'an address of too many bytes',
      () => make({ channel_id: 'x', parent_url: `https://a.example/${'\u6f22'.repeat(1_000)}` }),
      [400, 'InvalidField', 'parent_url'],
    ],
    ['an id with a space', () => make({ channel_id: 'a b' }), [400, 'InvalidField', 'channel_id']],
    ['an id with a capital', () => make({ channel_id: 'Gardens' }), [400, 'InvalidField', 'channel_id']],
    ['an id that is long', () => make({ channel_id: 'a'.repeat(17) }), [400, 'InvalidField', 'channel_id']],
    ['a picture that is none', () => edit({ image_url: 'javascript:1' }), [400, 'InvalidField', 'image_url']],
    [
      'half a link',
      () => edit({ external_link: { title: 'x' } }),
      [400, 'InvalidField', 'external_link.url'],
    ],
    ['no name', () => edit({ name: '' }), [400, 'InvalidField', 'name']],
    ['no URL', () => edit({ url: '' }), [400, 'InvalidField', 'url']],
    ['no picture without null', () => edit({ image_url: '' }), [400, 'InvalidField', 'image_url']],
    [
      'a description that mentions users 101 times',
      () => edit({ description: '@bob '.repeat(101) }),
      [400, 'InvalidField', 'description'],
    ],
    [
      'a pin from elsewhere',
      () => edit({ pinned_cast_hash: hashOf(otherChannelCast) }),
      [400, 'InvalidField', 'pinned_cast_hash'],
    ],
    ['a change by another', () => edit({ name: 'Mine' }, others), [403, 'Forbidden', undefined]],
    ['a change of nothing', () => edit({ channel_id: 'none' }), [404, 'NotFound', 'channel_id']],
  ] as const)('%s', async (_, call, refusal) => {
    const before = await read()
    const reply = await call()
    expect([reply.statusCode, reply.json().code, reply.json().property]).toEqual(refusal)
    expect(await read()).toEqual(before)
    expect((await get('channel', { id: 'thief' })).statusCode).toBe(404)
  })

  it('nothing changes the lead or the parent URL', async () => {
    const before = await read()
    expect((await edit({ name: before.name, lead_fid: 2, parent_url: taken })).statusCode).toBe(200)
    expect(await read()).toMatchObject({ parent_url: before.parent_url, lead: { fid: before.lead.fid } })
  })
})
