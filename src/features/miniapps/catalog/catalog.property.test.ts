import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createCatalogScene, listMiniApps } from './testing/catalog-scene.js'

const { db, api } = await createCatalogScene()

const app = fc.record({
  // Few ranks, so that many mini apps share one.
  change: fc.constantFrom(-1.5, -0, 0, 0.1, 0.30000000000000004, 2),
  category: fc.constantFrom('games', 'social'),
  networks: fc.subarray(['base', 'solana', 'eip155:999']),
})

it('pages of the catalog have each mini app of the filters once, in order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(app, { maxLength: 12 }),
      fc.integer({ min: 1, max: 5 }),
      fc.option(fc.constantFrom('games', 'social'), { nil: undefined }),
      fc.option(fc.constantFrom('base', 'solana'), { nil: undefined }),
      async (apps, limit, category, network) => {
        await db`truncate miniapps.manifests, miniapps.trends`
        const listed = apps.map((each, index) => ({ ...each, domain: `${index}.example.com` }))
        await listMiniApps(db, listed)
        for (const { domain, change } of listed) {
          await db`insert into miniapps.trends (time_window, domain, change) values ('7d', ${domain}, ${change})`
        }
        const expected = listed
          .filter((each) => category === undefined || each.category === category)
          .filter(
            ({ networks }) => network === undefined || networks.length === 0 || networks.includes(network),
          )
          .sort((a, b) => b.change - a.change || (a.domain < b.domain ? -1 : 1))
          .map(({ domain }) => `https://${domain}/`)

        const found: string[] = []
        let cursor: string | null = null
        do {
          const reply = await api.get('frame/catalog', {
            limit,
            ...(category === undefined ? {} : { categories: category }),
            ...(network === undefined ? {} : { networks: network }),
            ...(cursor === null ? {} : { cursor }),
          })
          const { frames, next } = reply.json()
          expect(frames.length).toBeLessThanOrEqual(limit)
          found.push(...frames.map((frame: { frames_url: string }) => frame.frames_url))
          cursor = next.cursor
        } while (cursor !== null)
        expect(found).toEqual(expected)
      },
    ),
    { numRuns: 60 },
  )
})
