import type { Registry } from 'prom-client'
import { createChainMetrics } from '../../hub/chain/chain-metrics.js'
import { ChainRpc } from '../../hub/chain/chain-rpc.js'
import { type ChainSettings, readChainSettings } from '../../hub/chain/chain-settings.js'
import { startFollowing } from '../../hub/chain/follow.js'
import { Follower, type LogHandler, type Progress } from '../../hub/chain/follower.js'
import { type NetworkName, networkNames } from '../../hub/chain/networks.js'
import { registryHandler } from '../../hub/chain/registry-handler.js'
import type { Hub } from '../../hub/hub.js'
import { connect, type Database } from '../../platform/db/connection.js'
import type { Log } from '../../platform/log/log.js'
import type { Config } from '../config/config.js'

/** The chains that this server follows. */
export interface OpenChain {
  readonly settings: ChainSettings
  readonly rpcs: ReadonlyMap<NetworkName, ChainRpc>
  /** What followers write with. */
  readonly db: Database
  /** Counts what followers do. */
  readonly onProgress: (progress: Progress) => void
  /** Follows a network's logs for a handler, until the chains are closed. */
  follow<Extra>(rpc: ChainRpc, handler: LogHandler<Extra>): void
  /** Finishes the steps that are under way, then ends the connections. */
  close(): Promise<void>
}

/** What the chains stand on. */
export interface ChainServices {
  readonly url: string
  readonly hub: Pick<Hub, 'submitOnChainEvents'>
  readonly registry: Registry
  readonly log: Log
}

/** Followers wait for their RPCs most of the time. */
const POOL_SIZE = 3
const POOL_END_SECONDS = 5

/** What the operator has set up of chains; nothing, unless there are RPC URLs. */
export function chainSettings(config: Config): ChainSettings {
  return readChainSettings({
    rpcUrls: Object.fromEntries(networkNames.map((name) => [name, config[configKey(name)]])),
    ids: config.chainIds,
    contracts: config.chainContracts,
    confirmations: config.chainConfirmations,
    firstBlock: config.chainFirstBlock,
  })
}

/** Returns the setting of `CHAIN_<NAME>_RPC_URLS`. */
function configKey(name: NetworkName): `chain${Capitalize<NetworkName>}RpcUrls` {
  return `chain${`${name[0]!.toUpperCase()}${name.slice(1)}` as Capitalize<NetworkName>}RpcUrls`
}

/**
 * Opens the chains and follows their registries for the hub.
 *
 * @returns null when no chain is set up: then nothing of this starts.
 */
export function openChain(config: Config, { url, hub, registry, log }: ChainServices): OpenChain | null {
  const settings = chainSettings(config)
  if (settings.networks.size === 0) return null
  const db = connect(url, { poolSize: POOL_SIZE, applicationName: 'plaza chains' })
  const { onProgress, onFailure, onMismatch } = createChainMetrics(registry, db)
  const rpcs = new Map(
    [...settings.networks].map(([name, network]) => {
      const options = {
        log,
        clock: Date.now,
        onFailure: (endpoint: string) => onFailure(name, endpoint),
        onMismatch: () => onMismatch(name),
      }
      return [name, new ChainRpc(network, options)]
    }),
  )
  const stops: (() => Promise<void>)[] = []
  function follow<Extra>(rpc: ChainRpc, handler: LogHandler<Extra>): void {
    const follower = new Follower(handler, { db, rpc, onProgress })
    stops.push(startFollowing(follower, { pollMs: config.chainPollMs, log }))
  }
  for (const rpc of config.chainRegistries ? rpcs.values() : []) {
    const handler = registryHandler(settings, rpc.network, { hub, log })
    if (handler !== null) follow(rpc, handler)
  }
  return {
    settings,
    rpcs,
    db,
    onProgress,
    follow,
    async close() {
      await Promise.all(stops.map((stop) => stop()))
      await db.end({ timeout: POOL_END_SECONDS })
    },
  }
}
