import { getInsecureHubRpcClient } from '@farcaster/hub-nodejs'
import { getDbClient, HubEventProcessor, MessageReconciliation } from '@farcaster/shuttle'

/**
 * The peer, a process of its own: fetches what a hub has with `MessageReconciliation`, user by user, some at the same
 * time, and stores what is missing with `HubEventProcessor.handleMissingMessage`, as the package's example backfills.
 *
 * Arguments: database, hub, how many messages to store, how many users at the same time, and the users' fids.
 */

const [databaseUrl = '', hubAddress = '', most = '10000', parallel = '10', users = ''] = process.argv.slice(2)

const handler = { handleMessageMerge: async () => {} }
const db = getDbClient(databaseUrl)
const client = getInsecureHubRpcClient(hubAddress)
const reconciliation = new MessageReconciliation(client, db, silent())
const failures = /** @type {Record<string, number>} */ ({})
let messages = 0
const fids = users.split(',').map(Number)
let next = 0
const startMs = performance.now()
await Promise.all(Array.from({ length: Number(parallel) }, work))
const seconds = (performance.now() - startMs) / 1000
process.stdout.write(`${JSON.stringify({ messages, seconds, failures })}\n`)
// Its metrics client keeps a socket open.
process.exit(0)

async function work() {
  while (messages < Number(most)) {
    const fid = fids[next++]
    if (fid === undefined) return
    await reconciliation.reconcileMessagesForFid(
      fid,
      async (message, isMissing) => {
        if (!isMissing || messages >= Number(most)) return
        try {
          await HubEventProcessor.handleMissingMessage(db, message, handler)
          messages += 1
        } catch (error) {
          const reason = error instanceof Error ? error.message : String(error)
          failures[reason] = (failures[reason] ?? 0) + 1
        }
      },
      async () => {},
    )
  }
}

function silent() {
  const log = () => {}
  return /** @type {any} */ ({
    info: log,
    debug: log,
    warn: log,
    error: log,
    trace: log,
    child: () => silent(),
  })
}
