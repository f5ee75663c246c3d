import { describe, expect, it } from 'vitest'
import { userRecord, viewerRelations } from './testing/records.js'
import { presentUser, userViewEnd, userViewerContext } from './user.js'

const berlin = { city: 'Berlin', country: 'Germany', country_code: 'DE' }
const alice = userRecord(2, { username: 'alice', score: 0.5 })
const dehydratedAlice = {
  object: 'user_dehydrated',
  fid: 2,
  username: 'alice',
  display_name: null,
  pfp_url: null,
  custody_address: `0x${'cc'.repeat(20)}`,
  score: 0.5,
}
const input = {
  names: {
    users: new Map([['alice', alice]]),
    channels: new Map([
      ['gardens', { id: 'gardens', name: 'Gardens', imageUrl: 'https://plaza.test/g.png' }],
    ]),
  },
  locationOf: (latitude: number, longitude: number) =>
    latitude === 52.5 && longitude === -13.4 ? berlin : null,
  now: 1_800_000_000,
}
const presented = (known: Parameters<typeof userRecord>[1]) => presentUser(userRecord(7, known), input)

it('a minimal user has every required member and no other', () => {
  expect(presented({})).toEqual({
    object: 'user',
    fid: 7,
    username: '!7',
    display_name: null,
    custody_address: `0x${'cc'.repeat(20)}`,
    pfp_url: null,
    registered_at: '2023-11-14T22:13:20.000Z',
    profile: {
      bio: {
        text: '',
        mentioned_profiles: [],
        mentioned_profiles_ranges: [],
        mentioned_channels: [],
        mentioned_channels_ranges: [],
      },
    },
    follower_count: 0,
    following_count: 0,
    verifications: [],
    verified_addresses: {
      eth_addresses: [],
      sol_addresses: [],
      primary: { eth_address: null, sol_address: null },
    },
    auth_addresses: [],
    verified_accounts: [],
    score: 0,
    power_badge: false,
    experimental: { service_user_score: 0, neynar_user_score: 0, deprecation_notice: 'Use `score`.' },
  })
})

it('shows profile and counters', () => {
  const user = presented({
    username: 'bob',
    displayName: 'Bob',
    pfpUrl: 'https://plaza.test/b.png',
    bannerUrl: 'https://plaza.test/banner.png',
    score: 0.25,
    followerCount: 3,
    followingCount: 4,
    twitter: 'bob_x',
    github: 'bob-hub',
  })
  expect(user).toMatchObject({
    username: 'bob',
    display_name: 'Bob',
    pfp_url: 'https://plaza.test/b.png',
    profile: { banner: { url: 'https://plaza.test/banner.png' } },
    follower_count: 3,
    following_count: 4,
    verified_accounts: [
      { platform: 'x', username: 'bob_x' },
      { platform: 'github', username: 'bob-hub' },
    ],
    score: 0.25,
    experimental: { service_user_score: 0.25 },
  })
})

it.each([
  ['https://plaza.test/my banner.png', 'https://plaza.test/my%20banner.png'],
  ['https://plaza.test/bänner.png', 'https://plaza.test/b%C3%A4nner.png'],
  ['HTTPS://Plaza.Test/a|b.png?q=<x>', 'https://plaza.test/a|b.png?q=%3Cx%3E'],
])('banner %s -> the URL that a browser loads', (bannerUrl, url) => {
  expect(presented({ bannerUrl }).profile.banner).toEqual({ url })
})

it.each(['banner.png', '/banner.png', 'https://', 'javascript:alert(1)', 'my banner'])(
  'banner %s, which is no web address -> none',
  (bannerUrl) => {
    expect(presented({ bannerUrl }).profile).not.toHaveProperty('banner')
  },
)

it('bio: addresses elsewhere, packages and URLs mention nobody', () => {
  const text =
    '@alice@social.example @alice.bsky.example npm @alice/core https://site.example/?by=@alice `@alice`'
  expect(presented({ bio: text }).profile.bio).toMatchObject({ text, mentioned_profiles: [] })
})

it('bio: mentions of known users and channels have ranges', () => {
  const text = 'with @alice and @nobody in /gardens and /nowhere'
  expect(presented({ bio: text }).profile.bio).toEqual({
    text,
    mentioned_profiles: [dehydratedAlice],
    mentioned_profiles_ranges: [{ start: 5, end: 11 }],
    mentioned_channels: [
      { object: 'channel_dehydrated', id: 'gardens', name: 'Gardens', image_url: 'https://plaza.test/g.png' },
    ],
    mentioned_channels_ranges: [{ start: 27, end: 35 }],
  })
})

describe('a location', () => {
  it('with a known place has an address, else only coordinates', () => {
    expect(presented({ location: 'geo:52.50,-13.40' }).profile.location).toEqual({
      latitude: 52.5,
      longitude: -13.4,
      address: berlin,
    })
    expect(presented({ location: 'geo:-2.50,113.40' }).profile.location).toEqual({
      latitude: -2.5,
      longitude: 113.4,
    })
  })

  it.each([
    'Berlin',
    'geo:52.5,13.40',
    'geo:52.50,13.4',
    'geo:52.50,1234.50',
    'a geo:52.50,13.40',
    'geo:52.50,13.40 b',
    'geo:522.50,13.40',
    'geo:,13.40',
    'geo:52.50,',
  ])('written as %s: none', (location) => {
    expect(presented({ location }).profile).not.toHaveProperty('location')
  })
})

describe('a user who went live', () => {
  const startTs = 190_540_800 // input.now in Farcaster seconds
  const live = (liveAtTs: number) =>
    presented({ liveAt: 'https://plaza.test/live', liveAtTs }).profile.live_at

  it('is live for twelve hours after the start', () => {
    expect(live(startTs - 10)).toEqual({
      url: 'https://plaza.test/live',
      updated_at: new Date((input.now - 10) * 1000).toISOString(),
      is_live: true,
    })
    expect(live(startTs - 12 * 3600 + 1)).toMatchObject({ is_live: true })
    expect(live(startTs - 12 * 3600)).toMatchObject({ is_live: false })
  })

  it('has a view that ends then, or when its subscription does', () => {
    const user = userRecord(7, { liveAt: 'https://plaza.test/live', liveAtTs: startTs })
    const { now } = input
    expect(userViewEnd(user, now)).toBe(now + 12 * 3600)
    expect(userViewEnd({ ...user, proUntil: now + 60 }, now)).toBe(now + 60)
    expect(userViewEnd({ ...user, liveAtTs: 0 }, now)).toBeNull()
  })
})

describe('verified addresses', () => {
  const verifications = [
    { address: 'ab'.repeat(20), protocol: 0 },
    { address: '01'.repeat(32), protocol: 1 },
    { address: 'cd'.repeat(20), protocol: 0 },
  ]

  it('have the format of their chains, and the first of each is primary', () => {
    const user = presented({ verifications })
    const eth = [`0x${'ab'.repeat(20)}`, `0x${'cd'.repeat(20)}`]
    const sol = ['4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi']
    expect(user.verifications).toEqual(eth)
    expect(user.verified_addresses).toEqual({
      eth_addresses: eth,
      sol_addresses: sol,
      primary: { eth_address: eth[0], sol_address: sol[0] },
    })
  })

  it('the primary address that the user chose comes first', () => {
    const primaryAddresses = { primaryEthAddress: `0x${'CD'.repeat(20)}`, primarySolAddress: 'Chosen' }
    expect(presented({ verifications, ...primaryAddresses }).verified_addresses.primary).toEqual({
      eth_address: `0x${'cd'.repeat(20)}`,
      sol_address: 'Chosen',
    })
  })
})

it('auth addresses are the last 20 bytes of their keys; shorter keys, and those of unknown apps, are ignored', () => {
  const authAddresses = [
    { key: 'ab'.repeat(20), appFid: alice.fid, app: alice },
    { key: `${'00'.repeat(12)}${'cd'.repeat(20)}`, appFid: alice.fid, app: alice },
    { key: 'ef'.repeat(19), appFid: alice.fid, app: alice },
    { key: '12'.repeat(20), appFid: 77, app: null },
  ]
  expect(presented({ authAddresses }).auth_addresses).toEqual([
    { address: `0x${'ab'.repeat(20)}`, app: dehydratedAlice },
    { address: `0x${'cd'.repeat(20)}`, app: dehydratedAlice },
  ])
})

it('pro lasts until the second that it expires', () => {
  const pro = (proUntil: number) => presented({ proSince: 1_700_000_000, proUntil }).pro
  expect(pro(1_800_000_001)).toEqual({
    status: 'subscribed',
    subscribed_at: '2023-11-14T22:13:20.000Z',
    expires_at: '2027-01-15T08:00:01.000Z',
  })
  expect(pro(1_800_000_000)?.status).toBe('unsubscribed')
  expect(presented({ proUntil: 1_900_000_000 })).not.toHaveProperty('pro')
})

it('viewer context has each of the four relations', () => {
  const none = { following: false, followed_by: false, blocking: false, blocked_by: false }
  const fids = new Set([7])
  const context = (known: Parameters<typeof viewerRelations>[0]) =>
    userViewerContext(7, viewerRelations(known))
  expect(context({})).toEqual(none)
  expect(context({ following: fids })).toEqual({ ...none, following: true })
  expect(context({ followers: fids })).toEqual({ ...none, followed_by: true })
  expect(context({ blocking: fids })).toEqual({ ...none, blocking: true })
  expect(context({ blockers: fids })).toEqual({ ...none, blocked_by: true })
  expect(context({ following: fids, followers: fids, blocking: fids, blockers: fids })).toEqual({
    following: true,
    followed_by: true,
    blocking: true,
    blocked_by: true,
  })
  expect(userViewerContext(8, viewerRelations({ following: fids }))).toEqual(none)
})
