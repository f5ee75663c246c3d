import type { Database } from '../../../platform/db/connection.js'
import { PlazaError } from '../../../platform/errors.js'
import type { TargetPolicy } from '../../../platform/outbound/target.js'
import { type JsonSignature, verifyJsonSignature } from '../../../protocol/json-signature.js'
import { endToken, grantToken, type TokenEventOutcome, type TokenHolder } from '../tokens/tokens.js'
import { valueOrThrow } from '../value-or-throw.js'
import { type ClientEvent, readClientEvent } from './client-event.js'
import { verifyEventSigner } from './event-signer.js'

/** Dependencies of `receiveEvent`. */
export interface EventContext {
  /** Used for writes. */
  readonly db: Database
  readonly targetPolicy: TargetPolicy
}

/** The form of app ids in paths. */
const appIdPattern = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/**
 * Verifies a signed client event and applies it.
 *
 * @throws PlazaError `not_found` for an unknown app; `bad_request.invalid_param` for an invalid event;
 * `unauthenticated` for an invalid signature; `bad_request.rate_limited` as `grantToken`.
 */
export async function receiveEvent(
  { db, targetPolicy }: EventContext,
  appId: string,
  signedEvent: JsonSignature,
): Promise<TokenEventOutcome> {
  if (!(await isApp(db, appId))) throw new PlazaError('not_found', 'there is no app with this client_id')
  const decoded = valueOrThrow(verifyJsonSignature(signedEvent))
  const event = valueOrThrow(readClientEvent(decoded.payload, targetPolicy))
  const { fid, clientFid } = valueOrThrow(await verifyEventSigner(db, decoded))
  return await applyEvent(db, { appId, fid, clientFid }, event)
}

/** Applies a verified event to the token of its holder. */
export async function applyEvent(
  db: Database,
  holder: TokenHolder,
  event: ClientEvent,
): Promise<TokenEventOutcome> {
  switch (event.kind) {
    case 'granted':
      return await grantToken(db, holder, event.grant)
    case 'disabled':
      return await endToken(db, holder, 'disabled')
    case 'removed':
      return await endToken(db, holder, 'invalid')
    case 'added':
      return 'unchanged'
  }
}

async function isApp(db: Database, appId: string): Promise<boolean> {
  if (!appIdPattern.test(appId)) return false
  return (await db`select from apps.apps where id = ${appId}`).length > 0
}
