import { expect, test } from 'vitest'
import { serveHttp } from '../src/platform/outbound/testing/loopback-server.js'
import { farcasterSecondsFromUnixMs } from '../src/protocol/time.js'
import { createTestDatabase } from './database.js'
import { TestUser } from './network.js'
import { startTestServer, type TestServer } from './running-server.js'

const { db, url } = await createTestDatabase()
const alice = new TestUser(1)

/** Merges a cast that embeds a URL, and returns its path. */
async function castWith(server: TestServer, embedded: string): Promise<string> {
  await server.hub.submitOnChainEvents(alice.onChain())
  const now = farcasterSecondsFromUnixMs(Date.now())
  const cast = alice.cast('look', now, { embeds: [{ url: embedded }] })
  expect(await server.hub.submit([cast])).toEqual([null])
  return `cast?type=hash&identifier=0x${cast.hash.toString('hex')}`
}

async function embedOf(server: TestServer, path: string) {
  return (await server.get(path)).cast.embeds[0]
}

test('every server shows metadata of an embedded URL after one has crawled it', async () => {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const page = await serveHttp(async (_req, res) => {
    await released
    res.writeHead(200, { 'content-type': 'text/html' }).end('<title>A garden</title>')
  })
  const crawlingServer = await startTestServer(url, { ALLOW_PRIVATE_TARGETS: 'loopback' })
  const reading = await startTestServer(url, { CRAWL_EMBEDS: 'false' })
  const path = await castWith(crawlingServer, `${page.origin}/garden`)
  await expect.poll(() => page.connections()).toBe(1)
  for (const server of [crawlingServer, reading]) {
    expect((await embedOf(server, path)).metadata).toEqual({
      _status: 'PENDING',
      content_type: null,
      content_length: null,
    })
  }
  release()
  for (const server of [crawlingServer, reading]) {
    await expect.poll(async () => (await embedOf(server, path)).metadata?.html?.ogTitle).toBe('A garden')
  }
})

test('private addresses are not crawled unless allowed', async () => {
  const page = await serveHttp((_req, res) => res.end('secret'))
  const server = await startTestServer(url)
  const path = await castWith(server, `${page.origin}/inside`)
  await expect.poll(async () => (await embedOf(server, path)).metadata?._status).toBe('FAILED')
  expect(page.connections()).toBe(0)
})

test('a port that is not one of web servers is not dialled, and given up at once', async () => {
  const server = await startTestServer(url)
  const path = await castWith(server, 'https://plaza.social:4444/')
  await expect.poll(async () => (await embedOf(server, path)).metadata?._status).toBe('FAILED')
  expect(await db`select attempts, failure from embeds.urls where host = 'plaza.social'`).toEqual([
    { attempts: 1, failure: 'forbidden-port: port 4444 is not dialled' },
  ])
})

test('nothing is crawled when crawling is off', async () => {
  const page = await serveHttp((_req, res) => res.end('page'))
  const server = await startTestServer(url, { CRAWL_EMBEDS: 'false', ALLOW_PRIVATE_TARGETS: 'loopback' })
  await castWith(server, `${page.origin}/off`)
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect(page.connections()).toBe(0)
  expect(await db`select state from embeds.urls where url = ${`${page.origin}/off`}`).toEqual([
    { state: 'pending' },
  ])
})
