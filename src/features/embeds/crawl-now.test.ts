import { beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { enqueueUrls } from '../../graph/project/embed-queue.js'
import { holdTransaction } from '../../graph/project/testing/transaction-locks.js'
import type { CallerName } from '../../platform/limits/caller-name.js'
import { isCrawlResult } from './crawl.js'
import { claimUrl, deleteRequestedUrls } from './queue.js'
import { createTestCrawler, free, servePage, serveSite } from './testing/crawl-site.js'
import { readRow } from './testing/queue-row.js'

const { db, connect } = await createTestDatabase()
beforeEach(async () => {
  await db`truncate embeds.urls`
})

describe('crawlNow', () => {
  it('fetches, returns and stores, for known and unknown URLs', async () => {
    let title = 'first'
    const site = await serveSite((_, res) => {
      res.writeHead(200, { 'content-type': 'text/html' }).end(`<title>${title}</title>`)
    })
    const url = site.url('a.social', '/')
    const crawler = createTestCrawler(db)
    expect(await crawler.crawlNow(url, 'key 1', free)).toMatchObject({
      kind: 'text/html',
      metadata: { html: { ogTitle: 'first' } },
    })
    title = 'second'
    expect(await crawler.crawlNow(url, 'key 1', free)).toMatchObject({
      metadata: { html: { ogTitle: 'second' } },
    })
    expect(await readRow(db, url)).toMatchObject({ state: 'done', title: 'second', isLeased: false })
  })

  it('a failure is returned, and the previous result stays', async () => {
    let isUp = true
    const site = await serveSite((req, res) => (isUp ? servePage(req, res) : res.writeHead(500).end()))
    const url = site.url('a.social', '/')
    const crawler = createTestCrawler(db)
    await crawler.crawlNow(url, 'key 1', free)
    isUp = false
    expect(await crawler.crawlNow(url, 'key 1', free)).toEqual({
      code: 'bad_request.invalid_param',
      message: 'nothing was found at this URL: status 500',
    })
    expect(await readRow(db, url)).toMatchObject({ state: 'done', title: '/', failure: 'status 500' })
    isUp = true
    expect(isCrawlResult((await crawler.crawlNow(url, 'key 1', free)) as never)).toBe(true)
  })

  it('a URL that is not http(s) -> refused and not stored', async () => {
    const crawler = createTestCrawler(db)
    const long = `https://a.social/${'a'.repeat(3_000)}`
    const longInBytes = `https://a.social/${'\u6f22'.repeat(1_000)}`
    for (const url of [
      longInBytes,
      '',
      'cat.png',
      'ftp://a.social/',
      'chain://eip155:1',
      'https://a.social/\0',
      long,
    ]) {
      expect(await crawler.crawlNow(url, 'key 1', free)).toMatchObject({ code: 'bad_request.invalid_param' })
    }
    expect(await db`select from embeds.urls`).toHaveLength(0)
  })

  it('a private address -> refused', async () => {
    expect(
      await createTestCrawler(db).crawlNow('http://169.254.169.254/latest/', 'key 1', free),
    ).toMatchObject({
      code: 'bad_request.invalid_param',
      message: expect.stringContaining('not on the public internet'),
    })
  })

  it('waits for its turn at the host', async () => {
    const site = await serveSite((req, res) => setTimeout(() => servePage(req, res), 50))
    const crawlers = [createTestCrawler(db), createTestCrawler(connect())]
    const results = await Promise.all(
      crawlers.flatMap((crawler) =>
        [1, 2].map((n) => crawler.crawlNow(site.url('a.social', `/${n}`), 'key 1', free)),
      ),
    )
    expect(results.every((result) => 'metadata' in result)).toBe(true)
    expect(site.most.maxPerHost).toBe(1)
  })

  it('one caller leaves slots for the others', async () => {
    const waiting: (() => void)[] = []
    const site = await serveSite((req, res) => void waiting.push(() => servePage(req, res)))
    const crawler = createTestCrawler(db)
    const crawlOf = (caller: CallerName, n: number) =>
      crawler.crawlNow(site.url(`${caller.replace(' ', '-')}-${n}.social`, '/'), caller, free)
    const crawls = [1, 2, 3, 4].map((n) => crawlOf('key 1', n))
    await expect(crawlOf('key 1', 5)).rejects.toMatchObject({ code: 'bad_request.rate_limited' })
    crawls.push(crawlOf('key 2', 1))
    await expect.poll(() => waiting.length).toBe(5)
    for (const answer of waiting) answer()
    expect((await Promise.all(crawls)).every((result) => 'metadata' in result)).toBe(true)
    const again = crawlOf('key 1', 6)
    await expect.poll(() => waiting.length).toBe(6)
    waiting[5]!()
    expect(await again).toHaveProperty('metadata')
  })

  it('attempts on demand leave the retries of a waiting URL', async () => {
    const site = await serveSite((_, res) => res.writeHead(500).end())
    const url = site.url('a.social', '/')
    const crawler = createTestCrawler(db, { retryDelaysMs: [3_600_000] })
    await enqueueUrls(db, [url])
    for (let n = 1; n <= 3; n += 1) await crawler.crawlNow(url, 'key 1', free)
    expect(await readRow(db, url)).toMatchObject({ state: 'pending', attempts: 0 })
  })

  it('a failure of a URL that nothing else has named starts no retries; they begin when a cast embeds it', async () => {
    let isUp = false
    const site = await serveSite((req, res) => (isUp ? servePage(req, res) : res.writeHead(404).end()))
    const url = site.url('a.social', '/')
    const crawler = createTestCrawler(db)
    for (let n = 1; n <= 2; n += 1) {
      await crawler.crawlNow(url, 'key 1', free)
      expect(await readRow(db, url)).toMatchObject({ state: 'failed', attempts: 0, failure: 'status 404' })
    }
    await crawler.drain()
    expect(site.visits).toHaveLength(2)
    isUp = true
    await enqueueUrls(db, [url])
    expect(await readRow(db, url)).toMatchObject({ state: 'pending' })
    await crawler.drain()
    expect(await readRow(db, url)).toMatchObject({ state: 'done', title: '/' })
  })

  it('a URL that a cast embeds while it is crawled on demand is retried', async () => {
    const site = await serveSite((_, res) => void enqueueUrls(db, [url]).then(() => res.writeHead(404).end()))
    const url = site.url('a.social', '/')
    await createTestCrawler(db, { retryDelaysMs: [3_600_000] }).crawlNow(url, 'key 1', free)
    expect(await readRow(db, url)).toMatchObject({ state: 'pending', attempts: 0, isLeased: false })
  })

  it('what is found of a URL is there for the cast that embeds it afterwards', async () => {
    const site = await serveSite()
    const url = site.url('a.social', '/')
    const crawler = createTestCrawler(db)
    await crawler.crawlNow(url, 'key 1', free)
    await enqueueUrls(db, [url])
    await crawler.drain()
    expect(site.visits).toHaveLength(1)
    expect(await readRow(db, url)).toMatchObject({ state: 'done', title: '/' })
  })

  it('URLs that nothing else has named are forgotten a week after the last request', async () => {
    const site = await serveSite()
    const crawler = createTestCrawler(db)
    const [old, again, recent, cast] = ['/old', '/again', '/recent', '/cast'].map((path) =>
      site.url('a.social', path),
    ) as [string, string, string, string]
    for (const url of [old, again, cast]) await crawler.crawlNow(url, 'key 1', free)
    await db`update embeds.urls set requested_at = now() - interval '8 days'`
    await crawler.crawlNow(recent, 'key 1', free)
    await crawler.crawlNow(again, 'key 1', free)
    await enqueueUrls(db, [cast])
    await deleteRequestedUrls(db)
    const kept = await db<{ url: string }[]>`select url from embeds.urls order by url`
    expect(kept.map(({ url }) => url)).toEqual([again, cast, recent])
  })
})

it('while another process claims URLs, a request tries again and does not wait with a connection', async () => {
  const claim = () => claimUrl(db, 'https://b.social/', 'b.social', 60_000)
  const lock = await holdTransaction(connect({ poolSize: 1 }), async (sql) => {
    await sql`select pg_advisory_xact_lock(${0x656d626564}::bigint)`
  })
  expect(await claim()).toBeNull()
  await lock.release()
  expect(await claim()).toMatchObject({ url: 'https://b.social/', isOnDemand: true })
})
