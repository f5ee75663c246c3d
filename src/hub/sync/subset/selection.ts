import type { MergeItem } from '../../merge/shard-writer.js'

/** Whom of the network this server follows. */
export interface Selection {
  /** Whether something that is new upstream is to be merged here. */
  wants(item: MergeItem): boolean
  /** Writes down whom it has begun or ceased to follow by what it was shown. */
  flush(): Promise<void>
}

/** The whole network. */
export const everybody: Selection = { wants: () => true, flush: async () => {} }
