import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox'
import { Json } from '../graph/view/json.js'
import type { ChargeWork } from '../platform/limits/work-limits.js'
import type { WorkPrice } from '../platform/limits/work-prices.js'
import type { LongWait } from '../platform/process/deadlines.js'
import type { Caller } from './caller.js'
import { compileBody } from './parse-body.js'
import { compileQuery } from './parse-query.js'

/** Example values that replace the ones which `openapi-example.ts` builds from the schemas. */
export interface OperationExample {
  /** Members of the query or of the body. They replace the built request as a whole. */
  readonly request?: Readonly<Record<string, unknown>>
  readonly reply?: unknown
}

/** The documentation of an operation. */
interface DescribedOperation<Reply extends TSchema, Headers extends TObject> {
  /**
   * Below `/v2/social` and `/v2/farcaster`, without slashes at its ends: `fname/availability`. A path with a leading
   * slash is below `/v2` only: `/onchain/token/metadata`.
   */
  readonly path: string
  readonly tag: OperationTag
  /** The hosted service's name of the operation, of at most 60 characters and without a full stop. */
  readonly summary: string
  /** Selection, order, bounds and errors, in Markdown. */
  readonly description: string
  readonly example?: OperationExample
  /** Request headers that it reads, by their lower-case names, without the API key. */
  readonly headers?: Headers
  readonly reply: Reply
  /** Status of `reply`; 200 by default. */
  readonly status?: 201
  /** Replies that are no errors, with a status other than 200. */
  readonly otherReplies?: Readonly<Record<number, { readonly description: string; readonly reply: TSchema }>>
  /** When the reply is 404. These texts are documentation; `handle` throws the errors. */
  readonly notFound?: string
  /** When the reply is 402, 403, 409 or 422. */
  readonly paymentRequired?: string
  readonly forbidden?: string
  readonly conflict?: string
  readonly unprocessable?: string
  /** The last day (UTC, `2025-10-31`) on which the description of the hosted API is known to have had the operation. */
  readonly deprecatedSince?: string
  /** Needs no API key, and ignores one. Requests of each address are limited. */
  readonly isKeyless?: true
  /** Whether it changes or spends something, if its method does not tell (`isChange`). The audit log and the console's queries need it. */
  readonly isChange?: boolean
  /** It may take longer than `REQUEST_TIMEOUT_MS`. */
  readonly longWait?: LongWait
  /** The price of a request where it is heavy (`npm run bench:hostile -- --survey`); without it all are light. */
  readonly price?: PriceOf
}

/** Whether an operation changes something: GET does not and others do, unless it says otherwise. */
export function isChange({
  method,
  isChange = method !== 'GET',
}: Pick<OperationDescription, 'method' | 'isChange'>): boolean {
  return isChange
}

/** Returns the price of a request by its unchecked query; null for a light one. */
export type PriceOf = (query: Readonly<Record<string, unknown>>) => WorkPrice | null

/** Returns the reply as a value, as rendered JSON, or with another status. Throws PlazaError to refuse. */
type Handle<Context, Input, Headers extends TObject, Reply extends TSchema> = (
  context: Context,
  input: Input,
  caller: Caller,
  headers: Static<Headers>,
  /** For work whose price the query does not tell, or that waits for another server. */
  charge: ChargeWork,
) => Promise<(Static<Reply> & object) | Json | OtherReply>

/**
 * An operation that reads; its parameters are in the URL. The server parses requests by this object, and the OpenAPI
 * document is written from it. `handle` gets the checked query with its defaults.
 */
export interface ReadSpec<Context, Query extends TObject, Reply extends TSchema, Headers extends TObject>
  extends DescribedOperation<Reply, Headers> {
  readonly method: 'GET'
  /** Composed of the parameters of `parameters.ts`. */
  readonly query: Query
  /** It writes or locks something, so it runs on the primary. Other reads may run on a replica, and there again. */
  readonly usesPrimary?: true
  /**
   * `PUBLIC_READS` opens it to requests without a key, because it reads public data of the network. What belongs to an app, costs
   * money, or makes the server fetch a URL always needs a key.
   */
  readonly isPublic?: true
  readonly body?: never
  /**
   * Waits for another server before a heavy request takes a place among the heavy ones, which it would keep from others
   * meanwhile. `handle` then finds the answer in a cache.
   */
  readonly prepare?: (context: Context, query: Static<Query>, caller: Caller) => Promise<unknown>
  readonly handle: Handle<Context, Static<Query>, Headers, Reply>
}

/** An operation that writes; its input is a JSON body, also for DELETE. */
export interface WriteSpec<Context, Body extends TObject, Reply extends TSchema, Headers extends TObject>
  extends DescribedOperation<Reply, Headers> {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly query?: never
  readonly prepare?: never
  readonly body: Body
  readonly handle: Handle<Context, Static<Body>, Headers, Reply>
}

/** A reply that is no error, with one of the statuses of the operation's `otherReplies`. */
export class OtherReply {
  constructor(
    readonly status: number,
    readonly value: unknown,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}

/** The tags of the document, in its order. */
export const operationTags = {
  Users: 'Profiles, addresses, names and registration of users.',
  Casts: 'Posts of users: publish, look up, search and count them.',
  Feeds: 'Lists of casts by author, channel, parent URL, embed or rank.',
  Channels: 'Channels, their followers, members and invites.',
  Reactions: 'Likes and recasts of casts and URLs.',
  Follows: 'Follows between users.',
  Notifications: 'The inbox of a user: follows, likes, recasts, mentions, replies and quotes.',
  Signers: 'Keys that act for users, their approval by the user, and sign-in.',
  Moderation: 'Blocks and mutes of users, and bans of apps.',
  Storage: 'Storage units on chain and their use.',
  Onchain: 'Tokens: balances, owners and trades.',
  Webhooks: 'Subscriptions to events and their delivery to an app.',
  'Mini apps': 'Notifications from a mini app to its users, and actions sent to other apps.',
  'App hosts': 'For apps that open mini apps: events, and the notifications that they receive.',
  Hub: 'Messages of the protocol.',
} as const
export type OperationTag = keyof typeof operationTags

/** An unchecked request. */
export interface RawRequest {
  readonly query: unknown
  readonly body: unknown
  readonly headers: Readonly<Record<string, unknown>>
  readonly charge: ChargeWork
}

/** Returns the full paths of an operation; the first is the documented one. */
export function pathsOf(path: string): readonly [string, ...string[]] {
  return path.startsWith('/') ? [`/v2${path}`] : [`/v2/social/${path}`, `/v2/farcaster/${path}`]
}

/** A status, headers and rendered JSON. */
export interface JsonReply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly json: Buffer
}

/** The documented part of an operation. */
export interface OperationDescription extends Readonly<DescribedOperation<TSchema, TObject>> {
  readonly method:
    | ReadSpec<unknown, TObject, TSchema, TObject>['method']
    | WriteSpec<unknown, TObject, TSchema, TObject>['method']
  readonly query?: TObject
  readonly body?: TObject
  readonly usesPrimary?: true
  readonly isPublic?: true
}

/** An operation whose own types are erased, for lists. */
export interface ErasedOperation<Context> extends OperationDescription {
  /** Checks a heavy request, and waits for other servers, before `run` takes a place and is paid for. */
  prepare(context: Context, request: RawRequest, caller: Caller): Promise<unknown>
  /** Parses the request, runs the operation and renders the reply. */
  run(context: Context, request: RawRequest, caller: Caller): Promise<JsonReply>
}

const noHeaders = Type.Object({})

type AnySpec<Context> =
  | ReadSpec<Context, TObject, TSchema, TObject>
  | WriteSpec<Context, TObject, TSchema, TObject>

/** Checks the types of a spec and compiles its parsers. */
export interface DefineOperation<Context> {
  <Query extends TObject, Reply extends TSchema, Headers extends TObject = TObject<Record<never, never>>>(
    spec: ReadSpec<Context, Query, Reply, Headers>,
  ): ErasedOperation<Context>
  <Body extends TObject, Reply extends TSchema, Headers extends TObject = TObject<Record<never, never>>>(
    spec: WriteSpec<Context, Body, Reply, Headers>,
  ): ErasedOperation<Context>
}

/** Creates `defineOperation` for handlers that get `Context`. */
export function operationDefiner<Context>(): DefineOperation<Context> {
  function define<Query extends TObject, Reply extends TSchema, Headers extends TObject>(
    spec: ReadSpec<Context, Query, Reply, Headers>,
  ): ErasedOperation<Context>
  function define<Body extends TObject, Reply extends TSchema, Headers extends TObject>(
    spec: WriteSpec<Context, Body, Reply, Headers>,
  ): ErasedOperation<Context>
  function define(spec: AnySpec<Context>): ErasedOperation<Context> {
    const parseHeaders = compileQuery(spec.headers ?? noHeaders)
    const parseInput = inputParser(spec)
    const { handle, prepare, ...described } = spec
    return {
      ...described,
      prepare: async (context, request, caller) => {
        const input = parseInput(request)
        parseHeaders(request.headers)
        await prepare?.(context, input, caller)
      },
      run: async (context, request, caller) => {
        const headersRead = parseHeaders(request.headers)
        const reply = await handle(context, parseInput(request), caller, headersRead, request.charge)
        const { status, value, headers } =
          reply instanceof OtherReply ? reply : { status: spec.status ?? 200, value: reply, headers: {} }
        return {
          status,
          headers,
          json: Json.of(value as object).toBuffer(),
        }
      },
    }
  }
  return define
}

function inputParser(
  spec: Pick<AnySpec<never>, 'body' | 'query'>,
): (request: RawRequest) => Record<string, unknown> {
  if (spec.body !== undefined) {
    const parse = compileBody(spec.body)
    return ({ body, headers }) => parse(body, { strict: prefersStrict(headers.prefer) })
  }
  const parse = compileQuery(spec.query ?? noHeaders)
  return ({ query }) => parse(query)
}

/** Whether a header `Prefer` asks for strict handling (RFC 7240 §4.4). */
export function prefersStrict(header: unknown): boolean {
  return typeof header === 'string' && /(^|[,;])\s*handling\s*=\s*"?strict"?\s*($|[,;])/i.test(header)
}
