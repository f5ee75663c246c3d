import type { Database } from '../../platform/db/connection.js'
import { maxBlockEvents } from './hub-event.js'

/** How far a consumer is behind a shard's log. */
export interface ConsumerLag {
  readonly name: string
  readonly shard: number
  /** Blocks that it has not had whole; 0 when it is level. */
  readonly blocks: number
}

/** How far every consumer is behind. Ids have holes, so blocks are counted, not events. */
export async function readConsumerLag(db: Database): Promise<ConsumerLag[]> {
  return await db<ConsumerLag[]>`
    select
      c.name, c.shard,
      (
        s.height - had.block
        + exists (
          select from hub.events e
          where e.shard = c.shard and e.id >= c.next_id and e.id < (had.block + 1) * ${maxBlockEvents}
        )::integer
      )::bigint as blocks
    from hub.consumers c
    join hub.shards s using (shard)
    cross join lateral (select (c.next_id - 1) / ${maxBlockEvents} as block) had
    order by c.name, c.shard
  `
}
