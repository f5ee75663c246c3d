import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox'
import type { Caller } from '../../../api/caller.js'
import type { PriceOf } from '../../../api/operation.js'
import {
  castHashParameter,
  cursorParameter,
  fidParameter,
  limitParameter,
  viewerFidParameter,
} from '../../../api/parameters.js'
import { Json } from '../../../graph/view/json.js'
import { PlazaError } from '../../../platform/errors.js'
import { defineOperation, type Operation, type OperationContext } from '../../operation.js'
import type { consentHeaders } from '../../signers/fid-consent.js'

/** An operation below `/v1/farcaster`. */
interface VersionOneSpec<Query extends TObject, Result extends TSchema> {
  readonly path: string
  readonly tag: Operation['tag']
  readonly summary: string
  /** The last day on which the description is known to have had it, if not that of most. */
  readonly deprecatedSince?: string
  readonly price?: PriceOf
  readonly query: Query
  /** The value of `result`. */
  readonly result: Result
  /** For what only the user should see. */
  readonly headers?: typeof consentHeaders
  readonly forbidden?: string
  readonly handle: (
    context: OperationContext,
    query: Static<Query>,
    caller: Caller,
    headers: Static<typeof consentHeaders>,
  ) => Promise<Static<Result>>
}

/** Defines an operation of version 1: it reads, is deprecated, and answers `{result}`. */
export function versionOne<Query extends TObject, Result extends TSchema>({
  result,
  handle,
  ...spec
}: VersionOneSpec<Query, Result>): Operation {
  return defineOperation({
    deprecatedSince: '2024-11-20',
    ...spec,
    method: 'GET',
    description: 'An operation of version 1 of the hosted API, for its older clients.',
    reply: Type.Object({ result }),
    handle: async (context, query, caller, headers) =>
      Json.of({ result: await handle(context, query as Static<Query>, caller, headers) }),
  })
}

const MAX_LIMIT = 150

/** Parameters of version 1, which has them in camel case. */
export const fid = fidParameter({ description: 'Fid of the user.' })
export const viewerFid = viewerFidParameter
/** Viewer of lookups, which show what they name, whomever the viewer hides. */
export const lookupViewerFid = Type.Optional(
  fidParameter({ description: 'The viewer. Adds `viewerContext`.', examples: [191] }),
)
export const hash = castHashParameter({ description: 'Hash of the cast.' })
export const paging = {
  viewerFid,
  limit: limitParameter({ maximum: MAX_LIMIT, default: 25 }),
  cursor: cursorParameter,
}

/** Lowercase hex without 0x. */
export function bareHex(hash: string): string {
  return hash.replace(/^0x/, '').toLowerCase()
}

/** Returns what was found, or throws `not_found`. */
export function required<Found>(found: Found | null | undefined, what: string, property: string): Found {
  if (found === null || found === undefined)
    throw new PlazaError('not_found', `there is no ${what}`, { property })
  return found
}
