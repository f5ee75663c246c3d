import { createChainClaims } from '../hub/chain-claims/chain-claims.js'
import type { ChainLookups } from '../hub/chain-claims/chain-lookups.js'
import { createHub, type HubOptions } from '../hub/create-hub.js'
import type { Hub } from '../hub/hub.js'
import { createNameLookup } from '../hub/sync/import/name-lookup.js'
import { connect, type Database } from '../platform/db/connection.js'
import { POOL_END_SECONDS } from '../platform/db/pool-end.js'
import { type Log, silentLog } from '../platform/log/log.js'
import { createNetClient } from '../platform/outbound/net-client.js'
import { isThreadBusy } from '../platform/process/thread-load.js'
import { version } from '../platform/process/version.js'
import { bytesOfHex } from '../protocol/bytes.js'
import { MessageType } from '../protocol/definitions.js'
import { createVerifyPool } from '../protocol/verify-pool.js'
import type { Config } from './config/config.js'
import { SPARE_WRITERS } from './connections.js'
import { farcasterNetworks } from './farcaster-networks.js'
import { mergeHooks } from './modules.js'
import { openChainLookups } from './open-lookups.js'
import { otherAppsTargetPolicy } from './target-policies.js'

export interface OpenHubOptions {
  readonly config: Config
  /** Asks chains about names and contract wallets; by default on the endpoints of the configuration. */
  readonly lookups?: ChainLookups
  readonly log?: Log
  /** Pool that the hub writes with. */
  readonly writerDb: Database
  /** Called with the type of every message, and `merged` or the code of the refusal. */
  readonly countMerge?: (type: string, outcome: string) => void
  readonly onCommitted?: HubOptions['onCommitted']
  /** Run after those of the modules, in every merge's transaction. */
  readonly extraHooks?: HubOptions['mergeHooks']
}

/** A hub, and how to end it. */
export interface OpenHub {
  readonly hub: Hub
  /** Finishes what was submitted, then ends the threads. */
  close(): Promise<void>
}

/** Opens the hub on a migrated database, with the merge hooks of all modules. */
export async function openHub(options: OpenHubOptions): Promise<OpenHub> {
  const { config, writerDb, countMerge, onCommitted, extraHooks = [] } = options
  const { lookups = openChainLookups(config), log = silentLog } = options
  const verifyPool = createVerifyPool({ threads: config.verifyThreads })
  const names = openNameLookup(config, lookups, log)
  const closeParts = () => Promise.all([verifyPool.close(), names?.close()])
  try {
    const hub = await createHub({
      db: writerDb,
      verifyPool,
      network: farcasterNetworks[config.hubNetwork],
      shards: config.hubShards,
      clock: Date.now,
      chainClaims: createChainClaims(lookups),
      ...(names && { findName: names.findName }),
      checksSyncedClaims: config.syncCheckClaims,
      publishes: config.publishUpstream,
      isBusy: isThreadBusy,
      mergeHooks: [...mergeHooks, ...extraHooks],
      ...(onCommitted === undefined ? {} : { onCommitted }),
      onOutcome: (type, outcome) => countMerge?.(MessageType[type] ?? 'UNKNOWN', outcome),
    })
    return { hub, close: () => hub.close().finally(closeParts) }
  } catch (error) {
    await closeParts()
    throw error
  }
}

/** Opens the lookups of fnames in the registry of the configuration; undefined if it names none. */
function openNameLookup({ fnameRegistryUrl: url, ...config }: Config, lookups: ChainLookups, log: Log) {
  if (url === undefined) return undefined
  const net = createNetClient({
    policy: otherAppsTargetPolicy(config),
    userAgent: `plaza/${version} (fnames)`,
  })
  const signer = bytesOfHex(config.fnameRegistrySigner)
  const findName = createNameLookup({ net, url, signer, countFor: lookups.countFor, log })
  return { findName, close: () => net.close() }
}

/** A hub for a command, with connections of its own. */
export interface CommandHub extends OpenHub {
  /** For reads. */
  readonly db: Database
}

/** A command reads with few connections, and merges every shard at once. */
const COMMAND_READERS = 4

/** Opens the hub for a command, which may run beside servers. */
export async function openCommandHub(config: Config, url: string, name: string): Promise<CommandHub> {
  const db = connect(url, { poolSize: COMMAND_READERS, applicationName: name })
  const writerDb = connect(url, {
    poolSize: config.hubShards + SPARE_WRITERS,
    applicationName: `${name} write`,
  })
  const endPools = async () => {
    await Promise.all([db, writerDb].map((pool) => pool.end({ timeout: POOL_END_SECONDS })))
  }
  try {
    const { hub, close } = await openHub({ config, writerDb })
    return { hub, db, close: () => close().finally(endPools) }
  } catch (error) {
    await endPools()
    throw error
  }
}
