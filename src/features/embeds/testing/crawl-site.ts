import type { IncomingMessage, ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import type { Database } from '../../../platform/db/connection.js'
import { silentLog } from '../../../platform/log/log.js'
import { createNetClient } from '../../../platform/outbound/net-client.js'
import { serveHttp } from '../../../platform/outbound/testing/loopback-server.js'
import { Crawler, type CrawlerOptions } from '../crawler.js'

/** Many hosts on one loopback server that records requests. */
export interface CrawlSite {
  /** URL of a path on one of its hosts. */
  url(host: string, path: string): string
  /** `host/path` of each request, in order. */
  readonly visits: string[]
  /** Most concurrent requests: to one host, and overall. */
  readonly most: { maxPerHost: number; maxOverall: number }
}

type Answer = (req: IncomingMessage, res: ServerResponse, host: string) => void

/** Serves a page whose title is its path, unless given another answer. */
export async function serveSite(answer: Answer = servePage): Promise<CrawlSite> {
  const visits: string[] = []
  const most = { maxPerHost: 0, maxOverall: 0 }
  const underWay = new Map<string, number>()
  const { port } = await serveHttp((req, res) => {
    const host = (req.headers.host ?? '').replace(/:\d+$/, '')
    visits.push(`${host}${req.url}`)
    underWay.set(host, (underWay.get(host) ?? 0) + 1)
    res.on('close', () => underWay.set(host, (underWay.get(host) ?? 0) - 1))
    const counts = [...underWay.values()]
    most.maxPerHost = Math.max(most.maxPerHost, ...counts)
    most.maxOverall = Math.max(
      most.maxOverall,
      counts.reduce((sum, count) => sum + count, 0),
    )
    answer(req, res, host)
  })
  return { url: (host, path) => `http://${host}:${port}${path}`, visits, most }
}

/** Answers with an HTML page whose title is the path. */
export function servePage(req: IncomingMessage, res: ServerResponse): void {
  res.writeHead(200, { 'content-type': 'text/html' }).end(`<title>${req.url}</title>`)
}

/** Charges nobody. */
export const free = async () => {}

/** Creates a crawler that resolves every name to loopback. It stops with the test. */
export function createTestCrawler(db: Database, options: Partial<CrawlerOptions> = {}): Crawler {
  const client = createNetClient({
    policy: { allowHttp: true, allowLoopback: true },
    userAgent: 'plaza test',
    resolve: async () => ['127.0.0.1'],
  })
  const crawler = new Crawler({ db, client, log: silentLog, pollMs: 20, ...options })
  onTestFinished(async () => {
    await crawler.stop()
    await client.close()
  })
  return crawler
}
