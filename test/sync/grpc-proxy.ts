import { HubServiceService } from '@farcaster/hub-nodejs'
import {
  Client,
  credentials,
  type Metadata,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
} from '@grpc/grpc-js'
import { onTestFinished } from 'vitest'

/** Changes the events of a subscription: returns what is passed on for an event. */
export type DistortEvents = (event: Buffer) => readonly Buffer[]

/** Drops every fifth event, doubles others, and delays some. */
export function shuffleEvents(): DistortEvents {
  let count = 0
  let held: Buffer[] = []
  return (event) => {
    count += 1
    if (count % 5 === 0) return []
    if (count % 7 === 0) return [event, event]
    if (count % 3 > 0) return [event]
    const earlier = held
    held = [event]
    return earlier
  }
}

/** A gRPC proxy that can change answers. */
export interface GrpcProxy {
  readonly address: string
  /** Metadata of calls by method. */
  readonly calls: { readonly method: string; readonly metadata: Metadata }[]
  /** Creates the distortion of a subscription. */
  distort: () => DistortEvents
  /** Changes the answers of calls. */
  answer: (method: string, bytes: Buffer) => Buffer
  /** Ends all subscriptions normally, as if they had no more events. */
  endStreams(): void
}

const passThrough = (bytes: Buffer) => bytes
const methods = Object.entries(HubServiceService)

/** Requests and answers pass undecoded. */
const definition = Object.fromEntries(
  methods.map(([name, { path, requestStream, responseStream }]) => [
    name,
    {
      path,
      requestStream,
      responseStream,
      requestSerialize: passThrough,
      requestDeserialize: passThrough,
      responseSerialize: passThrough,
      responseDeserialize: passThrough,
    },
  ]),
)

/** Starts a proxy in front of a hub. It ends with the test. */
export async function startGrpcProxy(target: string): Promise<GrpcProxy> {
  const client = new Client(target, credentials.createInsecure(), {
    'grpc.max_receive_message_length': -1,
    'grpc.use_local_subchannel_pool': 1,
  })
  const server = new Server({ 'grpc.max_send_message_length': -1 })
  const open = new Set<ServerWritableStream<Buffer, Buffer>>()
  const proxy: GrpcProxy = {
    address: '',
    calls: [],
    distort: () => (event) => [event],
    answer: (_method, bytes) => bytes,
    endStreams: () => {
      for (const call of open) call.end()
      open.clear()
    },
  }

  function subscribe(call: ServerWritableStream<Buffer, Buffer>): void {
    proxy.calls.push({ method: 'subscribe', metadata: call.metadata })
    open.add(call)
    const { path } = HubServiceService.subscribe
    const stream = client.makeServerStreamRequest(path, passThrough, passThrough, call.request, call.metadata)
    const distort = proxy.distort()
    stream.on('data', (event: Buffer) => {
      for (const each of distort(event)) call.write(each)
    })
    stream.on('error', (error) => call.emit('error', error))
    stream.on('end', () => call.end())
    call.on('cancelled', () => {
      open.delete(call)
      stream.cancel()
    })
  }

  const unary = methods.filter(([, { responseStream }]) => !responseStream)
  server.addService(definition, {
    ...Object.fromEntries(unary.map(([name, { path }]) => [name, forward(client, proxy, { name, path })])),
    subscribe,
  })
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    )
  })
  onTestFinished(() => {
    server.forceShutdown()
    client.close()
  })
  return Object.assign(proxy, { address: `127.0.0.1:${port}` })
}

/** Forwards a call and returns what `proxy.answer` makes of the answer. */
function forward(client: Client, proxy: GrpcProxy, { name, path }: { name: string; path: string }) {
  return (call: ServerUnaryCall<Buffer, Buffer>, callback: sendUnaryData<Buffer>) => {
    proxy.calls.push({ method: name, metadata: call.metadata })
    client.makeUnaryRequest(
      path,
      passThrough,
      passThrough,
      call.request,
      call.metadata,
      {},
      (error, bytes) => {
        if (error) callback(error)
        else callback(null, proxy.answer(name, bytes ?? Buffer.alloc(0)))
      },
    )
  }
}
