import type { Database } from '../../platform/db/connection.js'
import type { LongReply } from '../../platform/http/long-reply.js'
import type { LongWait } from '../../platform/process/deadlines.js'
import type { Hub } from '../hub.js'
import type { EventPageOptions, ShardRange } from '../log/log-range.js'
import type { EventPage } from '../log/read.js'
import { cacheHubInfo, type HubInfo } from '../query/info.js'
import type { Field } from './fields.js'
import type { GrpcName, GrpcRequest } from './grpc/request.js'
import type { Parameters } from './http/parameters.js'

/** Dependencies of the handlers of hub methods. */
export interface MethodContext {
  /** For reads: a replica, or the primary. */
  readonly db: Database
  readonly hub: Hub
  readonly shards: number
  /** The FarcasterNetwork of the hub. */
  readonly network: number
  /** Unix milliseconds. */
  readonly clock: () => number
  /** Version of this server. */
  readonly version: string
  /** Counts what the hub holds, at most every ten seconds. */
  readonly hubInfo: () => Promise<HubInfo>
  readonly readEvents: ReadEncodedEvents
}

/** A page of the log whose events have the encoding of the adapter. */
export interface EncodedEventPage extends Pick<EventPage, 'next' | 'remaining'> {
  /** In JSON each may be several events with commas between them. */
  readonly events: readonly Buffer[]
}

/** Reads one page of these ranges of the log. */
export type ReadEncodedEvents = (
  db: Database,
  ranges: readonly ShardRange[],
  options: Pick<EventPageOptions, 'limit' | 'reverse' | 'maxBytes'>,
) => Promise<EncodedEventPage>

/** Where a method is in the HTTP API, below `/v1`. Methods with fields are a GET, those with bytes a POST. */
export interface HttpRoute {
  readonly path: string
  /** The `error` of an error body (docs/protocol.md §1.6). Routes with `when` have that of their path. */
  readonly failure?: string
  /** Answers only requests with this parameter. Another method on the same path answers the rest. */
  readonly when?: string
  /** The status of NotFound, if not 404: the reference node answers 400 in its channel routes. */
  readonly notFoundStatus?: 400
}

/** How a value is sent: as JSON over HTTP, as protobuf over gRPC. */
export interface Reply<Value> {
  /** An object, or the bytes of its JSON. */
  readonly json: (value: Value) => object | Buffer | LongReply | Promise<Buffer | LongReply>
  readonly protobuf: (value: Value) => Uint8Array | Promise<Uint8Array>
}

/** The parts that methods of both kinds have. */
interface CommonSpec {
  readonly http?: HttpRoute
  readonly grpc?: GrpcName
  /** Over gRPC the method needs the operator's credentials, if there are any. */
  readonly forOperator?: true
  /** It may take longer than `REQUEST_TIMEOUT_MS`. */
  readonly longWait?: LongWait
}

interface ReadSpec<Fields extends Record<string, Field<unknown>>, Value> extends CommonSpec {
  /** Whether the work grows with what is counted, however short the reply. */
  readonly countsAll?: true
  /** Checked in this order. */
  readonly request: Fields
  readonly reply: Reply<Value>
  readonly handle: (request: RequestOf<Fields>, context: MethodContext) => Promise<Value>
}

type RequestOf<Fields> = { readonly [Name in keyof Fields]: FieldValue<Fields[Name]> }
type FieldValue<Each> = Each extends Field<infer Value> ? Value : never

/** The API that a request came by. */
export type Transport = 'http' | 'grpc'

interface WriteSpec<Value> extends CommonSpec {
  readonly reply: Reply<Value>
  /** Gets the bytes of the request undecoded: what was signed must stay as it is. */
  readonly handle: (bytes: Buffer, context: MethodContext, transport: Transport) => Promise<Value>
}

/** A method that reads, in both APIs. */
export interface ReadMethod extends CommonSpec {
  readonly kind: 'read'
  readonly fields: readonly Field<unknown>[]
  /** Whether it answers with pages of a list. */
  readonly isPaged: boolean
  readonly countsAll?: true
  readonly answerQuery: (query: Parameters, context: MethodContext) => Promise<object | Buffer | LongReply>
  readonly answerRequest: (request: GrpcRequest, context: MethodContext) => Promise<Uint8Array>
}

/** A method that takes encoded messages, in both APIs. */
export interface WriteMethod extends CommonSpec {
  readonly kind: 'write'
  readonly answerBody: (bytes: Buffer, context: MethodContext) => Promise<object | Buffer | LongReply>
  readonly answerRequest: (bytes: Buffer, context: MethodContext) => Promise<Uint8Array>
}

/** A method of the hub. */
export type HubMethod = ReadMethod | WriteMethod

/** Defines a method that reads. */
export function readMethod<Fields extends Record<string, Field<unknown>>, Value>({
  request: fields,
  reply,
  handle,
  ...common
}: ReadSpec<Fields, Value>): ReadMethod {
  const named = Object.entries(fields)
  async function answer(read: (field: Field<unknown>) => unknown, context: MethodContext): Promise<Value> {
    const values = Object.fromEntries(named.map(([name, field]) => [name, read(field)]))
    return await handle(values as RequestOf<Fields>, context)
  }
  return {
    ...common,
    kind: 'read',
    fields: named.map(([, field]) => field),
    isPaged: named.some(([, { parameters }]) => parameters.includes('page_size')),
    answerQuery: async (query, context) =>
      reply.json(await answer((field) => field.fromQuery(query, context.shards), context)),
    answerRequest: async (request, context) =>
      reply.protobuf(await answer((field) => field.fromRequest(request, context.shards), context)),
  }
}

/** Defines a method that takes encoded messages. */
export function writeMethod<Value>({ reply, handle, ...common }: WriteSpec<Value>): WriteMethod {
  return {
    ...common,
    kind: 'write',
    answerBody: async (bytes, context) => reply.json(await handle(bytes, context, 'http')),
    answerRequest: async (bytes, context) => reply.protobuf(await handle(bytes, context, 'grpc')),
  }
}

/** Creates the context of one adapter, with caches of its own. */
export function createMethodContext(
  api: Pick<MethodContext, 'db' | 'hub' | 'clock' | 'version'> & {
    readonly config: { readonly shards: number; readonly network: number }
  },
  readEvents: ReadEncodedEvents,
): MethodContext {
  const { db, hub, clock, version, config } = api
  const { shards, network } = config
  return { db, hub, clock, version, shards, network, hubInfo: cacheHubInfo(db, clock), readEvents }
}
