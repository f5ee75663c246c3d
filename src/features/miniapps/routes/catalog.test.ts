import { beforeEach, describe, expect, it } from 'vitest'
import { testNow, testNowUnix } from '../../../../test/network.js'
import { createCatalogScene, listMiniApps } from '../catalog/testing/catalog-scene.js'

const scene = await createCatalogScene()
const { db, api, share, countUse, names } = scene
const HOUR = 3_600

beforeEach(async () => {
  await db`truncate miniapps.manifests, miniapps.shares, miniapps.counted_hours, miniapps.trends, miniapps.tokens cascade`
  await db`truncate social.url_embeds, moderation.bans`
  await db`update social.users set score = 0.5`
})

/** The trending score of each listed domain, in order. */
async function changes(window: string) {
  const rows = await db<{ domain: string; change: number }[]>`
    select domain, change from miniapps.trends where time_window = ${window} order by change desc, domain`
  return rows.map(({ domain, change }) => [domain, Math.round(change * 100) / 100])
}

describe('GET frame/catalog', () => {
  it('orders by score-weighted users of the window, minus those of the window before', async () => {
    await listMiniApps(
      db,
      ['a.example.com', 'b.example.com', 'c.example.com'].map((domain) => ({ domain })),
    )
    await db`update social.users set score = 0.9 where fid = 4`
    // a: two users, one of them twice; b: one better known user; c: more users, but before.
    await share(1, 'https://a.example.com/1')
    await share(1, 'https://a.example.com/2', 90)
    await share(2, 'https://A.example.com')
    await share(4, 'https://b.example.com/?x')
    for (const fid of [1, 2, 3]) await share(fid, 'https://c.example.com/', 30 * HOUR)
    await share(3, 'https://a.example.com.evil.net/')
    await countUse()
    expect(await changes('24h')).toEqual([
      ['a.example.com', 1],
      ['b.example.com', 0.9],
      ['c.example.com', -1.5],
    ])
    expect(await names('frame/catalog', { time_window: '24h' })).toEqual([
      'a.example.com',
      'b.example.com',
      'c.example.com',
    ])
    expect(await names('frame/catalog')).toEqual(['c.example.com', 'a.example.com', 'b.example.com'])
  })

  it('counts shares however the URL spells the domain', async () => {
    const domains = ['xn--mller-kva.example', 'a.example.com', 'dev.localhost:3000']
    await listMiniApps(
      db,
      domains.map((domain) => ({ domain })),
    )
    await share(1, 'https://müller.example/')
    await share(1, 'HTTPS://A.example.com')
    await share(2, 'https://a.example.com:443/?x')
    await share(3, 'https://a.example.com:8443/')
    await share(1, 'http://dev.localhost:3000/')
    await countUse()
    expect(await changes('24h')).toEqual([
      ['a.example.com', 1],
      ['dev.localhost:3000', 0.5],
      ['xn--mller-kva.example', 0.5],
    ])
  })

  it('counts users who added the mini app', async () => {
    await listMiniApps(db, [{ domain: 'quiet.example.com' }, { domain: 'roses.example.com' }])
    await db`update apps.apps set mini_app_domain = 'roses.example.com' where id = ${api.appId}`
    await db`
      insert into miniapps.tokens (app_id, fid, client_fid, url, token, created_at)
      values (${api.appId}, 2, 9, 'https://c.example.com', 't', to_timestamp(${testNowUnix - 60}))`
    await countUse()
    expect(await changes('1h')).toEqual([
      ['roses.example.com', 0.5],
      ['quiet.example.com', 0],
    ])
  })

  it('counts late what is known late, and removed casts no more', async () => {
    const cast = await share(1, 'https://late.example.com/', 40 * HOUR)
    await share(2, 'https://late.example.com/', 40 * HOUR)
    await countUse()
    while ((await db`select from miniapps.counted_hours`).length < 300) await countUse()
    await listMiniApps(db, [{ domain: 'late.example.com' }])
    await db`update miniapps.counted_hours set counted_at = now() - interval '2 days'`
    for (let run = 0; run < 8; run += 1) await countUse()
    expect(await changes('7d')).toEqual([['late.example.com', 1]])
    await scene.merge(scene.users[0]!.removeCast(cast.hash, testNow - 10))
    await db`update miniapps.counted_hours set counted_at = now() - interval '2 days'`
    for (let run = 0; run < 8; run += 1) await countUse()
    expect(await changes('7d')).toEqual([['late.example.com', 0.5]])
  })

  it('selects by category and by network; an app that requires no network fits all', async () => {
    await listMiniApps(db, [
      { domain: 'a.example.com', category: 'games', networks: ['base'] },
      { domain: 'b.example.com', category: 'social', networks: ['solana', 'optimism'] },
      { domain: 'c.example.com', category: 'games' },
      { domain: 'd.example.com', networks: ['eip155:999'] },
    ])
    await countUse()
    expect(await names('frame/catalog', { categories: 'games,music' })).toEqual([
      'a.example.com',
      'c.example.com',
    ])
    expect(await names('frame/catalog', { networks: 'optimism' })).toEqual(['b.example.com', 'c.example.com'])
    expect(await names('frame/search', { q: 'example', networks: 'base,solana' })).toEqual([
      'a.example.com',
      'b.example.com',
      'c.example.com',
    ])
  })

  it('leaves out mini apps of authors whom the app bans', async () => {
    await listMiniApps(db, [
      { domain: 'a.example.com', authorFid: 1 },
      { domain: 'b.example.com', authorFid: 2 },
    ])
    await countUse()
    await db`insert into moderation.bans (app_id, fid, banned_at) values (${api.appId}, 1, 0)`
    expect(await names('frame/catalog')).toEqual(['b.example.com'])
    expect(await names('frame/search', { q: 'example' })).toEqual(['b.example.com'])
  })

  it.each([
    ['frame/catalog', { time_window: '2h' }, 'time_window'],
    ['frame/catalog', { categories: 'gardening' }, 'categories'],
    ['frame/catalog', { networks: 'robinhood' }, 'networks'],
    ['frame/catalog', { cursor: 'x' }, 'cursor'],
    ['frame/search', {}, 'q'],
    ['frame/search', { q: 'q'.repeat(33) }, 'q'],
    ['frame/relevant', {}, 'viewer_fid'],
  ] as [string, Record<string, string>, string][])('400: %s %o', async (path, query, property) => {
    const reply = await api.get(path, query)
    expect([reply.statusCode, reply.json().property]).toEqual([400, property])
  })
})

describe('GET frame/search', () => {
  it('finds by all words or their beginnings', async () => {
    await listMiniApps(
      db,
      ['tulip-garden.example.com', 'rose-garden.example.com'].map((domain) => ({ domain })),
    )
    expect(await names('frame/search', { q: 'gard' })).toEqual([
      'rose-garden.example.com',
      'tulip-garden.example.com',
    ])
    expect(await names('frame/search', { q: 'Tul garden' })).toEqual(['tulip-garden.example.com'])
    expect(await names('frame/search', { q: 'tulip rose' })).toEqual([])
    expect(await names('frame/search', { q: "'&|!" })).toEqual([])
  })
})

describe('GET frame/relevant', () => {
  it('lists what followed users and best friends shared, without blocked ones', async () => {
    await listMiniApps(
      db,
      ['a.example.com', 'b.example.com', 'c.example.com'].map((domain) => ({ domain })),
    )
    const [viewer, ...others] = scene.users
    await scene.merge(...others.slice(0, 2).map(({ fid }) => viewer!.link(fid, testNow - 500)))
    await share(2, 'https://a.example.com/', 120)
    await share(3, 'https://a.example.com/x', 120)
    await share(3, 'https://b.example.com/', 120)
    await share(4, 'https://c.example.com/', 120)
    await share(2, 'https://c.example.com/', 8 * 24 * HOUR)
    await countUse()
    const query = { viewer_fid: viewer!.fid }
    const { relevant_frames } = await scene.frames('frame/relevant', query)
    const summary = (items: typeof relevant_frames) =>
      items.map((item: { frame: { frames_url: string }; top_relevant_users: { fid: number }[] }) => [
        item.frame.frames_url,
        item.top_relevant_users.map(({ fid }) => fid),
      ])
    expect(summary(relevant_frames)).toEqual([
      ['https://a.example.com/', [2, 3]],
      ['https://b.example.com/', [3]],
    ])
    expect(relevant_frames[0].frames).toEqual([relevant_frames[0].frame])
    expect(relevant_frames[0].top_relevant_users[0].viewer_context).toMatchObject({ following: true })

    await scene.merge(viewer!.link(3, testNow - 50, { type: 'block' }))
    expect(summary((await scene.frames('frame/relevant', query)).relevant_frames)).toEqual([
      ['https://a.example.com/', [2]],
    ])
  })

  it('leaves out mini apps of authors who are hidden from the viewer', async () => {
    const [viewer, , , author] = scene.users
    const domains = { 'a.example.com': 2, 'b.example.com': 3, 'c.example.com': 4 }
    await listMiniApps(
      db,
      Object.entries(domains).map(([domain, authorFid]) => ({ domain, authorFid })),
    )
    await scene.merge(viewer!.link(2, testNow - 40), viewer!.link(3, testNow - 30, { type: 'block' }))
    for (const domain of Object.keys(domains)) await share(2, `https://${domain}/`, 110)
    const shown = async () => {
      const { relevant_frames } = await scene.frames('frame/relevant', { viewer_fid: viewer!.fid })
      return relevant_frames.map((item: { frame: { frames_url: string } }) => item.frame.frames_url)
    }
    await countUse()
    expect(await shown()).toEqual(['https://a.example.com/', 'https://c.example.com/'])
    await scene.merge(author!.link(viewer!.fid, testNow - 20, { type: 'block' }))
    expect(await shown()).toEqual(['https://a.example.com/'])
  })
})
