// An app as `@farcaster/shuttle` describes it: follows a hub into its own database, and reconciles a user when told to.
// Arguments: the hub's gRPC address, the database. A line on standard input is a fid to reconcile.
import { createInterface } from 'node:readline'
import { MessageType } from '@farcaster/core'
import {
  BaseHubSubscriber,
  getDbClient,
  getHubClient,
  HubEventProcessor,
  MessageReconciliation,
} from '@farcaster/shuttle'

const [, , address, databaseUrl] = process.argv
const complain = (problem) => process.stderr.write(`${problem}\n`)
const log = { debug() {}, info() {}, warn() {}, error: complain }
const db = getDbClient(databaseUrl)
const { client } = getHubClient(address, { ssl: false })
const handler = { handleMessageMerge: async () => {} }

class Follower extends BaseHubSubscriber {
  async getLastEventId() {
    return 0
  }

  async processHubEvent(event) {
    await HubEventProcessor.processHubEvent(db, event, handler)
    return true
  }
}

async function reconcile(fid) {
  const found = { missingHere: 0, missingInHub: 0 }
  await new MessageReconciliation(client, db, log).reconcileMessagesForFid(
    fid,
    async (message, missingHere, wasPruned, wasRevoked) => {
      if (!missingHere && !wasPruned && !wasRevoked) return
      found.missingHere += 1
      await HubEventProcessor.handleMissingMessage(db, message, handler)
    },
    async (message, missingInHub) => {
      // Nodes list compact states apart from links, and this package looks for them there.
      if (!missingInHub || message.type === MessageType.LINK_COMPACT_STATE) return
      found.missingInHub += 1
      await db
        .updateTable('messages')
        .set({ deletedAt: new Date() })
        .where('hash', '=', message.hash)
        .execute()
    },
  )
  return found
}

await new Follower('test', client, log).start()
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await reconcile(Number(line)))}\n`)
}
process.exit(0)
