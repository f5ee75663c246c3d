import type { Database } from '../../../platform/db/connection.js'
import { PlazaError } from '../../../platform/errors.js'
import type { TargetPolicy } from '../../../platform/outbound/target.js'
import { type JsonSignature, openJsonSignature } from '../../../protocol/json-signature.js'
import { accepted } from '../accepted.js'
import { endToken, grantToken, type Outcome, type TokenHolder } from '../tokens/tokens.js'
import { type ClientEvent, readClientEvent } from './client-event.js'
import { provenSigner } from './event-signer.js'

/** What events are taken with. */
export interface EventParts {
  /** For writes. */
  readonly db: Database
  readonly targetPolicy: TargetPolicy
}

/** A form of ids of apps, which paths name. */
const appIdForm = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/**
 * Takes what a client says of a user and an app's mini app, once it is proven to be signed for that user.
 *
 * @throws PlazaError `not_found` for an app that is not there; `bad_request.invalid_param` for what is no event;
 * `unauthenticated` when it is not proven; `bad_request.rate_limited` as `grantToken`.
 */
export async function takeEvent(
  { db, targetPolicy }: EventParts,
  appId: string,
  sent: JsonSignature,
): Promise<Outcome> {
  if (!(await isApp(db, appId))) throw new PlazaError('not_found', 'there is no app with this client_id')
  const opened = accepted(openJsonSignature(sent))
  const event = accepted(readClientEvent(opened.payload, targetPolicy))
  const { fid, clientFid } = accepted(await provenSigner(db, opened))
  return await applyEvent(db, { appId, fid, clientFid }, event)
}

/** Brings the token of a holder to what an event says. */
export async function applyEvent(db: Database, holder: TokenHolder, event: ClientEvent): Promise<Outcome> {
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
  if (!appIdForm.test(appId)) return false
  return (await db`select from apps.apps where id = ${appId}`).length > 0
}
