import type { BlockHistory } from './block-history.js'

/** Above every event id (docs/protocol.md §1.3): the `stop` of an open-ended range. */
export const AFTER_ALL_EVENTS = Number.MAX_SAFE_INTEGER

/** Ids to read of one shard: `from` inclusive, `stop` exclusive. 0 as `from` means the oldest kept event. */
export interface ShardRange {
  readonly shard: number
  readonly from: number
  readonly stop: number
  /**
   * Blocks that the reader has read before. Unless its newest block is still in the log, reading fails. Without it the reader
   * gets the block of `from - 1` as it is now.
   */
  readonly history?: BlockHistory
}

/** The size at which a page of the hub ends by default, which bounds its memory. 10,000 usual events take 5 MB. */
export const MAX_PAGE_BYTES = 32 * 1024 * 1024

/** Bounds and filter of a page of the log. */
export interface EventPageOptions {
  /** Most events to read, of all shards together. */
  readonly limit: number
  /** Highest id first. */
  readonly reverse: boolean
  /** Other events count towards the limit and are left out. */
  readonly filter?: EventFilter | null
  /** The page ends at this size, `MAX_PAGE_BYTES` by default. An event takes up to 64 kB, usually 200 bytes. */
  readonly maxBytes?: number
}

/** Selects events; null selects all. Fids select what takes something from their users, too, and no events without a fid. */
export interface EventFilter {
  readonly fids: readonly number[] | null
  readonly types: readonly number[] | null
}
