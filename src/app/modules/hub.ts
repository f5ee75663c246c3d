import { FarcasterNetwork, MessageType } from '@farcaster/core'
import { projectEvents } from '../../graph/project/project.js'
import { createHub, type HubOptions } from '../../hub/create-hub.js'
import type { MergeHook } from '../../hub/merge/merge.js'
import { connect, type Database } from '../../platform/db/connection.js'
import { createVerifyPool } from '../../protocol/verify-pool.js'
import type { Config } from '../config/config.js'

/** A hub on its database, and how to end it. */
export interface OpenHub {
  readonly hub: Awaited<ReturnType<typeof createHub>>
  /** For reads. */
  readonly db: Database
  /** What the hub writes with: a slow read never makes a merge wait for a connection. */
  readonly writerDb: Database
  /** Finishes what was submitted, then ends threads and connections. */
  close(): Promise<void>
}

export interface OpenHubOptions {
  /** Told of every message: its type, and `merged` or the code of why not. */
  readonly countMerge?: (type: string, outcome: string) => void
  /** Run after the read model's, in every merge's transaction. */
  readonly mergeHooks?: readonly MergeHook[]
  /** Told what a batch has done once it is committed: see `HubOptions`. */
  readonly onCommitted?: HubOptions['onCommitted']
}

/** The protocol's number of each network. */
export const networks = {
  mainnet: FarcasterNetwork.MAINNET,
  testnet: FarcasterNetwork.TESTNET,
  devnet: FarcasterNetwork.DEVNET,
} as const

/** Each shard writes in one transaction at a time; two more are for maintenance and for look-ups. */
const SPARE_WRITERS = 2
const POOL_END_SECONDS = 5

/** Opens the hub on a migrated database, for the server or for a command. */
export async function openHub(
  config: Config,
  url: string,
  name: string,
  { countMerge, mergeHooks = [], onCommitted }: OpenHubOptions = {},
): Promise<OpenHub> {
  const db = connect(url, { poolSize: config.databasePool, applicationName: name })
  const writerDb = connect(url, {
    poolSize: config.hubShards + SPARE_WRITERS,
    applicationName: `${name} writer`,
  })
  const verifyPool = createVerifyPool({ threads: config.verifyThreads })
  const endConnections = async () => {
    await verifyPool.close()
    await Promise.all([db, writerDb].map((pool) => pool.end({ timeout: POOL_END_SECONDS })))
  }
  try {
    const hub = await createHub({
      db: writerDb,
      verifyPool,
      network: networks[config.hubNetwork],
      shards: config.hubShards,
      clock: Date.now,
      mergeHooks: [projectEvents, ...mergeHooks],
      ...(onCommitted === undefined ? {} : { onCommitted }),
      onOutcome: (type, outcome) => countMerge?.(MessageType[type] ?? 'UNKNOWN', outcome),
    })
    return { hub, db, writerDb, close: () => hub.close().finally(endConnections) }
  } catch (error) {
    await endConnections()
    throw error
  }
}
