import { expect, it } from 'vitest'
import { miniApp, serveMiniApps } from '../../src/features/miniapps/catalog/testing/catalog-scene.js'
import { registerAddressHolders, signWithWallet } from '../../src/features/miniapps/testing/wallets.js'
import { farcasterSecondsFromUnixMs } from '../../src/protocol/time.js'
import { createTestDatabase } from '../database.js'
import { TestUser } from '../network.js'
import { startTestServer } from '../running-server.js'

const { db, url } = await createTestDatabase()

it('a mini app that a cast embeds is in the catalog after the server has read its manifest', async () => {
  const { domainOf, serve } = await serveMiniApps()
  const domain = domainOf('tulips')
  const server = await startTestServer(url, { ALLOW_PRIVATE_TARGETS: 'loopback' })
  const { custody } = await registerAddressHolders({ db, hub: server.hub, clock: Date.now })
  const accountAssociation = await signWithWallet(
    { type: 'custody', holder: custody, isText: true },
    { domain },
  )
  serve('tulips', { accountAssociation, miniapp: miniApp(domain) })
  const embed = JSON.stringify({
    version: '1',
    imageUrl: `http://${domain}/a.png`,
    button: { title: 'Plant' },
  })
  const page = `<title>Tulips</title><meta name="fc:miniapp" content='${embed}'>`
  for (const path of ['/', '/play']) {
    serve('tulips', (_, response) => response.setHeader('content-type', 'text/html').end(page), path)
  }

  const alice = new TestUser(1)
  await server.hub.submitOnChainEvents(alice.onChain())
  const now = farcasterSecondsFromUnixMs(Date.now())
  const cast = alice.cast('look', now, { embeds: [{ url: `http://${domain}/play` }] })
  expect(await server.hub.submit([cast])).toEqual([null])

  await expect
    .poll(async () => (await server.get('frame/catalog')).frames, { interval: 200 })
    .toMatchObject([
      {
        frames_url: `http://${domain}/`,
        author: { fid: custody.fid },
        manifest: { miniapp: { name: 'tulips' }, frame: { name: 'tulips' } },
      },
    ])
  await expect
    .poll(async () => (await server.get('frame/catalog')).frames[0].metadata.html.ogTitle)
    .toBe('Tulips')
  const { casts } = await server.get('feed/frames')
  expect(casts).toMatchObject([{ hash: `0x${cast.hash.toString('hex')}` }])
})
