import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestApi } from '../../../app/testing/test-api.js'
import type { Crawler } from '../../embeds/crawler.js'
import { createTestCrawler } from '../../embeds/testing/crawl-site.js'
import { framePage, serveFrame } from '../testing/served-frame.js'

const { db } = await createTestDatabase()
const api = await createTestApi({ db, crawler: createTestCrawlerOnce() })

/** The crawler of one test stops with it. */
function createTestCrawlerOnce() {
  return {
    crawlNow: (...request: Parameters<Crawler['crawlNow']>) => createTestCrawler(db).crawlNow(...request),
  }
}

it('returns the frame of a page', async () => {
  const { origin } = await serveFrame((response) => void response.end(framePage))
  const reply = await api.get('frame/crawl', { url: `${origin}/tulips` })
  expect(reply.json()).toMatchObject({
    frame: { version: 'vNext', frames_url: `${origin}/tulips`, image: `${origin}/next.png` },
  })
})

it('400: a page without a frame', async () => {
  const { origin } = await serveFrame((response) => void response.end('<title>Tulips</title>'))
  const reply = await api.get('frame/crawl', { url: `${origin}/tulips` })
  expect([reply.statusCode, reply.json().property]).toEqual([400, 'url'])
})
