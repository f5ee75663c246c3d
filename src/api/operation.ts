import type { Static, TObject, TSchema } from '@sinclair/typebox'
import type { Caller } from '../apps/caller.js'
import type { Database } from '../db/connection.js'
import type { Crawler } from '../embeds/crawler.js'
import type { Hydrator } from '../hydrate/hydrator.js'
import { compileQuery } from './parse-query.js'

/** What operations work with. An operation takes the parts that it uses: `handle({ db }, query)`. */
export interface OperationContext {
  /** For reads. */
  readonly db: Database
  /** Makes JSON of users, casts and channels by their ids. */
  readonly hydrator: Hydrator
  /** Fetches embedded URLs. */
  readonly crawler: Pick<Crawler, 'crawlNow'>
  /** Unix milliseconds. */
  readonly clock: () => number
}

/**
 * What an operation says of itself. One such object, in one file, is everything there is to know of it: the
 * server parses by it, and the OpenAPI document is made from it.
 */
export interface OperationSpec<Query extends TObject, Reply extends TSchema> {
  readonly method: 'GET'
  /** Below `/v2/social` and `/v2/farcaster`, without slashes at its ends: `fname/availability`. */
  readonly path: string
  readonly tag: OperationTag
  /** What it does, in a line without a full stop. */
  readonly summary: string
  /** What the line does not say, in Markdown. */
  readonly description?: string
  /** Made of the parameters of `parameters.ts`. */
  readonly query: Query
  readonly reply: Reply
  /** For a look-up: what is said, with 404, when there is no such thing. It is documented, not thrown. */
  readonly notFound?: string
  readonly deprecated?: boolean
  /**
   * Answers with a value of `reply`, or with its JSON ready as text or bytes. Throws PlazaError to refuse.
   * The query is checked; what has a default is there.
   */
  handle(
    context: OperationContext,
    query: Static<Query>,
    caller: Caller,
  ): Promise<Static<Reply> | string | Buffer>
}

/** The groups of the documentation, in its order. */
export const operationTags = {
  User: 'Who there is.',
  Cast: 'What was said.',
  Feed: 'Casts, chosen and in order.',
  Reaction: 'Likes and recasts.',
  Follow: 'Who follows whom.',
  Channel: 'Places for casts.',
  Storage: 'How much a user may keep.',
  Fname: 'Names of users.',
} as const
export type OperationTag = keyof typeof operationTags

/** An operation without the types of its own query and reply, as lists of them hold it. */
export interface Operation extends Readonly<Omit<OperationSpec<TObject, TSchema>, 'handle'>> {
  /** Parses the raw query and answers with JSON. */
  run(context: OperationContext, rawQuery: unknown, caller: Caller): Promise<string | Buffer>
}

/** Checks an operation's types and makes it ready to be listed in `operations.ts`. */
export function defineOperation<Query extends TObject, Reply extends TSchema>(
  spec: OperationSpec<Query, Reply>,
): Operation {
  const parse = compileQuery(spec.query)
  const { handle, ...described } = spec
  return {
    ...described,
    run: async (context, rawQuery, caller) => {
      const reply = await handle(context, parse(rawQuery), caller)
      return typeof reply === 'string' || Buffer.isBuffer(reply) ? reply : JSON.stringify(reply)
    },
  }
}
