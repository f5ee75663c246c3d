import { expect, it } from 'vitest'
import { channelContext, channelDehydrated, channelUserContext, presentChannel } from './channel.js'
import { channelRecord, userRecord, viewerRelations } from './testing/records.js'
import { userDehydrated } from './user-dehydrated.js'

const alice = userRecord(1, { username: 'alice' })
const users = { users: new Map([[1, alice]]), usersByName: new Map([['alice', alice]]) }

it('a minimal channel has every required member and no other', () => {
  expect(presentChannel(channelRecord(), users)).toEqual({
    object: 'channel',
    id: 'gardens',
    url: 'https://plaza.test/gardens',
    parent_url: 'chain://gardens',
    name: 'Gardens',
    description: '',
    description_mentioned_profiles: [],
    description_mentioned_profiles_ranges: [],
    created_at: '2023-11-14T22:13:20.000Z',
    follower_count: 0,
    member_count: 0,
    moderator_fids: [],
  })
})

it('shows what its owner set', () => {
  const channel = channelRecord({
    description: 'by  and ',
    descriptionMentions: [1, 5],
    descriptionMentionPositions: [3, 8],
    imageUrl: 'https://plaza.test/g.png',
    externalLinkUrl: 'https://plaza.test',
    externalLinkTitle: 'Plaza',
    pinnedCastHash: 'ab'.repeat(20),
    hasPinnedCast: true,
    moderatorFids: [3, 4],
    followerCount: 5,
    memberCount: 6,
  })
  expect(presentChannel(channel, users)).toMatchObject({
    description: 'by @alice and @!5',
    description_mentioned_profiles: [userDehydrated(alice)],
    description_mentioned_profiles_ranges: [{ start: 3, end: 9 }],
    image_url: 'https://plaza.test/g.png',
    external_link: { title: 'Plaza', url: 'https://plaza.test' },
    pinned_cast_hash: `0x${'ab'.repeat(20)}`,
    moderator_fids: [3, 4],
    follower_count: 5,
    member_count: 6,
  })
  expect(
    presentChannel(channelRecord({ externalLinkUrl: 'https://plaza.test' }), users).external_link,
  ).toEqual({
    title: '',
    url: 'https://plaza.test',
  })
})

it('names no moderator of a fid above int32', () => {
  const channel = channelRecord({ moderatorFids: [3, 2_147_483_647, 2_147_483_648, 4_294_967_295] })
  expect(presentChannel(channel, users).moderator_fids).toEqual([3, 2_147_483_647])
})

it('a description with names in it mentions those whom there are', () => {
  const description = 'by @alice and @nobody, elsewhere @alice@social.example'
  expect(presentChannel(channelRecord({ description, hasNamesInDescription: true }), users)).toMatchObject({
    description,
    description_mentioned_profiles: [userDehydrated(alice)],
    description_mentioned_profiles_ranges: [{ start: 3, end: 9 }],
  })
  expect(presentChannel(channelRecord({ description }), users)).toMatchObject({
    description,
    description_mentioned_profiles: [],
  })
})

it('a dehydrated channel has image_url only if it has an image', () => {
  const name = { id: 'gardens', name: 'Gardens' }
  expect(channelDehydrated({ ...name, imageUrl: null })).toEqual({ object: 'channel_dehydrated', ...name })
  expect(channelDehydrated({ ...name, imageUrl: 'https://plaza.test/g.png' })).toEqual({
    object: 'channel_dehydrated',
    ...name,
    image_url: 'https://plaza.test/g.png',
  })
})

it.each(['member', 'moderator', 'owner'])('a viewer who is %s sees the role, following or not', (role) => {
  expect(channelContext(true, role)).toEqual({ following: true, role })
  expect(channelContext(false, role)).toEqual({ following: false, role })
})

it('no role, or an unknown one: the context has no role', () => {
  expect(channelContext(true, null)).toEqual({ following: true })
  expect(channelContext(false, 'gardener')).toEqual({ following: false })
})

it('the viewer context says whether the viewer follows the channel, and its role', () => {
  const viewer = viewerRelations({ channels: new Set(['gardens']), roles: new Map([['trees', 'owner']]) })
  expect(channelUserContext('gardens', viewer)).toEqual({ following: true })
  expect(channelUserContext('trees', viewer)).toEqual({ following: false, role: 'owner' })
})
