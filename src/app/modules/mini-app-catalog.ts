import { refreshManifests } from '../../features/miniapps/catalog/manifest-reader.js'
import { refreshTrends } from '../../features/miniapps/catalog/trends.js'
import { createNetClient } from '../../platform/outbound/net-client.js'
import { version } from '../../platform/process/version.js'
import type { Module } from '../module.js'
import { otherAppsTargetPolicy } from '../target-policies.js'

/** New domains should be listed soon; each run reads a few, and each manifest is read once a day. */
const MANIFESTS_INTERVAL_MS = 5_000
const TRENDS_INTERVAL_MS = 5 * 60_000

/** The catalog of mini apps: a worker reads manifests and counts who shares them, unless `CRAWL_EMBEDS` is off. */
export const miniAppCatalogModule: Module = {
  name: 'mini app catalog',
  runsIn: ['worker'],
  start({ config, connections, clock }) {
    if (!config.crawlEmbeds) return {}
    const db = connections.work
    const targetPolicy = otherAppsTargetPolicy(config)
    const net = createNetClient({ policy: targetPolicy, userAgent: `plaza/${version} (mini apps)` })
    return {
      jobs: [
        {
          name: 'manifests of mini apps',
          everyMs: MANIFESTS_INTERVAL_MS,
          run: () => refreshManifests({ db, net, targetPolicy }),
        },
        {
          name: 'trends of mini apps',
          everyMs: TRENDS_INTERVAL_MS,
          run: () => refreshTrends(db, clock()),
        },
      ],
      stop: net.close,
    }
  },
}
