import { Crawler } from '../../features/embeds/crawler.js'
import { addEmbeddedMiniApp } from '../../features/miniapps/catalog/manifests.js'
import { cacheTag } from '../../graph/cache/cache-tags.js'
import { publishInvalidation } from '../../graph/cache/invalidation.js'
import { createNetClient } from '../../platform/outbound/net-client.js'
import { version } from '../../platform/process/version.js'
import type { Module } from '../module.js'
import { crawlerTargetPolicy } from '../target-policies.js'

/**
 * The crawler of embedded URLs. A worker goes through its queue unless `CRAWL_EMBEDS` is off; the API only crawls what
 * a request names. A stop gives back to the queue what is under way.
 */
export const crawlerModule: Module = {
  name: 'crawler',
  runsIn: ['api', 'worker'],
  start({ config, roles, connections, log }) {
    const client = createNetClient({
      policy: crawlerTargetPolicy(config),
      userAgent: `plaza/${version} (link previews)`,
    })
    const crawler = new Crawler({
      db: connections.work,
      client,
      log,
      onCrawled: async (transaction, url, kind) => {
        await publishInvalidation(transaction, [cacheTag.embeddedUrl(url)])
        if (kind === 'text/html') await addEmbeddedMiniApp(transaction, url)
      },
    })
    if (config.crawlEmbeds && roles.has('worker')) crawler.start()
    return {
      services: { crawler },
      stop: () => crawler.stop().finally(() => client.close()),
    }
  },
}
