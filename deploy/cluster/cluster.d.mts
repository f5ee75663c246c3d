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

/** A cluster on loopback, and what can happen to it. */
export declare class Cluster {
  readonly dir: string
  /** The primary, whichever node it is. */
  readonly databaseUrl: string
  /** A replica that does not lag by more than 16 MB. */
  readonly replicaUrl: string
  leader(): Promise<number | null>
  replicas(): Promise<number[]>
  untilHealthy(): Promise<void>
  /** Returns the node that was the primary. */
  switchover(): Promise<number>
  setSynchronous(isOn: boolean): Promise<void>
  killPostmaster(): Promise<number>
  killNode(node: number): Promise<void>
  startNode(node: number): void
  freezeNode(node: number): void
  thawNode(node: number): void
  /** Returns the primary, whose log no longer reaches the replicas. */
  stopReplication(): Promise<number>
  restartProxy(): Promise<void>
  stop(): Promise<void>
}

/** Names of Debian's packages that are not installed. */
export declare function missingPackages(): string[]
/** Starts a cluster and creates the database `plaza`. Everything is below the directory. */
export declare function startCluster(directory: string, options?: ClusterOptions): Promise<Cluster>
/** Opens a cluster that was started before. */
export declare function openCluster(directory: string): Promise<Cluster>
/** The lowest port of a cluster whose ports are all free. */
export declare function freeClusterPort(): Promise<number>
