import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox'
import { Json } from '../../graph/view/json.js'
import type { JsonReply, OperationExample } from '../operation.js'
import { compileBody } from '../parse-body.js'
import { compileQuery } from '../parse-query.js'

/** The documentation of an admin operation. */
interface DescribedOperation<Reply extends TSchema> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below `/admin`, without slashes at its ends: `apps/{id}`. */
  readonly path: string
  /** At most 60 characters, without a full stop. */
  readonly summary: string
  /** The order, the bounds and the effects, in Markdown. */
  readonly description: string
  readonly example?: OperationExample
  readonly reply: Reply
  /** 200 by default; 201 for an operation that creates something. */
  readonly status?: 200 | 201
  /** When the reply is 404 or 409. These texts are documentation; `handle` throws the errors. */
  readonly notFound?: string
  readonly conflict?: string
}

/**
 * An operation for the operator of the server. Unlike the operations of `operation.ts`, it has no calling app, and its
 * path has parameters. The server parses requests by this object, and the OpenAPI document is written from it.
 */
interface AdminSpec<Context, Params extends TObject, Input extends TObject, Reply extends TSchema>
  extends DescribedOperation<Reply> {
  /** The parameters of the path. */
  readonly params?: Params
  /** The query of a GET, the JSON body of any other method. */
  readonly input?: Input
  /** Gets checked input with its defaults. Throws PlazaError to refuse. */
  readonly handle: (context: Context, input: Static<Input>, params: Static<Params>) => Promise<Static<Reply>>
}

/** An unchecked request. */
export interface RawAdminRequest {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

/** The documented part of an operation. */
export interface AdminOperationDescription extends DescribedOperation<TSchema> {
  readonly status: 200 | 201
  readonly params: TObject
  readonly query?: TObject
  readonly body?: TObject
}

/** An admin operation whose own types are erased, for lists. */
export interface ErasedAdminOperation<Context> extends AdminOperationDescription {
  /** Parses the request, runs the operation and renders the reply. */
  run(context: Context, request: RawAdminRequest): Promise<JsonReply>
}

type EmptyObject = TObject<Record<never, never>>
const emptyObject: TObject = Type.Object({})

/** Checks the types of a spec and compiles its parsers. */
export type DefineAdminOperation<Context> = <
  Reply extends TSchema,
  Params extends TObject = EmptyObject,
  Input extends TObject = EmptyObject,
>(
  spec: AdminSpec<Context, Params, Input, Reply>,
) => ErasedAdminOperation<Context>

/** Creates `defineAdminOperation` for handlers that get `Context`. */
export function adminOperationDefiner<Context>(): DefineAdminOperation<Context> {
  return defineOperation
}

function defineOperation<Context, Reply extends TSchema, Params extends TObject, Input extends TObject>(
  spec: AdminSpec<Context, Params, Input, Reply>,
): ErasedAdminOperation<Context> {
  const {
    handle,
    params = emptyObject as Params,
    input = emptyObject as Input,
    status = 200,
    ...described
  } = spec
  const parseParams = compileQuery(params)
  const isRead = spec.method === 'GET'
  const parseInput = isRead ? compileQuery(input) : parseStrictly(input)
  return {
    ...described,
    status,
    params,
    ...(spec.input === undefined ? {} : isRead ? { query: input } : { body: input }),
    run: async (context, { params: rawParams, query, body }) => {
      // A wrong path is reported before a wrong body.
      const named = parseParams(rawParams)
      const reply = await handle(context, parseInput(isRead ? query : body), named)
      return { status, json: Json.of(reply as object).toBuffer() }
    },
  }
}

/** A misspelt member of the operator's own body is refused. */
function parseStrictly<Input extends TObject>(input: Input): (body: unknown) => Static<Input> {
  const parse = compileBody(input)
  return (body) => parse(body, { strict: true })
}
