import { type AddressInfo, createServer, type Socket } from 'node:net'
import {
  type ConnectionInjector,
  status as grpcStatus,
  type handleUnaryCall,
  type Metadata,
  type MethodDefinition,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js'
import { PlazaError } from '../../../platform/errors.js'
import { type CallerName, callerAt } from '../../../platform/limits/caller-name.js'
import { createCounter } from '../../../platform/limits/counter.js'
import { limits } from '../../../platform/limits/limits.js'
import type { WorkPrice } from '../../../platform/limits/work-prices.js'
import { Deadlines, within } from '../../../platform/process/deadlines.js'
import { beginOrdinaryRequest, inSlices } from '../../../platform/process/turns.js'
import { runInSpan, type TraceSpan } from '../../../platform/tracing/active-span.js'
import { noTracing, type Tracing } from '../../../platform/tracing/tracing.js'
import { asBuffer } from '../../../protocol/bytes.js'
import { HubServiceService } from '../../../protocol/proto/generated/rpc.js'
import { readEvents } from '../../log/read.js'
import { priceOfBody, priceOfRequest } from '../heavy-methods.js'
import { callerOfHub } from '../hub-callers.js'
import { createMethodContext, type HubMethod, type MethodContext } from '../hub-method.js'
import { hubMethods } from '../hub-methods.js'
import { readBeside, writeBeside } from '../hub-reads.js'
import { createOperatorCheck } from '../operator-auth.js'
import { type Admit, type CallOrigin, type HubGrpcApi, type IncomingCall, statusOf } from './grpc-api.js'
import { decodeRequest, type GrpcName } from './request.js'
import { endSilentConnections } from './silent-connections.js'
import { createSubscribers } from './subscribe.js'
import { limitUnfinishedCalls } from './unfinished-calls.js'
import { toWireEvent } from './wire-bytes.js'

/** The hub's gRPC API, while it is served. */
export type HubGrpcServer = Awaited<ReturnType<typeof serveHubGrpc>>

/**
 * Ends a connection that answers no ping, and with it the calls of a client that has vanished or stands still, also while
 * there is nothing to send: as late as half of `stallTimeoutMs` for each, within these bounds.
 */
const KEEPALIVE_MS = [1_000, 60_000] as const
const KEEPALIVE_TIMEOUT_MS = [4_000, 20_000] as const

/** Events that are encoded in one turn of the event loop: 0.5 ms. */
const SLICE_EVENTS = 100

/**
 * Serves `HubService` (docs/protocol.md §2.5) as `src/protocol/proto/rpc.proto` defines it.
 * Methods of the definition that the hub does not have answer UNIMPLEMENTED (docs/hub-api.md).
 */
export async function serveHubGrpc(api: HubGrpcApi, at: { readonly host: string; readonly port: number }) {
  const keepaliveMs = between(KEEPALIVE_MS, api.config.stallTimeoutMs / 2)
  const timeoutMs = between(KEEPALIVE_TIMEOUT_MS, api.config.stallTimeoutMs / 2)
  const server = new Server({
    'grpc.max_receive_message_length': api.config.bodyLimit,
    'grpc.max_send_message_length': -1,
    'grpc.max_concurrent_streams': limits.concurrentCalls.default,
    'grpc.keepalive_time_ms': keepaliveMs,
    'grpc.keepalive_timeout_ms': timeoutMs,
    interceptors: [
      limitUnfinishedCalls({
        bodyLimit: api.config.bodyLimit,
        addressOf: (call) => addressOf(call, api.config.trustProxy ?? false),
      }),
    ],
  })
  const connections = await listen(server.createConnectionInjector(ServerCredentials.createInsecure()), at)
  const stopLooking = endSilentConnections(connections.sockets, keepaliveMs + timeoutMs)
  const admit = createAdmission(api)
  const subscribers = createSubscribers(api, admit, connections.destroy)
  const methods = { ...unaryMethods(api, admit), subscribe: subscribers.serve }
  server.addService(definition, methods as UntypedServiceImplementation)
  return {
    /** `<host>:<port>`, as clients need it. */
    address: `${at.host.includes(':') ? `[${at.host}]` : at.host}:${connections.address.port}`,
    /** Ends subscriptions, waits this time for the other calls, then ends all connections. */
    async close(limitMs: number): Promise<void> {
      stopLooking()
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

function between([min, max]: readonly [number, number], ms: number): number {
  return Math.max(min, Math.min(max, ms))
}

const same = (bytes: Buffer) => bytes

/** Requests and replies stay bytes: methods decode and encode, and stored messages stay as they are. */
const definition = Object.fromEntries(
  Object.entries(HubServiceService).map(([name, { path, requestStream, responseStream }]) => {
    const bytesMethod: MethodDefinition<Buffer, Buffer> = {
      path,
      requestStream,
      responseStream,
      requestSerialize: same,
      requestDeserialize: same,
      responseSerialize: same,
      responseDeserialize: same,
    }
    return [name, bytesMethod]
  }),
)

function unaryMethods(api: HubGrpcApi, admit: Admit): UntypedServiceImplementation {
  const { requestTimeoutMs = 0 } = api.config
  const deadlines = requestTimeoutMs > 0 ? new Deadlines(requestTimeoutMs) : null
  const context = createMethodContext(api, async (db, ranges, options) => {
    const page = await readEvents(db, ranges, options)
    const events = await inSlices(page.events, SLICE_EVENTS, (slice) =>
      slice.map(({ event }) => toWireEvent(event)),
    )
    return { ...page, events: events.flat() }
  })
  const checkOperator = createOperatorCheck(api.operatorAuth)
  const admitOperator: Admit = async (call) => {
    const admitted = await admit(call)
    checkOperator(textOf(call.metadata, 'authorization'))
    return admitted
  }
  return Object.fromEntries(
    hubMethods.flatMap((method) => {
      const { grpc: name, forOperator, longWait } = method
      if (!name) return []
      const admission = forOperator ? admitOperator : admit
      const served = { method, name, context, api }
      const limitMs = Math.max(requestTimeoutMs, longWait?.limitMs ?? 0)
      const call = serveCalls(name, api, async (call) => {
        const answering = admission(call).then((origin) => answer(served, call, origin))
        return await (deadlines ? within(deadlines, limitMs, answering) : answering)
      })
      return [[name, call]]
    }),
  )
}

interface ServedMethod {
  readonly method: HubMethod
  readonly name: GrpcName
  readonly context: MethodContext
  readonly api: HubGrpcApi
}

async function answer(
  served: ServedMethod,
  call: ServerUnaryCall<Buffer, Buffer>,
  { address, nameCaller }: CallOrigin,
): Promise<Uint8Array> {
  const bytes = call.request
  const { price, run } = prepare(served, bytes, address)
  if (price === null) return await run().finally(beginOrdinaryRequest())
  const gone = new AbortController()
  call.on('cancelled', () => gone.abort())
  const work = await served.api.workLimits.begin({ price, caller: await nameCaller(), signal: gone.signal })
  let replyBytes = 0
  try {
    const reply = await run()
    replyBytes = reply.length
    return reply
  } finally {
    work.pay(bytes.length + replyBytes)
    work.leave()
  }
}

/** Decodes a request; says what it costs if it is heavy, and how it is answered. */
function prepare(
  { method, name, context, api: { reads = null } }: ServedMethod,
  bytes: Buffer,
  address: string,
): { readonly price: WorkPrice | null; readonly run: () => Promise<Uint8Array> } {
  if (method.kind === 'write') {
    const run = () => writeBeside(reads, address, () => method.answerRequest(bytes, context))
    return { price: priceOfBody(bytes), run }
  }
  const request = decodeRequest(name, bytes)
  const run = () =>
    readBeside(reads, { address, fid: request.fid }, context, (used) => method.answerRequest(request, used))
  return { price: priceOfRequest(method, request), run }
}

function serveCalls(
  name: GrpcName,
  api: HubGrpcApi,
  answerCall: (call: ServerUnaryCall<Buffer, Buffer>) => Promise<Uint8Array>,
): handleUnaryCall<Buffer, Buffer> {
  return async (call, callback) => {
    const startMs = performance.now()
    const span = startCallSpan(name, call, api.tracing)
    let code = 0
    try {
      const reply = await runInSpan(span, () => answerCall(call))
      callback(null, asBuffer(reply))
    } catch (cause) {
      const status = statusOf(cause, name, api.log)
      code = status.code
      if (serverFailures.has(code)) span?.fail(cause)
      callback(status)
    }
    span?.set({ 'rpc.grpc.status_code': code })
    span?.end()
    api.metrics?.called(name, code, (performance.now() - startMs) / 1000, span)
  }
}

/** Statuses that are no fault of the caller. */
const serverFailures: ReadonlySet<number> = new Set([
  grpcStatus.INTERNAL,
  grpcStatus.UNAVAILABLE,
  grpcStatus.UNKNOWN,
])

function startCallSpan(
  name: GrpcName,
  { metadata }: Pick<IncomingCall, 'metadata'>,
  tracing: Tracing = noTracing,
): TraceSpan | null {
  if (!tracing.isOn) return null
  const [, service = '', method = ''] = HubServiceService[name].path.split('/')
  return tracing.start(`${service}/${method}`, {
    kind: 'server',
    parent: { traceparent: textOf(metadata, 'traceparent'), tracestate: textOf(metadata, 'tracestate') },
    attributes: { 'rpc.system': 'grpc', 'rpc.service': service, 'rpc.method': method },
  })
}

/** Checks the rate limit before the key, so that it counts wrong keys too. */
function createAdmission({ config, clock, authorize, nameKey }: HubGrpcApi): Admit {
  const counter = createCounter<CallerName>(limits.hubCalls, clock, config.rateLimit)
  return async (call) => {
    const address = addressOf(call, config.trustProxy ?? false)
    const status = counter.take(callerAt(address))
    if (status && status.retryAfterSeconds > 0) {
      throw new PlazaError(
        'bad_request.rate_limited',
        `more than ${status.limit} calls a minute; try again in ${status.retryAfterSeconds} seconds`,
      )
    }
    const keyed = {
      headers: {
        'x-api-key': textOf(call.metadata, 'x-api-key'),
        api_key: textOf(call.metadata, 'api_key'),
        authorization: textOf(call.metadata, 'authorization'),
      },
    }
    await authorize?.(keyed)
    return { address, nameCaller: () => callerOfHub(nameKey, keyed, address) }
  }
}

/** Without the port, which differs for each connection. */
function addressOf(call: IncomingCall, trustProxy: boolean): string {
  const forwarded = trustProxy ? textOf(call.metadata, 'x-forwarded-for')?.split(',')[0]?.trim() : undefined
  return forwarded || call.getPeer().replace(/:\d+$/, '')
}

function textOf(metadata: Metadata, name: string): string | undefined {
  const [value] = metadata.get(name)
  return typeof value === 'string' ? value : undefined
}

/**
 * Listens, and hands connections to the gRPC server. The library's own listener does not give access to its
 * sockets, and ending the socket is the only way to disconnect a client that reads nothing.
 */
async function listen(
  injector: Pick<ConnectionInjector, 'injectConnection'>,
  { host, port }: { readonly host: string; readonly port: number },
) {
  const sockets = new Map<string, Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    const peer = `${socket.remoteAddress}:${socket.remotePort}`
    sockets.set(peer, socket)
    socket.on('close', () => sockets.delete(peer))
    // The calls of a broken connection end with it; there is nothing else to do.
    socket.on('error', () => {})
    injector.injectConnection(socket)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => {
      server.off('error', reject)
      resolve()
    })
  })
  return {
    address: server.address() as AddressInfo,
    sockets: () => sockets.values(),
    /** Ends the connection of this peer, `<address>:<port>`, at once. */
    destroy: (peer: string) => void sockets.get(peer)?.destroy(),
    /** Accepts no more connections; resolves when the last one has ended. */
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
    destroyAll(): void {
      for (const socket of sockets.values()) socket.destroy()
    },
  }
}
