import { testNowUnix } from '../../../../test/network.js'
import type { Database } from '../../../platform/db/connection.js'
import { FarcasterNetwork, HubEventType } from '../../../protocol/definitions.js'
import type { SignedMessage } from '../../../protocol/message.js'
import type { LoggedEvent } from '../../log/write.js'
import { mergeBatch } from '../merge.js'

type Batch = Parameters<typeof mergeBatch>[2]

/** Merges into a database whose hub, of testnet, has two shards, at any moment in Unix seconds. */
export function storedMerges(db: Database, shards = 2) {
  async function merge(batch: Partial<Batch>, options: { shard?: number; atUnix?: number } = {}) {
    const { shard = 1, atUnix = testNowUnix } = options
    const batchInput = { messages: [], chainEvents: [], nameTransfers: [], ...batch }
    return await mergeBatch(
      db,
      shard,
      batchInput,
      { shards, hooks: [], network: FarcasterNetwork.TESTNET },
      atUnix * 1000,
    )
  }
  return {
    merge,
    /** Merges messages in one batch. Returns the texts of refusals; null for merged ones. */
    async outcomes(...messages: SignedMessage[]): Promise<(string | null)[]> {
      return (await merge({ messages })).messages.map((outcome) => outcome?.message ?? null)
    },
    /** The hashes of a user's stored messages, sorted. */
    async storedHashes(fid: number): Promise<string[]> {
      const rows = await db<{ hash: Buffer }[]>`select hash from hub.messages where fid = ${fid}`
      return rows.map(({ hash }) => hash.toString('hex')).sort()
    },
    /** Sets with their counts as `[fid, set, count, matches]`; `matches` compares the count with the rows. */
    async counts() {
      const rows = await db<{ fid: number; set: number; count: number; rows: number }[]>`
        select fid, set, count, (select count(*) from hub.messages m where m.fid = c.fid and m.set = c.set) as rows
        from hub.set_counts c
        where count <> 0
        order by fid, set
      `
      return rows.map(({ fid, set, count, rows }) => [fid, set, count, rows === count])
    },
  }
}

/** The hashes of messages, sorted. */
export function hashesOf(messages: readonly SignedMessage[]): string[] {
  return messages.map(({ hash }) => hash.toString('hex')).sort()
}

/** The logged events of a merge, without block confirmations. */
export function loggedEvents(events: readonly LoggedEvent[]) {
  return events
    .filter(({ body }) => body.type !== HubEventType.BLOCK_CONFIRMED)
    .map(({ fid, body }) => ({ fid, ...body }))
}
