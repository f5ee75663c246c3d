import type { MergeItem } from '../../merge/shard-writer.js'

/** Whom of the network this server follows. */
export interface Selection {
  /** Whether something that is new upstream is to be merged here. */
  includes(item: MergeItem): boolean
  /** Writes down whom it has begun or ceased to follow by what it was shown. */
  flush(): Promise<void>
}

/** The whole network. */
export const allUsers: Selection = { includes: () => true, flush: async () => {} }
