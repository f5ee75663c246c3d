import {
  openUpstreams,
  readHeaders,
  type UpstreamSettings,
  type Upstreams,
} from '../../hub/sync/client/upstreams.js'
import { startSync } from '../../hub/sync/follow/sync-loop.js'
import { publishLoop } from '../../hub/sync/publish/publish-loop.js'
import { createPublishMetrics, observeOutgoing } from '../../hub/sync/publish/publish-metrics.js'
import { reconcileLoop } from '../../hub/sync/reconcile/reconcile-loop.js'
import { allUsers, SelectedUsers, type SubsetSettings } from '../../hub/sync/subset/selected-users.js'
import { createUpstreamMetrics } from '../../hub/sync/upstream-metrics.js'
import { channelParentUrls } from '../../protocol/channel-uri.js'
import type { Config } from '../config/config.js'
import type { Module, ServerApp } from '../module.js'
import { upstreamAddresses } from '../upstream-addresses.js'

/** Returns the settings of upstreams; null without one. */
function upstreamSettings(config: Config): UpstreamSettings | null {
  const addresses = upstreamAddresses(config)
  if (addresses.length === 0) return null
  return {
    addresses,
    tls: config.upstreamTls,
    headers: readHeaders(config.upstreamHeaders ?? ''),
    trusted: config.upstreamTrusted,
  }
}

/** Returns the configured part of the network; null for all of it. */
function subsetSettings({
  syncFids,
  syncChannels,
  syncIncludeNeighbors: includeNeighbors,
}: Config): SubsetSettings | null {
  if (syncFids === undefined && syncChannels === undefined) return null
  return {
    fids: (syncFids ?? '').split(',').filter(Boolean).map(Number),
    channelUrls: (syncChannels ?? '').split(',').filter(Boolean).flatMap(channelUrls),
    includeNeighbors,
  }
}

/** The parent URLs of a channel: what is none itself is an id, of which there are two forms (docs/protocol.md §7.1). */
function channelUrls(text: string): string[] {
  const channel = text.trim()
  if (channel.includes('://')) return [channel]
  return [...channelParentUrls(channel)]
}

/**
 * The upstreams of the configuration, for a command.
 *
 * @param onWaiting Told of each reason for which an answer has to be waited for.
 * @throws Error when it names none.
 */
export function openCommandUpstreams(
  config: Config,
  onWaiting: (failure: Error) => void,
): {
  readonly upstreams: Upstreams
  readonly trusted: boolean
  readonly subset: SubsetSettings | null
} {
  const settings = upstreamSettings(config)
  if (settings === null) throw new Error('there is no upstream: set UPSTREAM_HUB')
  const upstreams = openUpstreams(settings, { onRetry: onWaiting })
  return { upstreams, trusted: settings.trusted, subset: subsetSettings(config) }
}

/**
 * Merges what an upstream hub has, as it comes, compares users with it, and sends what is published here, if the operator
 * wants it. One process at a time does.
 */
export const syncModule: Module = {
  name: 'sync',
  runsIn: ['sync'],
  observe({ config, metrics, connections }) {
    if (config.publishUpstream) observeOutgoing(metrics.registry, connections.read)
  },
  async start(app) {
    const { config, connections, hub, metrics, log, clock } = app
    const settings = upstreamSettings(config)
    if (settings === null) return {}
    const db = connections.sync
    const upstreams = openUpstreams(settings)
    const syncMetrics = createUpstreamMetrics(metrics.registry, {
      db: connections.read,
      addresses: settings.addresses,
      clock,
    })
    const subset = subsetSettings(config)
    const selected = subset === null ? null : await SelectedUsers.open(db, subset)
    const selection = selected ?? allUsers
    const publishing = openPublishing(app, settings)
    const stop = startSync({
      db,
      upstreams,
      hub,
      trusted: settings.trusted,
      selection,
      log,
      metrics: syncMetrics,
      clock,
      background: async (signal) => {
        const comparing = reconcileLoop({
          db,
          upstreams,
          hub,
          trusted: settings.trusted,
          extra: 'keep',
          fidsPerMinute: config.reconcileFidsPerMinute,
          selection,
          signal,
          log,
          metrics: syncMetrics,
        })
        const watching = selected?.watchChanges({ listen: connections.listener.listen, signal, log })
        await Promise.all([comparing, watching, publishing?.run(signal)])
      },
    })
    return {
      async stop() {
        await stop()
        upstreams.close()
        publishing?.close()
      },
    }
  },
}

/** Sending to the upstream; null if the operator does not want it. */
function openPublishing({ config, connections, metrics, log }: ServerApp, settings: UpstreamSettings) {
  if (!config.publishUpstream) {
    const variable = 'PUBLISH_UPSTREAM'
    log.info(
      { variable },
      'what is published here stays here: set PUBLISH_UPSTREAM=true to send it to the upstream',
    )
    return null
  }
  // Its own connections: a node that takes no messages may still be followed.
  const upstreams = openUpstreams(settings)
  const count = createPublishMetrics(metrics.registry)
  const { sync: db, listener } = connections
  return {
    run: (signal: AbortSignal) =>
      publishLoop({
        ...{ db, upstreams, listen: listener.listen, log, count, signal },
        // The waits of users end also when the clock goes back.
        clock: () => performance.now(),
      }),
    close: () => upstreams.close(),
  }
}
