import { expect, it } from 'vitest'
import { saveChannel } from '../../src/features/channels/channels.js'
import { uncachedWriter } from '../../src/graph/cache/invalidation.js'
import { TestUser, testNow, testNowUnix } from '../network.js'
import { serveApi } from './served-api.js'

const { hub, client, db } = await serveApi()
const [alice, bob] = [new TestUser(1), new TestUser(2)]
const url = 'https://example.com/~/channel/gardens'

await hub.submitOnChainEvents([...alice.onChain(), ...bob.onChain()])
await hub.submit([bob.link(1, testNow), alice.cast('roses', testNow - 60, { parentUrl: url })])
await saveChannel(
  uncachedWriter(db),
  {
    id: 'gardens',
    name: 'Gardens',
    lead_fid: 1,
    parent_url: url,
    followers: [
      { fid: 1, followed_at: 10 },
      { fid: 2, followed_at: 20 },
    ],
  },
  testNowUnix,
)

it('looks a channel up by its id and by its parent URL', async () => {
  const { channel } = await client.lookupChannel({ id: 'gardens', viewerFid: 2 })
  expect(channel).toMatchObject({ name: 'Gardens', lead: { fid: 1 }, viewer_context: { following: true } })
  const byUrl = await client.lookupChannel({ id: url, type: 'parent_url' })
  expect(byUrl.channel.id).toBe('gardens')
  const bulk = await client.fetchBulkChannels({ ids: ['gardens', 'nothing'] })
  expect(bulk.channels.map(({ id }) => id)).toEqual(['gardens'])
})

it('lists and searches channels', async () => {
  expect((await client.fetchAllChannels({})).channels.map(({ id }) => id)).toEqual(['gardens'])
  expect((await client.searchChannels({ q: 'gard' })).channels.map(({ id }) => id)).toEqual(['gardens'])
  expect((await client.searchChannels({ q: 'sail' })).channels).toEqual([])
})

it('tells where there is activity, and where a user has been', async () => {
  const { channels, next } = await client.fetchTrendingChannels({ timeWindow: '1d', limit: 5 })
  expect(channels).toMatchObject([{ cast_count_1d: '1', cast_count_30d: '1', channel: { id: 'gardens' } }])
  expect(next.cursor).toBeNull()
  const active = await client.fetchUsersActiveChannels({ fid: 1 })
  expect(active.channels?.map(({ id }) => id)).toEqual(['gardens'])
})

it('lists followers, and those whom the viewer follows', async () => {
  const followers = await client.fetchFollowersForAChannel({ id: 'gardens', limit: 1 })
  expect(followers.users.map(({ fid }) => fid)).toEqual([2])
  const rest = await client.fetchFollowersForAChannel({ id: 'gardens', cursor: followers.next.cursor ?? '' })
  expect(rest.users.map(({ fid }) => fid)).toEqual([1])
  const relevant = await client.fetchRelevantFollowersForAChannel({ id: 'gardens', viewerFid: 2 })
  expect(relevant.top_relevant_followers_hydrated.map(({ user }) => user.fid)).toEqual([1])
})
