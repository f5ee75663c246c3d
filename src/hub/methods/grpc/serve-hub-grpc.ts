import { HubServiceService } from '@farcaster/hub-nodejs'
import {
  type handleUnaryCall,
  type MethodDefinition,
  Server,
  ServerCredentials,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js'
import { asBuffer } from '../../../protocol/bytes.js'
import { type Admit, createAdmission } from './admission.js'
import { statusOf } from './call-status.js'
import { chainMethods } from './chain.js'
import { listen } from './connections.js'
import { eventMethods } from './events.js'
import type { HubGrpcApi, UnaryMethod } from './grpc-api.js'
import { infoMethod } from './info.js'
import { bulkMethods, messageMethods } from './messages.js'
import { submitMethods } from './submit.js'
import { createSubscribers } from './subscribe.js'
import { userMethods } from './users.js'

/** The hub's gRPC API, while it is served. */
export interface HubGrpcServer {
  /** `<host>:<port>`, as clients are given it. */
  readonly address: string
  /** Ends subscriptions, lets the other calls finish for so long, then cuts what is left. */
  close(limitMs: number): Promise<void>
}

/** A connection that answers no ping is ended, and with it the calls of a client that has vanished. */
const KEEPALIVE_MS = 60_000
const KEEPALIVE_TIMEOUT_MS = 20_000
/** Calls of one connection at once; clients hold back the others themselves. */
const MAX_CONCURRENT_CALLS = 1_000

/**
 * Serves `HubService` (docs/protocol.md §2.5), with the service definition that `@farcaster/hub-nodejs` publishes. Methods that
 * are in the definition and not among ours answer UNIMPLEMENTED (docs/hub-api.md).
 */
export async function serveHubGrpc(
  api: HubGrpcApi,
  at: { readonly host: string; readonly port: number },
): Promise<HubGrpcServer> {
  const server = new Server({
    'grpc.max_receive_message_length': api.config.bodyLimit,
    'grpc.max_send_message_length': -1,
    'grpc.max_concurrent_streams': MAX_CONCURRENT_CALLS,
    'grpc.keepalive_time_ms': KEEPALIVE_MS,
    'grpc.keepalive_timeout_ms': KEEPALIVE_TIMEOUT_MS,
  })
  const connections = await listen(server.createConnectionInjector(ServerCredentials.createInsecure()), at)
  const admit = createAdmission(api)
  const subscribers = createSubscribers(api, admit, connections.destroy)
  const methods = { ...unaryMethods(api, admit), subscribe: subscribers.serve }
  server.addService(definition, methods as UntypedServiceImplementation)
  return {
    address: `${at.host.includes(':') ? `[${at.host}]` : at.host}:${connections.address.port}`,
    async close(limitMs) {
      const timer = setTimeout(() => {
        server.forceShutdown()
        connections.destroyAll()
      }, limitMs)
      const callsEnded = new Promise<void>((resolve) => server.tryShutdown(() => resolve()))
      await Promise.all([subscribers.close(), callsEnded, connections.close()])
      clearTimeout(timer)
    },
  }
}

/** Requests and replies pass as bytes: methods decode and encode, so that what is stored is not encoded again. */
const definition = Object.fromEntries(
  Object.entries(HubServiceService).map(([name, method]) => [name, asBytes(method)]),
)

function asBytes(
  method: Pick<MethodDefinition<Buffer, Buffer>, 'path' | 'requestStream' | 'responseStream'>,
): MethodDefinition<Buffer, Buffer> {
  const { path, requestStream, responseStream } = method
  const same = (bytes: Buffer) => bytes
  return {
    path,
    requestStream,
    responseStream,
    requestSerialize: same,
    requestDeserialize: same,
    responseSerialize: same,
    responseDeserialize: same,
  }
}

function unaryMethods(api: HubGrpcApi, admit: Admit): UntypedServiceImplementation {
  const methods = [
    ...submitMethods,
    infoMethod(api),
    ...eventMethods,
    ...messageMethods,
    ...bulkMethods,
    ...userMethods,
    ...chainMethods,
  ]
  return Object.fromEntries(methods.map((method) => [method.name, handle(method, api, admit)]))
}

function handle(
  { name, answer }: UnaryMethod,
  api: HubGrpcApi,
  admit: Admit,
): handleUnaryCall<Buffer, Buffer> {
  return async (call, callback) => {
    const startMs = performance.now()
    let code = 0
    try {
      await admit(call)
      const reply = await answer(call.request, api)
      callback(null, asBuffer(reply))
    } catch (cause) {
      const status = statusOf(cause, name, api.log)
      code = status.code
      callback(status)
    }
    api.metrics?.called(name, code, (performance.now() - startMs) / 1000)
  }
}
