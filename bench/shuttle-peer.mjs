import { readFile } from 'node:fs/promises'
import { HubEvent, HubEventType, Message, MessageData } from '@farcaster/hub-nodejs'
import { getDbClient, HubEventProcessor } from '@farcaster/shuttle'

/**
 * The peer, a process of its own: stores messages with `HubEventProcessor.processHubEvent`, which validates
 * each, some in parallel, and nothing else: its handler, where an app would do its own work, does none.
 *
 * Arguments: database, file of encoded messages (each behind its length, 4 bytes), how many in parallel.
 */

const [databaseUrl = '', file = '', parallel = '10'] = process.argv.slice(2)

const handler = { handleMessageMerge: async () => {} }
const db = getDbClient(databaseUrl)
const events = await readEvents(file)
// Connects, and compiles the code that is measured: the product has warmed up on its ground by then, too.
const warmUp = events.splice(0, Math.min(200, Math.floor(events.length / 10)))
const failures = /** @type {Record<string, number>} */ ({})
await store(warmUp)
const startMs = performance.now()
await store(events)
const seconds = (performance.now() - startMs) / 1000
await db.destroy()
process.stdout.write(`${JSON.stringify({ messages: events.length, seconds, failures })}\n`)
// Its metrics client keeps a socket open.
process.exit(0)

/** @param {HubEvent[]} all */
async function store(all) {
  let next = 0
  const work = async () => {
    for (let event = all[next++]; event !== undefined; event = all[next++]) {
      try {
        await HubEventProcessor.processHubEvent(db, event, handler)
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        failures[reason] = (failures[reason] ?? 0) + 1
      }
    }
  }
  await Promise.all(Array.from({ length: Number(parallel) }, work))
}

/**
 * Events as a hub sends them, with `data` decoded.
 *
 * @param {string} path
 */
async function readEvents(path) {
  const bytes = await readFile(path)
  const events = []
  for (let at = 0; at < bytes.length; ) {
    const end = at + 4 + bytes.readUInt32BE(at)
    const message = Message.decode(bytes.subarray(at + 4, end))
    if (message.data === undefined && message.dataBytes !== undefined) {
      message.data = MessageData.decode(message.dataBytes)
    }
    events.push(
      HubEvent.create({
        type: HubEventType.MERGE_MESSAGE,
        id: events.length + 1,
        mergeMessageBody: { message, deletedMessages: [] },
      }),
    )
    at = end
  }
  return events
}
