import { PlazaError } from '../../../platform/errors.js'
import { isNetFailure } from '../../../platform/outbound/net-failure.js'
import { checkTarget } from '../../../platform/outbound/target.js'
import { type JsonSignature, verifyJsonSignature } from '../../../protocol/json-signature.js'
import { readClientEvent } from '../events/client-event.js'
import { verifyEventSigner } from '../events/event-signer.js'
import { valueOrThrow } from '../value-or-throw.js'
import { type DeliveryContext, deliverEvent } from './event-delivery.js'
import {
  disableHostTokens,
  enableHostToken,
  type HostTokenKey,
  isOffered,
  offerToken,
} from './host-tokens.js'
import type { MiniAppSite } from './site.js'

/** Events that an app host sends to mini apps, by their names in the specification. */
export const hostEvents = [
  'frame_added',
  'frame_removed',
  'notifications_enabled',
  'notifications_disabled',
] as const
export type HostEvent = (typeof hostEvents)[number]

/** Dependencies of host events. */
export interface HostContext extends DeliveryContext {
  /** Public URL of this server without a trailing slash. */
  readonly publicUrl: () => string
}

/** The payload of an event, for the user's key to sign. */
export interface HostEventPayload {
  readonly event: HostEvent
  readonly notificationDetails?: { readonly url: string; readonly token: string }
}

/** Returns the URL where mini apps send notifications for users of this server's apps. */
function notificationsUrl(publicUrl: string): string {
  return new URL(`${publicUrl}/f/host/notifications`).href
}

/**
 * Creates the payload of an event. One that enables notifications carries a new token, which is valid once
 * the event is delivered.
 *
 * @throws PlazaError `not_found` for an unregistered user; `not_configured` when mini apps cannot reach this
 * server.
 */
export async function createHostEvent(
  context: Pick<HostContext, 'db' | 'targetPolicy' | 'publicUrl'>,
  tokenKey: HostTokenKey,
  event: HostEvent,
): Promise<HostEventPayload> {
  await requireKnownUser(context, tokenKey.fid)
  if (event !== 'notifications_enabled') return { event }
  const target = checkTarget(notificationsUrl(context.publicUrl()), context.targetPolicy)
  if (isNetFailure(target)) {
    throw new PlazaError(
      'not_configured',
      `mini apps cannot send notifications here: PUBLIC_URL must be a URL that they can reach (${target.detail})`,
    )
  }
  return { event, notificationDetails: { url: target.href, token: await offerToken(context.db, tokenKey) } }
}

/**
 * Delivers a signed event to a mini app.
 *
 * An event that ends notifications takes effect here at once; one that enables them takes effect when the
 * mini app accepts it.
 *
 * @param appId The app host.
 * @throws PlazaError `bad_request.invalid_param` for an invalid event or a token that was not issued for its
 * user and mini app; `unauthenticated` for an invalid signature; and as `deliverEvent`.
 */
export async function sendHostEvent(
  context: HostContext,
  appId: string,
  site: MiniAppSite,
  signedEvent: JsonSignature,
): Promise<void> {
  const decoded = valueOrThrow(verifyJsonSignature(signedEvent), 'signed_message')
  const signer = await verifyEventSigner(context.db, decoded)
  if ('code' in signer) throw invalidMessage(signer.message)
  const { fid } = signer
  const event = valueOrThrow(readClientEvent(decoded.payload, context.targetPolicy), 'signed_message')
  const tokenKey: HostTokenKey = { appId, fid, domain: site.domain }
  if (event.kind === 'granted') await requireOfferedToken(context, tokenKey, event.grant)
  if (event.kind === 'disabled' || event.kind === 'removed') await disableHostTokens(context.db, tokenKey)
  await deliverEvent(context, site, signedEvent)
  if (event.kind === 'granted') await enableHostToken(context.db, tokenKey, event.grant.token)
}

async function requireKnownUser({ db }: Pick<HostContext, 'db'>, fid: number): Promise<void> {
  if ((await db`select from hub.fids where fid = ${fid}::bigint`).length > 0) return
  throw new PlazaError('not_found', `fid ${fid} is not registered`, { property: 'fid' })
}

/** Requires a token issued here: otherwise disabling notifications here would not end them. */
async function requireOfferedToken(
  { db, publicUrl }: HostContext,
  tokenKey: HostTokenKey,
  { url, token }: { readonly url: string; readonly token: string },
): Promise<void> {
  if (url === notificationsUrl(publicUrl()) && (await isOffered(db, tokenKey, token))) return
  throw invalidMessage(
    'signed_message must have the notificationDetails that GET app_host/user/event returned for this user and mini app',
  )
}

function invalidMessage(problem: string): PlazaError {
  return new PlazaError('bad_request.invalid_param', problem, { property: 'signed_message' })
}
