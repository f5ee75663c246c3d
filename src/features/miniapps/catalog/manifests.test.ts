import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { enqueueUrls } from '../../../graph/project/embed-queue.js'
import { ethAccount, newPrivateKey } from '../../../hub/registry/eth-account.js'
import { signJson } from '../../../protocol/json-signature.js'
import { createTestCrawler, free } from '../../embeds/testing/crawl-site.js'
import { enableHostToken } from '../hosts/host-tokens.js'
import { clientKey } from '../testing/client-key.js'
import { addEmbeddedMiniApp } from './manifests.js'
import { createCatalogScene, miniApp, serveMiniApps } from './testing/catalog-scene.js'

const scene = await createCatalogScene()
const { db, associate, readManifests, addDomain, letDayPass, names, failureOf } = scene

/** Reads the manifest of a new domain. */
async function list(domain: string) {
  await addDomain(domain)
  await readManifests()
}

describe('a manifest', () => {
  it.each(['custody', 'auth'] as const)(
    'signed by the %s address -> the mini app is listed',
    async (type) => {
      const { domainOf, serve } = await serveMiniApps()
      const domain = domainOf(`tulips-${type}`)
      const app = miniApp(domain, {
        name: 'Tulips',
        buttonTitle: 'Plant',
        imageUrl: `http://${domain}/tulips.png`,
        primaryCategory: 'games',
        // Tags have no spaces.
        tags: ['flowers', 'window box', 'spring'],
        requiredChains: ['eip155:8453'],
        subtitle: 'x'.repeat(31),
      })
      serve(`tulips-${type}`, { accountAssociation: await associate(domain, type), frame: app })
      await list(domain)
      const { frames } = await scene.frames('frame/catalog')
      const shown = frames.find((frame: { frames_url: string }) => frame.frames_url === `http://${domain}/`)
      const wire = {
        version: '1',
        name: 'Tulips',
        icon_url: `http://${domain}/icon.png`,
        home_url: `http://${domain}/`,
        image_url: `http://${domain}/tulips.png`,
        button_title: 'Plant',
        primary_category: 'games',
        tags: ['flowers', 'spring'],
      }
      expect(shown).toMatchObject({
        version: 'next',
        image: `http://${domain}/tulips.png`,
        title: 'Plant',
        author: { object: 'user', fid: scene.authorFid },
        metadata: { html: {} },
      })
      expect(shown.manifest).toEqual({
        account_association: await associate(domain, type).then(() => shown.manifest.account_association),
        miniapp: wire,
        frame: wire,
      })
    },
  )

  it('behind a redirect -> belongs to the domain that redirects', async () => {
    const { domainOf, serve } = await serveMiniApps()
    const domain = domainOf('hosted')
    serve('hosted', (_, response) => {
      response.writeHead(307, { location: `http://${domainOf('copies')}/1` }).end()
    })
    serve('copies', { accountAssociation: await associate(domain), miniapp: miniApp(domain) }, '/1')
    await list(domain)
    expect(await failureOf(domain)).toBeNull()
    expect(await names('frame/search', { q: 'hosted' })).toEqual(['hosted'])
  })

  it.each([
    ['Chess 2.0', ['Chess 2.0', '2.0', 'chess 2']],
    ['Garden.Party', ['garden.party', 'party']],
    ['Formula-1', ['formula-1', 'FORMULA 1']],
  ])('%s is found by its name as it is written', async (name, queries) => {
    const { domainOf, serve } = await serveMiniApps()
    const label = `named-${name.toLowerCase().replaceAll(/[^a-z]/g, '')}`
    const domain = domainOf(label)
    serve(label, { accountAssociation: await associate(domain), miniapp: miniApp(domain, { name }) })
    await list(domain)
    for (const q of queries) expect(await names('frame/search', { q }), q).toContain(name)
  })

  it('an empty text, as of a search field that was cleared, finds none; without one the request is refused', async () => {
    expect(await names('frame/search', { q: '' })).toEqual([])
    expect((await scene.api.get('frame/search', {})).statusCode).toBe(400)
  })

  it('noindex -> read, and not listed', async () => {
    const { domainOf, serve } = await serveMiniApps()
    const domain = domainOf('hidden')
    serve('hidden', {
      accountAssociation: await associate(domain),
      miniapp: miniApp(domain, { noindex: true }),
    })
    await list(domain)
    expect(await failureOf(domain)).toBeNull()
    expect(await names('frame/search', { q: 'hidden' })).toEqual([])
    expect(await names('frame/catalog')).not.toContain('hidden')
  })

  it('that proves nothing or breaks the specification -> not listed', async () => {
    const { domainOf, serve } = await serveMiniApps()
    const domain = domainOf('wrong')
    const good = { accountAssociation: await associate(domain), miniapp: miniApp(domain) }
    const stranger = { fid: scene.authorFid, account: ethAccount(newPrivateKey()) }
    const appKey = clientKey(scene.users[0]!, 9)
    const redirectInside = (_: unknown, response: ServerResponse) =>
      void response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end()
    await addDomain(domain)
    for (const [answer, problem] of [
      [{ ...good, accountAssociation: await associate(domainOf('right')) }, /another domain/],
      [
        { ...good, accountAssociation: await associate(domain, 'custody', stranger) },
        /not the custody address/,
      ],
      [{ ...good, accountAssociation: signJson(1, appKey, { domain }) }, /app key/],
      [{ ...good, accountAssociation: undefined }, /accountAssociation/],
      [{ ...good, miniapp: { ...good.miniapp, name: 'n'.repeat(33) } }, /miniapp.name/],
      [{ ...good, miniapp: { ...good.miniapp, homeUrl: 'ftp://wrong.example.com' } }, /miniapp.homeUrl/],
      [{ ...good, miniapp: { ...good.miniapp, version: '2' } }, /miniapp.version/],
      [[], /not a JSON object/],
      [redirectInside, /forbidden-address/],
    ] as const) {
      serve('wrong', answer)
      await letDayPass()
      await db`update miniapps.manifests set failures = 0`
      await readManifests()
      expect(await failureOf(domain)).toMatch(problem)
    }
    expect(await names('frame/search', { q: 'wrong' })).toEqual([])
  })

  it('is read again after a day: what changed shows, what is gone leaves the catalog', async () => {
    const { domainOf, serve, visits } = await serveMiniApps()
    const domain = domainOf('daily')
    const accountAssociation = await associate(domain)
    serve('daily', { accountAssociation, miniapp: miniApp(domain) })
    await list(domain)
    await readManifests()
    expect(visits).toEqual(['daily/.well-known/farcaster.json'])

    serve('daily', { accountAssociation, miniapp: miniApp(domain, { name: 'renamed' }) })
    await letDayPass()
    await readManifests()
    expect(await names('frame/search', { q: 'renamed' })).toEqual(['renamed'])

    serve('daily', (_, response) => response.writeHead(503).end())
    await letDayPass()
    await readManifests()
    expect(await names('frame/search', { q: 'renamed' })).toEqual(['renamed'])

    serve('daily', (_, response) => response.writeHead(404).end())
    await letDayPass()
    await readManifests()
    expect(await names('frame/search', { q: 'renamed' })).toEqual([])
  })

  it('is read again after a day -> its home page is crawled again', async () => {
    const { domainOf, serve } = await serveMiniApps()
    const domain = domainOf('homely')
    serve('homely', { accountAssociation: await associate(domain), miniapp: miniApp(domain) })
    const crawler = createTestCrawler(db)
    const shown: unknown[] = []
    await addDomain(domain)
    for (const title of ['first', 'second']) {
      const page = `<title>${title}</title>`
      serve('homely', (_, response) => response.setHeader('content-type', 'text/html').end(page), '/')
      await letDayPass()
      await db`update embeds.urls set crawled_at = now() - interval '1 day'`
      await readManifests()
      await crawler.drain()
      const { frames } = await scene.frames('frame/search', { q: 'homely' })
      shown.push(frames[0].metadata.html.ogTitle)
    }
    expect(shown).toEqual(['first', 'second'])
  })
})

describe('a domain is found', () => {
  const domains = async () =>
    (await db<{ domain: string }[]>`select domain from miniapps.manifests`).map(({ domain }) => domain)

  it('in crawled pages that embed a mini app, not in others', async () => {
    const { domainOf, serve } = await serveMiniApps()
    const embed = JSON.stringify({
      version: '1',
      imageUrl: 'https://example.com/a.png',
      button: { title: 'Go' },
    })
    serve(
      'page',
      (_, response) => response.setHeader('content-type', 'text/html').end('<title>Page</title>'),
      '/',
    )
    serve(
      'embedded',
      (_, response) =>
        response.setHeader('content-type', 'text/html').end(`<meta name="fc:miniapp" content='${embed}'>`),
      '/play',
    )
    const urls = [`http://${domainOf('page')}/`, `http://${domainOf('embedded')}/play`]
    await enqueueUrls(db, urls)
    const crawler = createTestCrawler(db, {
      onCrawled: (transaction, url) => addEmbeddedMiniApp(transaction, url),
    })
    for (const url of urls) expect(await crawler.crawlNow(url, 'key 1', free)).toHaveProperty('metadata')
    expect(await domains()).toContain(domainOf('embedded'))
    expect(await domains()).not.toContain(domainOf('page'))
  })

  it('in apps of this server and in what users of its hosts have added', async () => {
    await db`update apps.apps set mini_app_domain = 'ours.example.com' where id = ${scene.api.appId}`
    const key = { appId: scene.api.appId, fid: 1, domain: 'late.example.com' }
    await db`
      insert into miniapps.host_tokens (token, app_id, fid, domain, state, created_at)
      values ('c', ${key.appId}, 1, ${key.domain}, 'offered', now() - interval '20 hours')`
    await enableHostToken(db, key, 'c')
    expect(await domains()).toContain('late.example.com')
    await db`
      insert into miniapps.host_tokens (token, app_id, fid, domain, state)
      values ('a', ${scene.api.appId}, 1, 'added.example.com', 'enabled'), ('b', ${scene.api.appId}, 1, 'offered.example.com', 'offered')`
    await readManifests()
    expect(await domains()).toEqual(expect.arrayContaining(['ours.example.com', 'added.example.com']))
    expect(await domains()).not.toContain('offered.example.com')
  })
})
