import { createChainClaims } from '../hub/chain-claims/chain-claims.js'
import type { ChainLookups } from '../hub/chain-claims/chain-lookups.js'
import { createHub, type HubOptions } from '../hub/create-hub.js'
import type { Hub } from '../hub/hub.js'
import { connect, type Database } from '../platform/db/connection.js'
import { POOL_END_SECONDS } from '../platform/db/pool-end.js'
import { isThreadBusy } from '../platform/process/thread-load.js'
import { MessageType } from '../protocol/definitions.js'
import { createVerifyPool } from '../protocol/verify-pool.js'
import type { Config } from './config/config.js'
import { farcasterNetworks } from './farcaster-networks.js'
import { mergeHooks } from './modules.js'
import { openChainLookups } from './open-lookups.js'

export interface OpenHubOptions {
  readonly config: Config
  /** Asks chains about names and contract wallets; by default on the endpoints of the configuration. */
  readonly lookups?: ChainLookups
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
  const { lookups = openChainLookups(config) } = options
  const verifyPool = createVerifyPool({ threads: config.verifyThreads })
  try {
    const hub = await createHub({
      db: writerDb,
      verifyPool,
      network: farcasterNetworks[config.hubNetwork],
      shards: config.hubShards,
      clock: Date.now,
      chainClaims: createChainClaims(lookups),
      checksSyncedClaims: config.syncCheckClaims,
      publishes: config.publishUpstream,
      isBusy: isThreadBusy,
      mergeHooks: [...mergeHooks, ...extraHooks],
      ...(onCommitted === undefined ? {} : { onCommitted }),
      onOutcome: (type, outcome) => countMerge?.(MessageType[type] ?? 'UNKNOWN', outcome),
    })
    return { hub, close: () => hub.close().finally(() => verifyPool.close()) }
  } catch (error) {
    await verifyPool.close()
    throw error
  }
}

/** A hub for a command, with connections of its own. */
export interface CommandHub extends OpenHub {
  /** For reads. */
  readonly db: Database
}

/** A command reads with few connections, and merges every shard at once. */
const COMMAND_READERS = 4
const SPARE_WRITERS = 1

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
