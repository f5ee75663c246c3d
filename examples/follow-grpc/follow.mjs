// Prints every cast that the hub merges, over gRPC, with the client that is published for hubs.
import { getInsecureHubRpcClient, HubEventType, MessageType } from '@farcaster/hub-nodejs'

const { HUB_GRPC = '127.0.0.1:3383', FROM_EVENT_ID } = process.env
const hub = getInsecureHubRpcClient(HUB_GRPC)

const subscription = await hub.subscribe({
  eventTypes: [HubEventType.MERGE_MESSAGE],
  ...(FROM_EVENT_ID && { fromId: Number(FROM_EVENT_ID) }),
})
if (subscription.isErr()) throw subscription.error
const stream = subscription.value
console.log('following')

process.once('SIGTERM', () => {
  stream.cancel()
  hub.close()
  process.exit()
})

let last = FROM_EVENT_ID
try {
  for await (const { id, mergeMessageBody } of stream) {
    const { data, hash } = mergeMessageBody.message
    if (data.type === MessageType.CAST_ADD)
      console.log(`${data.fid} 0x${Buffer.from(hash).toString('hex')} ${data.castAddBody.text}`)
    // Keep it: an event with this id and those after it come again with FROM_EVENT_ID.
    last = id
  }
} catch (error) {
  console.error(`${error.message}; continue with FROM_EVENT_ID=${last ?? 0}`)
  process.exitCode = 1
}
