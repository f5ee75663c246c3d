import type { Registry } from 'prom-client'
import type { Hub } from '../../hub/hub.js'
import { readAddresses, readHeaders, type UpstreamSettings } from '../../hub/sync/client/upstream-address.js'
import { openUpstreams, type Upstreams } from '../../hub/sync/client/upstreams.js'
import { startFollowing } from '../../hub/sync/follow/follow.js'
import { reconcileForEver } from '../../hub/sync/reconcile/reconcile-loop.js'
import { FollowedUsers, type SubsetSettings } from '../../hub/sync/subset/followed-users.js'
import { everybody } from '../../hub/sync/subset/selection.js'
import { upstreamDoor } from '../../hub/sync/upstream-door.js'
import { meteredWatch } from '../../hub/sync/upstream-watch.js'
import { connect } from '../../platform/db/connection.js'
import type { Log } from '../../platform/log/log.js'
import type { Config } from '../config/config.js'

/** What following an upstream stands on. */
export interface UpstreamParts {
  readonly url: string
  readonly hub: Hub
  readonly registry: Registry
  readonly log: Log
}

/** The connection of the lock, those that write down how far each shard is, and those that compare users. */
const POOL_SIZE = 6
const POOL_END_SECONDS = 5

/** What the configuration says of upstreams; null when it names none. */
function upstreamSettings(config: Config): UpstreamSettings | null {
  if (config.upstreamHub === undefined) return null
  return {
    addresses: readAddresses(config.upstreamHub),
    tls: config.upstreamTls,
    headers: readHeaders(config.upstreamHeaders ?? ''),
    trusted: config.upstreamTrusted,
  }
}

/** Which part of the network the configuration asks for; null for all of it. */
function subsetSettings({ followFids, followChannels, followNeighbours }: Config): SubsetSettings | null {
  if (followFids === undefined && followChannels === undefined) return null
  return {
    fids: (followFids ?? '').split(',').filter(Boolean).map(Number),
    channelUrls: (followChannels ?? '').split(',').filter(Boolean).flatMap(channelUrls),
    neighbours: followNeighbours,
  }
}

/** The parent URLs of a channel: what is none itself is an id, of which there are two forms (docs/protocol.md §7.1). */
function channelUrls(text: string): string[] {
  const channel = text.trim()
  if (channel.includes('://')) return [channel]
  return ['farcaster.xyz', 'warpcast.com'].map((host) => `https://${host}/~/channel/${channel}`)
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
  const upstreams = openUpstreams(settings, { onWaiting })
  return { upstreams, trusted: settings.trusted, subset: subsetSettings(config) }
}

/**
 * Follows the upstream of the configuration, if there is one.
 *
 * @returns ends it: what has come is merged first.
 */
export async function openUpstream(
  config: Config,
  { url, hub, registry, log }: UpstreamParts,
): Promise<() => Promise<void>> {
  const settings = upstreamSettings(config)
  if (settings === null) return async () => {}
  const db = connect(url, { poolSize: POOL_SIZE, applicationName: 'plaza upstream' })
  const upstreams = openUpstreams(settings)
  const watch = meteredWatch(registry, Date.now)
  const subset = subsetSettings(config)
  const followed = subset === null ? null : await FollowedUsers.open(db, subset)
  const stop = startFollowing({
    db,
    upstreams,
    hub: upstreamDoor(hub, { trusted: settings.trusted, admitted: false }),
    selection: followed ?? everybody,
    log,
    watch,
    clock: Date.now,
    beside: async (signal) => {
      const comparing = reconcileForEver({
        db,
        upstreams,
        hub,
        trusted: settings.trusted,
        extra: 'keep',
        fidsPerMinute: config.reconcileFidsPerMinute,
        isSubset: followed !== null,
        signal,
        log,
        watch,
      })
      await Promise.all([comparing, followed?.keepUp(signal, log)])
    },
  })
  return async () => {
    await stop()
    upstreams.close()
    await db.end({ timeout: POOL_END_SECONDS })
  }
}
