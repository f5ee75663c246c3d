import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox'
import type { JsonReply } from '../operation.js'
import { compileBody } from '../parse-body.js'
import { compileQuery } from '../parse-query.js'

/** What an operation of the admin API says of itself. */
interface DescribedOperation<Reply extends TSchema> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below `/admin`, without slashes at its ends: `apps/{id}`. */
  readonly path: string
  /** What it does, in a line without a full stop. */
  readonly summary: string
  /** What the line does not say, in Markdown. */
  readonly description?: string
  readonly reply: Reply
  /** 201 for one that makes something; 200 unless told. */
  readonly status?: 200 | 201
  /** What is said with 404, and with 409. Documented, not thrown. */
  readonly notFound?: string
  readonly conflict?: string
}

/**
 * An operation of whoever runs the server. Unlike those of `operation.ts` it has no app that calls, and names things
 * in its path. One such object, in one file, is everything there is to know of it: the server parses by it, and the
 * OpenAPI document is made from it.
 */
interface AdminSpec<Context, Params extends TObject, Input extends TObject, Reply extends TSchema>
  extends DescribedOperation<Reply> {
  /** The parts of the path between braces. */
  readonly params?: Params
  /** What it is asked: the query of a GET, the JSON body of any other. */
  readonly input?: Input
  /** Gets everything checked, with its defaults, and throws PlazaError to refuse. */
  readonly handle: (context: Context, input: Static<Input>, params: Static<Params>) => Promise<Static<Reply>>
}

/** A request as it came: nothing of it is checked. */
export interface RawAdminRequest {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

/** What the documentation tells of an operation. */
export interface AdminOperationDescription extends DescribedOperation<TSchema> {
  readonly status: 200 | 201
  readonly params: TObject
  readonly query?: TObject
  readonly body?: TObject
}

/** An operation without the types of its own parts, as `admin-operations.ts` lists it. */
export interface AdminOperation<Context> extends AdminOperationDescription {
  /** Parses the raw request and answers with JSON. */
  run(context: Context, request: RawAdminRequest): Promise<JsonReply>
}

type EmptyObject = TObject<Record<never, never>>
const emptyObject: TObject = Type.Object({})

/** Checks an operation's types and makes it ready to be listed in `admin-operations.ts`. */
export type DefineAdminOperation<Context> = <
  Reply extends TSchema,
  Params extends TObject = EmptyObject,
  Input extends TObject = EmptyObject,
>(
  spec: AdminSpec<Context, Params, Input, Reply>,
) => AdminOperation<Context>

/** Makes the function that defines admin operations, for operations whose handlers get `Context`. */
export function adminOperationDefiner<Context>(): DefineAdminOperation<Context> {
  return defineOperation
}

function defineOperation<Context, Reply extends TSchema, Params extends TObject, Input extends TObject>(
  spec: AdminSpec<Context, Params, Input, Reply>,
): AdminOperation<Context> {
  const {
    handle,
    params = emptyObject as Params,
    input = emptyObject as Input,
    status = 200,
    ...described
  } = spec
  const parseParams = compileQuery(params)
  const isRead = spec.method === 'GET'
  const parseInput = isRead ? compileQuery(input) : compileBody(input)
  return {
    ...described,
    status,
    params,
    ...(spec.input === undefined ? {} : isRead ? { query: input } : { body: input }),
    run: async (context, { params: rawParams, query, body }) => {
      // What the path names is wrong before what is told of it.
      const named = parseParams(rawParams)
      const reply = await handle(context, parseInput(isRead ? query : body), named)
      return { status, json: JSON.stringify(reply) }
    },
  }
}
