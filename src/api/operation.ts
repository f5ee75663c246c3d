import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox'
import type { Caller } from './caller.js'
import { compileBody } from './parse-body.js'
import { compileQuery } from './parse-query.js'

/** What every operation says of itself. */
interface DescribedOperation<Reply extends TSchema, Headers extends TObject> {
  /** Below `/v2/social` and `/v2/farcaster`, without slashes at its ends: `fname/availability`. */
  readonly path: string
  readonly tag: OperationTag
  /** What it does, in a line without a full stop. */
  readonly summary: string
  /** What the line does not say, in Markdown. */
  readonly description?: string
  /** Request headers that it reads, by their lower-case names. The API key is everybody's and not among them. */
  readonly headers?: Headers
  readonly reply: Reply
  /** Replies that are a success under another status than 200: what each means, and its schema. */
  readonly otherReplies?: Readonly<Record<number, { readonly description: string; readonly reply: TSchema }>>
  /** For a look-up: what is said, with 404, when there is no such thing. It is documented, not thrown. */
  readonly notFound?: string
  /** What is said with 402, with 403, with 409, with 410 and with 422. Documented, not thrown. */
  readonly paymentRequired?: string
  readonly forbidden?: string
  readonly conflict?: string
  readonly gone?: string
  readonly unprocessable?: string
  readonly deprecated?: boolean
}

/** Answers a request with a value of the reply's type, with its JSON ready as text or bytes, or with another status. */
type Handle<Context, Input, Headers extends TObject, Reply extends TSchema> = (
  context: Context,
  input: Input,
  caller: Caller,
  headers: Static<Headers>,
) => Promise<Static<Reply> | string | Buffer | OtherReply>

/**
 * An operation that reads: what it is asked stands in the URL. One such object, in one file, is everything there is
 * to know of it: the server parses by it, and the OpenAPI document is made from it. `handle` gets the query
 * checked, with its defaults, and throws PlazaError to refuse.
 */
export interface ReadSpec<Context, Query extends TObject, Reply extends TSchema, Headers extends TObject>
  extends DescribedOperation<Reply, Headers> {
  readonly method: 'GET'
  /** Made of the parameters of `parameters.ts`. */
  readonly query: Query
  readonly body?: never
  readonly handle: Handle<Context, Static<Query>, Headers, Reply>
}

/** An operation that writes: what it is asked stands in a JSON body, also where the method is DELETE. */
export interface WriteSpec<Context, Body extends TObject, Reply extends TSchema, Headers extends TObject>
  extends DescribedOperation<Reply, Headers> {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly query?: never
  readonly body: Body
  readonly handle: Handle<Context, Static<Body>, Headers, Reply>
}

/** A success with another status than 200, one of the operation's `otherReplies`. */
export class OtherReply {
  constructor(
    readonly status: number,
    readonly value: unknown,
  ) {}
}

/** The groups of the documentation, in its order. */
export const operationTags = {
  User: 'Who there is.',
  Signer: 'Keys that act for users.',
  'Sign in': 'Who is asking.',
  Cast: 'What was said.',
  Feed: 'Casts, chosen and in order.',
  Reaction: 'Likes and recasts.',
  Follow: 'Who follows whom.',
  Notification: 'What happened to a user.',
  'Mute, block, ban': 'Whom somebody does not want to see.',
  Channel: 'Places for casts.',
  Message: 'Messages of the protocol.',
  Action: 'Between apps.',
  Storage: 'How much a user may keep.',
  Fname: 'Names of users.',
  Fungible: 'Tokens: who owns them, and who trades them.',
  Webhook: 'Events, sent to an app.',
  'Mini app': 'Notifications to the users of a mini app.',
  'App host': 'For apps that open mini apps of others.',
} as const
export type OperationTag = keyof typeof operationTags

/** A request as it came: nothing of it is checked. */
export interface RawRequest {
  readonly query: unknown
  readonly body: unknown
  readonly headers: Readonly<Record<string, unknown>>
}

/** What is sent: a status, and JSON. */
export interface JsonReply {
  readonly status: number
  readonly json: string | Buffer
}

/** What the documentation tells of an operation. */
export interface OperationDescription extends Readonly<DescribedOperation<TSchema, TObject>> {
  readonly method:
    | ReadSpec<unknown, TObject, TSchema, TObject>['method']
    | WriteSpec<unknown, TObject, TSchema, TObject>['method']
  readonly query?: TObject
  readonly body?: TObject
}

/** An operation without the types of its own query, body and reply, as lists of them hold it. */
export interface Operation<Context> extends OperationDescription {
  /** Parses the raw request and answers with JSON. */
  run(context: Context, request: RawRequest, caller: Caller): Promise<JsonReply>
}

const noHeaders = Type.Object({})

type AnySpec<Context> =
  | ReadSpec<Context, TObject, TSchema, TObject>
  | WriteSpec<Context, TObject, TSchema, TObject>

/** Checks an operation's types and makes it ready to be listed. */
export interface DefineOperation<Context> {
  <Query extends TObject, Reply extends TSchema, Headers extends TObject = TObject<Record<never, never>>>(
    spec: ReadSpec<Context, Query, Reply, Headers>,
  ): Operation<Context>
  <Body extends TObject, Reply extends TSchema, Headers extends TObject = TObject<Record<never, never>>>(
    spec: WriteSpec<Context, Body, Reply, Headers>,
  ): Operation<Context>
}

/** Makes the function that defines operations, for operations whose handlers get `Context`. */
export function operationDefiner<Context>(): DefineOperation<Context> {
  function define<Query extends TObject, Reply extends TSchema, Headers extends TObject>(
    spec: ReadSpec<Context, Query, Reply, Headers>,
  ): Operation<Context>
  function define<Body extends TObject, Reply extends TSchema, Headers extends TObject>(
    spec: WriteSpec<Context, Body, Reply, Headers>,
  ): Operation<Context>
  function define(spec: AnySpec<Context>): Operation<Context> {
    const parseHeaders = compileQuery(spec.headers ?? noHeaders)
    const parseInput = inputParser(spec)
    const { handle, ...described } = spec
    return {
      ...described,
      run: async (context, request, caller) => {
        const reply = await handle(context, parseInput(request), caller, parseHeaders(request.headers))
        const [status, value] = reply instanceof OtherReply ? [reply.status, reply.value] : [200, reply]
        return {
          status,
          json: typeof value === 'string' || Buffer.isBuffer(value) ? value : JSON.stringify(value),
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
    return ({ body }) => parse(body)
  }
  const parse = compileQuery(spec.query ?? noHeaders)
  return ({ query }) => parse(query)
}
