import { expect, it } from 'vitest'
import { listMiniApps } from '../../src/features/miniapps/catalog/testing/catalog-scene.js'
import { refreshTrends } from '../../src/features/miniapps/catalog/trends.js'
import { TestUser, testNow, testNowUnix } from '../network.js'
import { serveApi } from './served-api.js'

const { db, hub, client } = await serveApi()
const [alice, bob] = [new TestUser(1), new TestUser(2)]

it('the published client pages, searches and asks for relevant mini apps', async () => {
  await hub.submitOnChainEvents([alice, bob].flatMap((user) => user.onChain()))
  await listMiniApps(db, [
    { domain: 'tulips.example.com', category: 'games' },
    { domain: 'roses.example.com', category: 'games', networks: ['base'] },
    { domain: 'money.example.com', category: 'finance' },
  ])
  const shared = bob.cast('look', testNow - 60, { embeds: [{ url: 'https://tulips.example.com/play' }] })
  expect(await hub.submit([alice.link(2, testNow - 90), shared])).toEqual([null, null])
  await refreshTrends(db, testNowUnix * 1000)

  const first = await client.fetchFrameCatalog({
    limit: 1,
    timeWindow: '24h',
    categories: ['games', 'music'],
  })
  expect(first.frames).toMatchObject([
    {
      version: 'next',
      frames_url: 'https://tulips.example.com/',
      author: { fid: 1 },
      manifest: { miniapp: { name: 'tulips.example.com' }, frame: { name: 'tulips.example.com' } },
    },
  ])
  const second = await client.fetchFrameCatalog({
    cursor: first.next.cursor!,
    limit: 1,
    timeWindow: '24h',
    categories: ['games', 'music'],
  })
  expect(second.frames.map(({ frames_url }) => frames_url)).toEqual(['https://roses.example.com/'])
  expect(second.next.cursor).toBeNull()

  const found = await client.searchFrames({ q: 'example', networks: ['base', 'solana'] })
  expect(found.frames).toHaveLength(3)

  const { relevant_frames } = await client.fetchRelevantFrames({ viewerFid: 1 })
  expect(relevant_frames).toMatchObject([
    { frame: { frames_url: 'https://tulips.example.com/' }, top_relevant_users: [{ fid: 2 }] },
  ])
})
