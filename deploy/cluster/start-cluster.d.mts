import type { Cluster } from './cluster.mjs'

/** What a cluster is started with. */
export interface ClusterOptions {
  /** The lowest port. */
  readonly port?: number
  /** Patroni's `synchronous_mode`. */
  readonly synchronous?: boolean
  /** Seconds after which a leader that does not renew its lease is replaced; Patroni's least is 20. */
  readonly ttl?: number
  /** Seconds between two looks of Patroni at its node. */
  readonly loopWait?: number
  /** A replica with more bytes of lag is not promoted. */
  readonly maximumLagOnFailover?: number
}

/** Starts a cluster with the database `plaza`. Everything is below the directory. */
export declare function startCluster(directory: string, options?: ClusterOptions): Promise<Cluster>
/** Opens a cluster that was started before. */
export declare function openCluster(directory: string): Promise<Cluster>
