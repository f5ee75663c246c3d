import { readFile } from 'node:fs/promises'
import { HubServiceService } from '@farcaster/hub-nodejs'
import grpc from '@grpc/grpc-js'

/**
 * The limit for a stream of events: gRPC's own server for Node, and bytes that lie ready in memory. A process of its
 * own, as the server is. Arguments: a file of events, each behind its length (4 bytes).
 */

const bytes = await readFile(process.argv[2] ?? '')
/** @type {Buffer[]} */
const events = []
for (let at = 0; at < bytes.length; ) {
  const end = at + 4 + bytes.readUInt32BE(at)
  events.push(bytes.subarray(at + 4, end))
  at = end
}

const passThrough = (/** @type {Buffer} */ value) => value
const server = new grpc.Server()
server.addService(
  {
    subscribe: {
      ...HubServiceService.subscribe,
      requestDeserialize: passThrough,
      responseSerialize: passThrough,
    },
  },
  { subscribe },
)
server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error
  process.stdout.write(`listening on 127.0.0.1:${port}\n`)
})

/** @param {grpc.ServerWritableStream<Buffer, Buffer>} call */
async function subscribe(call) {
  for (const event of events) {
    if (!call.write(event)) await new Promise((resolve) => call.once('drain', resolve))
  }
  call.end()
}
