import { setImmediate } from 'node:timers/promises'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { enqueueUrls, requeueUrl, urlInserts } from '../../graph/project/embed-queue.js'
import type { Transaction } from '../../platform/db/connection.js'
import { inPipeline } from '../../platform/db/pipeline.js'
import { silentLog } from '../../platform/log/log.js'
import { createNetClient } from '../../platform/outbound/net-client.js'
import { claimDue, storeResult } from './queue.js'
import { createTestCrawler, free, servePage, serveSite } from './testing/crawl-site.js'
import { readRow } from './testing/queue-row.js'
import { metadataOf } from './testing/stored-metadata.js'

const { db, connect } = await createTestDatabase()
beforeEach(async () => {
  await db`truncate embeds.urls`
})

const rowOf = (url: string) => readRow(db, url)

async function makeDue(): Promise<void> {
  await db`update embeds.urls set next_attempt_at = now() - interval '1 second'`
}

describe('crawler', () => {
  it('visits each URL once, however often it is embedded', async () => {
    const site = await serveSite()
    const urls = [site.url('a.social', '/1'), site.url('a.social', '/2'), site.url('b.social', '/1')]
    const crawler = createTestCrawler(db)
    await enqueueUrls(db, [...urls, ...urls])
    await crawler.drain()
    await enqueueUrls(db, urls)
    await makeDue()
    await crawler.drain()
    expect(site.visits.sort()).toEqual(['a.social/1', 'a.social/2', 'b.social/1'])
    expect(await rowOf(urls[0]!)).toMatchObject({
      state: 'done',
      kind: 'text/html',
      title: '/1',
      isLeased: false,
    })
  })

  it('sends one request at a time per host, in parallel across hosts', async () => {
    const hosts = ['a.social', 'b.social', 'c.social']
    const waiting: (() => void)[] = []
    // Each host answers its first request only when all hosts have one.
    const site = await serveSite((req, res) => {
      waiting.push(() => servePage(req, res))
      if (site.visits.length >= hosts.length) for (const go of waiting.splice(0)) go()
    })
    await enqueueUrls(
      db,
      hosts.flatMap((host) => [1, 2, 3, 4].map((n) => site.url(host, `/${n}`))),
    )
    await createTestCrawler(db).drain()
    expect(site.visits).toHaveLength(12)
    expect(site.most).toEqual({ maxPerHost: 1, maxOverall: 3 })
  })

  it('several crawlers share the queue without duplicate visits', async () => {
    const site = await serveSite((req, res) => setTimeout(() => servePage(req, res), 5))
    const urls = ['a.social', 'b.social', 'c.social', 'd.social'].flatMap((host) =>
      Array.from({ length: 10 }, (_, n) => site.url(host, `/${n}`)),
    )
    await enqueueUrls(db, urls)
    const crawlers = [1, 2, 3].map(() => createTestCrawler(connect(), { concurrency: 3 }))
    for (const crawler of crawlers) crawler.start()
    await vi.waitFor(async () => expect((await metadataOf(db, urls)).size).toBe(urls.length), {
      timeout: 300_000,
    })
    await vi.waitFor(
      async () => {
        const stored = [...(await metadataOf(db, urls)).values()]
        expect(stored.every(({ metadata }) => metadata?._status === 'RESOLVED')).toBe(true)
      },
      { timeout: 300_000, interval: 50 },
    )
    expect(new Set(site.visits).size).toBe(urls.length)
    expect(site.visits).toHaveLength(urls.length)
    expect(site.most.maxPerHost).toBe(1)
  })

  it('respects its concurrency', async () => {
    const waiting: (() => void)[] = []
    // The first request is answered only when there is a second one.
    const site = await serveSite((req, res) => {
      waiting.push(() => servePage(req, res))
      if (site.visits.length >= 2) for (const go of waiting.splice(0)) setTimeout(go, 10)
    })
    await enqueueUrls(
      db,
      Array.from({ length: 10 }, (_, n) => site.url(`host${n}.social`, '/')),
    )
    await createTestCrawler(db, { concurrency: 2 }).drain()
    expect(site.visits).toHaveLength(10)
    expect(site.most.maxOverall).toBe(2)
  })

  it('a host with many URLs does not delay other hosts', async () => {
    const site = await serveSite()
    const many = Array.from({ length: 20 }, (_, n) => site.url('a.social', `/${n}`))
    await enqueueUrls(db, [...many, site.url('b.social', '/'), site.url('c.social', '/')])
    await createTestCrawler(db, { concurrency: 1 }).drain()
    expect(site.visits.indexOf('b.social/')).toBe(1)
    expect(site.visits.indexOf('c.social/')).toBe(2)
    expect(site.visits).toHaveLength(22)
  })

  it('drain: a visit that ends during a poll does not end it early', async () => {
    let answer = () => {}
    const site = await serveSite((req, res, host) => {
      if (host === 'b.social' && site.visits.length <= 2) answer = () => servePage(req, res)
      else servePage(req, res)
    })
    await enqueueUrls(db, [site.url('a.social', '/'), site.url('b.social', '/1'), site.url('b.social', '/2')])
    let isStored = () => {}
    const stored = new Promise<void>((resolve) => {
      isStored = resolve
    })
    let transactions = 0
    // The first transaction claims both hosts, the second stores a result, the third polls.
    const begin = async (work: (transaction: Transaction) => Promise<unknown>) => {
      transactions += 1
      const number = transactions
      const result = await db.begin(work)
      if (number === 3) {
        answer()
        await stored
        await setImmediate()
      }
      if (number === 4) isStored()
      return result
    }
    const late = new Proxy(db, {
      get: (target, name) => (name === 'begin' ? begin : Reflect.get(target, name)),
    })
    await createTestCrawler(late).drain()
    expect(site.visits.toSorted()).toEqual(['a.social/', 'b.social/1', 'b.social/2'])
  })

  it('visits the most recent embeds first', async () => {
    const site = await serveSite()
    for (const n of [2, 3, 1]) {
      await enqueueUrls(db, [site.url('a.social', `/${n}`)])
      await db`update embeds.urls set next_attempt_at = next_attempt_at - interval '1 minute'`
    }
    await createTestCrawler(db).drain()
    expect(site.visits).toEqual(['a.social/1', 'a.social/3', 'a.social/2'])
  })

  it('finds new URLs while running, even if another host hangs', async () => {
    const site = await serveSite((req, res, host) => {
      if (host !== 'mute.social') servePage(req, res)
    })
    const crawler = createTestCrawler(db, { concurrency: 2 })
    crawler.start()
    await enqueueUrls(db, [site.url('mute.social', '/')])
    for (const n of [1, 2, 3]) {
      const url = site.url('a.social', `/${n}`)
      await enqueueUrls(db, [url])
      await vi.waitFor(async () => expect((await rowOf(url)).state).toBe('done'), { timeout: 300_000 })
    }
    expect(await rowOf(site.url('mute.social', '/'))).toMatchObject({ state: 'pending', isLeased: true })
  })

  it('a database that is away: one line of the log says so, and one that it is back', async () => {
    const lines: string[] = []
    const note = (_fields: object, text: string) => lines.push(text)
    let attempts = 0
    const begin: typeof db.begin = async (work: never) => {
      attempts += 1
      if (attempts <= 3) throw new Error('away')
      return await db.begin(work)
    }
    const failing = new Proxy(db, {
      get: (target, name) => (name === 'begin' ? begin : Reflect.get(target, name)),
    })
    createTestCrawler(failing, { log: { ...silentLog, error: note, info: note }, pollMs: 1 }).start()
    await expect.poll(() => attempts).toBeGreaterThan(5)
    expect(lines).toEqual(['crawl queue poll failed: it is repeated', 'the crawl queue is polled again'])
  })

  it('stop: aborts requests and releases claims', async () => {
    const site = await serveSite((req, res) => {
      if (site.visits.length > 1) servePage(req, res)
    })
    const url = site.url('a.social', '/')
    await enqueueUrls(db, [url])
    const crawler = createTestCrawler(db)
    crawler.start()
    await vi.waitFor(() => expect(site.visits).toHaveLength(1), { timeout: 300_000 })
    await crawler.stop()
    expect(await rowOf(url)).toMatchObject({ state: 'pending', attempts: 0, isLeased: false, failure: null })
    await createTestCrawler(db).drain()
    expect(await rowOf(url)).toMatchObject({ state: 'done' })
  })
})

describe('a failed crawl', () => {
  it('is retried on schedule, then given up', async () => {
    const site = await serveSite((_, res) => res.writeHead(503).end())
    const url = site.url('a.social', '/cat.png')
    await enqueueUrls(db, [url])
    const crawler = createTestCrawler(db, { retryDelaysMs: [600_000, 3_600_000] })
    await crawler.drain()
    expect(await rowOf(url)).toMatchObject({ state: 'pending', attempts: 1, failure: 'status 503' })
    expect((await rowOf(url)).dueInSeconds).toBeCloseTo(600, -2)
    await crawler.drain()
    expect(site.visits).toHaveLength(1)
    await makeDue()
    await crawler.drain()
    expect((await rowOf(url)).dueInSeconds).toBeCloseTo(3_600, -2)
    await makeDue()
    await crawler.drain()
    expect(await rowOf(url)).toMatchObject({ state: 'failed', attempts: 3, kind: 'image/png' })
    await makeDue()
    await crawler.drain()
    expect(site.visits).toHaveLength(3)
    expect((await metadataOf(db, [url])).get(url)).toEqual({
      kind: 'image/png',
      metadata: { _status: 'FAILED', content_type: null, content_length: null },
    })
  })

  it('is retried after Retry-After when that is later', async () => {
    const site = await serveSite((_, res) => res.writeHead(429, { 'retry-after': '7200' }).end())
    const url = site.url('a.social', '/')
    await enqueueUrls(db, [url])
    await createTestCrawler(db, { retryDelaysMs: [1_000] }).drain()
    expect((await rowOf(url)).dueInSeconds).toBeCloseTo(7_200, -2)
  })

  it('of a name that does not exist is given up after three attempts', async () => {
    const client = createNetClient({
      policy: { allowHttp: true, allowLoopback: true },
      userAgent: 'plaza test',
      resolve: async () => [],
    })
    onTestFinished(() => client.close())
    const crawler = createTestCrawler(db, { client })
    const url = 'https://made-up.social/'
    await enqueueUrls(db, [url])
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await makeDue()
      await crawler.drain()
      const state = attempt < 3 ? 'pending' : 'failed'
      expect(await rowOf(url)).toMatchObject({ state, attempts: attempt })
    }
    expect((await rowOf(url)).failure).toContain('unknown-host')
  })

  it('is given up at once for a permanent failure', async () => {
    const site = await serveSite((_, res) => res.writeHead(400).end())
    const urls = [site.url('a.social', '/'), 'http://10.0.0.1/', 'http://user:secret@b.social/']
    await enqueueUrls(db, urls)
    await createTestCrawler(db).drain()
    const rows = await Promise.all(urls.map(rowOf))
    expect(rows.map(({ state }) => state)).toEqual(['failed', 'failed', 'failed'])
    expect(rows[1]?.failure).toContain('forbidden-address')
    expect(rows[2]?.failure).not.toContain('secret')
    expect(site.visits).toHaveLength(1)
  })
})

describe('a new cast with a URL that was given up', () => {
  const pauseHours = async (url: string) => Math.round((await rowOf(url)).dueInSeconds / 3_600)

  it('has it crawled again after a pause that doubles up to a week', async () => {
    const site = await serveSite((_, res) => res.writeHead(400).end())
    const url = site.url('a.social', '/')
    const crawler = createTestCrawler(db)
    const pauses: number[] = []
    for (let round = 1; round <= 10; round += 1) {
      await enqueueUrls(db, [url])
      await crawler.drain()
      expect(site.visits).toHaveLength(round)
      pauses.push(await pauseHours(url))
      // The casts of the pause change nothing.
      await enqueueUrls(db, [url])
      expect(await rowOf(url)).toMatchObject({ state: 'failed', attempts: 1 })
      await makeDue()
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 168, 168])
  })

  it('shows it as pending, then its result, which begins the pauses anew', async () => {
    let isUp = false
    const site = await serveSite((req, res) => (isUp ? servePage(req, res) : res.writeHead(400).end()))
    const url = site.url('a.social', '/')
    const status = async () => (await metadataOf(db, [url])).get(url)?.metadata?._status
    const crawler = createTestCrawler(db, { retryDelaysMs: [] })
    await enqueueUrls(db, [url])
    await crawler.drain()
    await makeDue()
    await Promise.all([enqueueUrls(db, [url]), enqueueUrls(connect(), [url])])
    expect([await status(), await rowOf(url)]).toMatchObject(['PENDING', { state: 'pending', attempts: 0 }])
    isUp = true
    await crawler.drain()
    expect([await status(), await rowOf(url)]).toMatchObject(['RESOLVED', { state: 'done', title: '/' }])
    expect(await db`select failed_rounds from embeds.urls`).toEqual([{ failed_rounds: 0 }])
  })

  it('is not crawled again for an old cast, as those of a replay', async () => {
    const site = await serveSite((_, res) => res.writeHead(400).end())
    const url = site.url('a.social', '/')
    const crawler = createTestCrawler(db)
    await enqueueUrls(db, [url])
    await crawler.drain()
    await makeDue()
    const [row] = await db<{ now: number }[]>`select floor(extract(epoch from now()))::bigint as now`
    await inPipeline(urlInserts(db, new Map([[url, row!.now - 90_000]])))
    expect(await rowOf(url)).toMatchObject({ state: 'failed' })
    await inPipeline(urlInserts(db, new Map([[url, row!.now - 3_600]])))
    expect(await rowOf(url)).toMatchObject({ state: 'pending' })
  })

  it('finds the pause as it is after crawls on demand', async () => {
    const site = await serveSite((_, res) => res.writeHead(400).end())
    const url = site.url('a.social', '/')
    const crawler = createTestCrawler(db)
    await enqueueUrls(db, [url])
    await crawler.drain()
    for (let n = 1; n <= 3; n += 1) await crawler.crawlNow(url, 'key 1', free)
    expect(await pauseHours(url)).toBe(1)
  })
})

describe('a URL that is queued again', () => {
  it('keeps its result until the next one, also where all attempts fail', async () => {
    let status = 200
    const site = await serveSite((req, res) =>
      status === 200 ? servePage(req, res) : res.writeHead(status).end(),
    )
    const url = site.url('a.social', '/')
    const crawler = createTestCrawler(db, { retryDelaysMs: [60_000] })
    await enqueueUrls(db, [url])
    await crawler.drain()
    await requeueUrl(db, url)
    expect(await rowOf(url)).toMatchObject({ state: 'done' })
    await db`update embeds.urls set crawled_at = now() - interval '1 day'`
    await requeueUrl(db, url)
    status = 503
    for (const state of ['pending', 'done']) {
      await crawler.drain()
      expect(await rowOf(url)).toMatchObject({ state, title: '/', failure: 'status 503' })
      await makeDue()
    }
    status = 200
    await requeueUrl(db, url)
    await crawler.drain()
    expect(site.visits).toHaveLength(4)
    expect(await rowOf(url)).toMatchObject({ state: 'done', title: '/', failure: null, attempts: 0 })
  })
})

describe('a crashed process', () => {
  it('blocks its host until the lease ends, and its late result is ignored', async () => {
    const site = await serveSite()
    const [held, other] = [site.url('a.social', '/held'), site.url('a.social', '/other')]
    await enqueueUrls(db, [held])
    const [dead] = await claimDue(db, { count: 1, leaseMs: 60_000, after: '' })
    await enqueueUrls(db, [other])
    const crawler = createTestCrawler(db)
    await crawler.drain()
    expect(site.visits).toEqual([])

    await db`update embeds.urls set next_attempt_at = now() where lease is not null`
    await crawler.drain()
    expect(site.visits.sort()).toEqual(['a.social/held', 'a.social/other'])
    const late = { _status: 'RESOLVED', content_type: 'too/late', content_length: null } as const
    await storeResult(db, dead!, { metadata: late, kind: null })
    expect(await rowOf(held)).toMatchObject({ state: 'done', kind: 'text/html', attempts: 0 })
  })

  it('a result that cannot be stored does not affect others', async () => {
    const site = await serveSite()
    const url = site.url('a.social', '/')
    await enqueueUrls(db, [url])
    for (let death = 1; death <= 2; death += 1) {
      await claimDue(db, { count: 1, leaseMs: 60_000, after: '' })
      await makeDue()
    }
    await createTestCrawler(db, { retryDelaysMs: [0] }).drain()
    expect(await rowOf(url)).toMatchObject({ state: 'failed', failure: 'every attempt was broken off' })
    expect(site.visits).toEqual([])
  })
})

describe('onCrawled', () => {
  it('gets the kind in the transaction of the result', async () => {
    const site = await serveSite()
    const url = site.url('a.social', '/cat.png')
    const calls: unknown[] = []
    await enqueueUrls(db, [url])
    await createTestCrawler(db, {
      onCrawled: async (tx, ...what) => {
        const [row] = await tx<{ state: string }[]>`select state from embeds.urls where url = ${url}`
        calls.push([row?.state, ...what])
      },
    }).drain()
    expect(calls).toEqual([['done', url, 'text/html']])
  })

  it('is called for a given-up URL, not for one to retry', async () => {
    const site = await serveSite((_, res) => res.writeHead(503).end())
    const calls: unknown[] = []
    const url = site.url('a.social', '/cat.png')
    await enqueueUrls(db, [url])
    const crawler = createTestCrawler(db, {
      retryDelaysMs: [60_000],
      onCrawled: async (_tx, ...what) => void calls.push(what),
    })
    await crawler.drain()
    expect(calls).toEqual([])
    await makeDue()
    await crawler.drain()
    expect(calls).toEqual([[url, 'image/png']])
  })

  it('is called when a given-up URL waits again, as its metadata is pending again', async () => {
    let status = 400
    const site = await serveSite((_, res) => res.writeHead(status).end())
    const calls: unknown[] = []
    const url = site.url('a.social', '/cat.png')
    await enqueueUrls(db, [url])
    const crawler = createTestCrawler(db, {
      retryDelaysMs: [60_000],
      onCrawled: async (tx, ...what) => {
        calls.push([(await metadataOf(tx, [url])).get(url)?.metadata?._status, ...what])
      },
    })
    await crawler.drain()
    status = 503
    for (let n = 1; n <= 2; n += 1) await crawler.crawlNow(url, 'key 1', free)
    expect(calls).toEqual([
      ['FAILED', url, 'image/png'],
      ['PENDING', url, 'image/png'],
    ])
  })

  it('an exception leaves the URL for another attempt, and the log has no query of it', async () => {
    const site = await serveSite()
    const url = site.url('a.social', '/?token=hunter2')
    await enqueueUrls(db, [url])
    const error = vi.fn()
    await createTestCrawler(db, {
      log: { ...silentLog, error },
      onCrawled: () => Promise.reject(new Error('refused by the test')),
    }).drain()
    expect(error).toHaveBeenCalledExactlyOnceWith(
      { err: expect.any(Error), host: 'a.social' },
      'crawling an embedded URL failed',
    )
    expect(await rowOf(url)).toMatchObject({ state: 'pending', isLeased: true })
  })
})
