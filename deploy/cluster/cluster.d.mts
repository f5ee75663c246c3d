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
