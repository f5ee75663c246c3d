import { Crawler } from '../../features/embeds/crawler.js'
import { notifyStaleViews } from '../../graph/cache/cache-follower.js'
import type { Database } from '../../platform/db/connection.js'
import type { Log } from '../../platform/log/log.js'
import { createNetClient, type NetClient } from '../../platform/outbound/net-client.js'
import { version } from '../../platform/process/version.js'
import type { Config } from '../config/config.js'

/** The crawler of embedded URLs, and how to end it. */
export interface OpenCrawler {
  readonly crawler: Crawler
  /** Gives back to the queue what is under way, then ends connections. */
  close(): Promise<void>
}

/**
 * Opens the crawler. It works through the queue unless `CRAWL_EMBEDS` is off, and then still fetches what it is
 * asked for. Views of what it has visited are dropped in every process.
 */
export function openCrawler(config: Config, { db, log }: { db: Database; log: Log }): OpenCrawler {
  const client = openNetClient(config)
  const crawler = new Crawler({
    db,
    client,
    log,
    onCrawled: (transaction, url) => notifyStaleViews(transaction, `url:${url}`),
  })
  if (config.crawlEmbeds) crawler.start()
  return { crawler, close: () => crawler.stop().finally(() => client.close()) }
}

/** The way out to addresses that users name, as far as the configuration lets it go. */
function openNetClient({ allowPrivateTargets }: Config): NetClient {
  return createNetClient({
    policy: { allowHttp: true, allowLoopback: allowPrivateTargets === 'loopback' },
    userAgent: `plaza/${version} (link previews)`,
  })
}
