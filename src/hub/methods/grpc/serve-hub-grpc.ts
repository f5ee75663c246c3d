import { HubServiceService } from '@farcaster/hub-nodejs'
import {
  type handleUnaryCall,
  type MethodDefinition,
  Server,
  ServerCredentials,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js'
import { limits } from '../../../platform/limits/limits.js'
import { asBuffer } from '../../../protocol/bytes.js'
import { readEvents } from '../../log/read.js'
import { createMethodContext, type HubMethod, type MethodContext } from '../hub-method.js'
import { hubMethods } from '../hub-methods.js'
import { type Admit, createAdmission } from './admission.js'
import { statusOf } from './call-status.js'
import { listen } from './connections.js'
import type { HubGrpcApi } from './grpc-api.js'
import { decodeRequest, type GrpcName } from './request.js'
import { createSubscribers } from './subscribe.js'
import { toWireEvent } from './wire-bytes.js'

/** The hub's gRPC API, while it is served. */
export interface HubGrpcServer {
  /** `<host>:<port>`, as clients need it. */
  readonly address: string
  /** Ends subscriptions and waits so long for the other calls, then ends all connections. */
  close(limitMs: number): Promise<void>
}

/** Ends a connection that answers no ping, and with it the calls of a client that has vanished. */
const KEEPALIVE_MS = 60_000
const KEEPALIVE_TIMEOUT_MS = 20_000

/**
 * Serves `HubService` (docs/protocol.md §2.5) with the definition that `@farcaster/hub-nodejs` publishes.
 * Methods of the definition that the hub does not have answer UNIMPLEMENTED (docs/hub-api.md).
 */
export async function serveHubGrpc(
  api: HubGrpcApi,
  at: { readonly host: string; readonly port: number },
): Promise<HubGrpcServer> {
  const server = new Server({
    'grpc.max_receive_message_length': api.config.bodyLimit,
    'grpc.max_send_message_length': -1,
    'grpc.max_concurrent_streams': limits.concurrentCalls.default,
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

/**
 * Requests and replies stay bytes: methods decode and encode, so that stored messages are not encoded again.
 */
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
  const context = createMethodContext(api, async (ranges, options) => {
    const page = await readEvents(api.db, ranges, options)
    return { ...page, events: page.events.map(({ event }) => toWireEvent(event)) }
  })
  return Object.fromEntries(
    hubMethods.flatMap((method) => {
      const { grpc: name } = method
      return name
        ? [[name, serveCalls(name, api, admit, (bytes) => answer(method, name, bytes, context))]]
        : []
    }),
  )
}

function answer(
  method: HubMethod,
  name: GrpcName,
  bytes: Buffer,
  context: MethodContext,
): Promise<Uint8Array> {
  if (method.kind === 'write') return method.answerRequest(bytes, context)
  return method.answerRequest(decodeRequest(name, bytes), context)
}

function serveCalls(
  name: GrpcName,
  api: HubGrpcApi,
  admit: Admit,
  answerCall: (request: Buffer) => Promise<Uint8Array>,
): handleUnaryCall<Buffer, Buffer> {
  return async (call, callback) => {
    const startMs = performance.now()
    let code = 0
    try {
      await admit(call)
      const reply = await answerCall(call.request)
      callback(null, asBuffer(reply))
    } catch (cause) {
      const status = statusOf(cause, name, api.log)
      code = status.code
      callback(status)
    }
    api.metrics?.called(name, code, (performance.now() - startMs) / 1000)
  }
}
