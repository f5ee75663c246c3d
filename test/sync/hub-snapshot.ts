import { decodeHubEvent } from '../../src/hub/log/hub-event.js'
import type { Database } from '../../src/platform/db/connection.js'
import { HubEventType } from '../../src/protocol/definitions.js'
import { hubContents } from '../hub-contents.js'

/** Returns everything that a hub stores, without shard numbers. */
export async function hubSnapshot(db: Database): Promise<string> {
  const tables = await hubContents(db)
  return JSON.stringify(tables, (name, value) => (name === 'shard' ? undefined : value))
}

/** Returns the hashes of all messages that were ever merged, from the log, in order. */
export async function mergedHashes(db: Database): Promise<string[]> {
  const rows = await db<{ event: Buffer }[]>`
    select event from hub.events where type = ${HubEventType.MERGE_MESSAGE}
  `
  return rows
    .map(({ event }) => Buffer.from(decodeHubEvent(event).mergeMessageBody!.message!.hash).toString('hex'))
    .sort()
}
