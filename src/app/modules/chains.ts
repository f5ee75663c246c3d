import { randomUUID } from 'node:crypto'
import { createChainMetrics } from '../../hub/chain/chain-metrics.js'
import { ChainRpc } from '../../hub/chain/chain-rpc.js'
import { type ChainSettings, readChainSettings } from '../../hub/chain/chain-settings.js'
import { type ChainName, chainNames } from '../../hub/chain/chains.js'
import { channelHandler } from '../../hub/chain/channel-handler.js'
import {
  ChainFollower,
  type FollowingOptions,
  type LogHandler,
  startFollowing,
} from '../../hub/chain/follower.js'
import { createHeadAge } from '../../hub/chain/head-age.js'
import { registryHandler } from '../../hub/chain/registry-handler.js'
import type { Config } from '../config/config.js'
import type { Module, OpenChains, ServerApp } from '../module.js'

/** Returns the settings of chains; none without RPC URLs. */
export function chainSettings(config: Config): ChainSettings {
  return readChainSettings({
    rpcUrls: Object.fromEntries(chainNames.map((name) => [name, config[configKey(name)]])),
    ids: config.chainIds,
    contracts: config.chainContracts,
    confirmations: config.chainConfirmations,
    firstBlock: config.chainFirstBlock,
  })
}

/** Returns the setting of `CHAIN_<NAME>_RPC_URLS`. */
function configKey(name: ChainName): `chain${Capitalize<ChainName>}RpcUrls` {
  return `chain${`${name[0]!.toUpperCase()}${name.slice(1)}` as Capitalize<ChainName>}RpcUrls`
}

/**
 * The chains that are set up. Every role may ask their RPC endpoints; a process that syncs follows their registries for
 * the hub. Without RPC URLs nothing of this starts.
 */
export const chainsModule: Module = {
  name: 'chains',
  runsIn: ['api', 'worker', 'sync'],
  start(app) {
    const settings = chainSettings(app.config)
    if (settings.chains.size === 0) return { services: { chains: null } }
    const { chains, stop } = openChains(app, settings)
    return { services: { chains }, stop }
  },
}

function openChains(
  { config, roles, connections, hub, metrics, log, clock }: ServerApp,
  settings: ChainSettings,
): { readonly chains: OpenChains; readonly stop: () => Promise<void> } {
  const db = connections.sync
  const holder = { id: randomUUID(), locks: connections.locks }
  const counts = createChainMetrics(metrics.registry, connections.read, clock)
  const { onFollow, onProgress, onFailure, onMismatch } = counts
  const monotonic = () => performance.now()
  const onHead = createHeadAge(metrics.registry, log, monotonic)
  // A development chain may have a block for each transaction only.
  const makesBlocks = config.hubNetwork !== 'devnet'
  const rpcs = new Map(
    [...settings.chains].map(([name, chain]) => {
      const options = {
        log,
        clock: monotonic,
        onHead: makesBlocks ? (number: number) => onHead(name, number) : undefined,
        onFailure: (endpoint: string) => onFailure(name, endpoint),
        onMismatch: () => onMismatch(name),
      }
      return [name, new ChainRpc(chain, options)]
    }),
  )
  const stops: (() => Promise<void>)[] = []
  function follow<Extra>(
    rpc: ChainRpc,
    handler: LogHandler<Extra>,
    onWork?: FollowingOptions['onWork'],
  ): void {
    const follower = new ChainFollower(handler, { db, rpc, holder, onProgress })
    onFollow(follower.name)
    stops.push(startFollowing(follower, { pollMs: config.chainPollMs, log, onWork }))
  }
  if (roles.has('sync') && config.chainRegistries) {
    for (const rpc of rpcs.values()) {
      const handler = registryHandler(settings, rpc.chain, { hub, log })
      if (handler !== null) follow(rpc, handler)
      const channels = channelHandler(settings, { hub, rpc, log })
      if (channels !== null) follow(rpc, channels)
    }
  }
  return {
    chains: { settings, rpcs, db, holder, onProgress, follow },
    stop: async () => {
      await Promise.all(stops.map((stop) => stop()))
    },
  }
}
