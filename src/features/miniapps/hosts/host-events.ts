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

/** What an app that opens mini apps tells them, in the words of the specification. */
export const hostEvents = [
  'frame_added',
  'frame_removed',
  'notifications_enabled',
  'notifications_disabled',
] as const
export type HostEvent = (typeof hostEvents)[number]

/** What a host's events are made and sent with. */
export interface HostContext extends DeliveryContext {
  /** The address that others reach this server at, without a slash at its end. */
  readonly publicUrl: () => string
}

/** The payload of an event, to be signed by the user's key. */
export interface HostEventPayload {
  readonly event: HostEvent
  readonly notificationDetails?: { readonly url: string; readonly token: string }
}

/** Where mini apps send notifications for users of the apps of this server. */
function notificationsUrl(publicUrl: string): string {
  return new URL(`${publicUrl}/f/host/notifications`).href
}

/**
 * The event as it is to be signed. One that enables notifications has a new token with it, which is good for nothing
 * until the event was sent.
 *
 * @throws PlazaError `not_found` for a user that nobody knows; `not_configured` when mini apps could not reach this
 * server with what they send by the token.
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
      `mini apps could not send notifications here: PUBLIC_URL must be an address that they reach (${target.detail})`,
    )
  }
  return { event, notificationDetails: { url: target.href, token: await offerToken(context.db, tokenKey) } }
}

/**
 * Brings an event to a mini app. One that ends notifications ends them here at once, whatever becomes of it; one that
 * enables them does when the mini app has taken it.
 *
 * @param appId The app that opens mini apps.
 * @throws PlazaError `bad_request.invalid_param` for what is no event, or has a token that was not made for its user
 * and this mini app; `unauthenticated` when its signature does not hold; and as `deliverEvent`.
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

/** What a mini app is told to notify by must end here: nobody else would know that the user has switched it off. */
async function requireOfferedToken(
  { db, publicUrl }: HostContext,
  tokenKey: HostTokenKey,
  { url, token }: { readonly url: string; readonly token: string },
): Promise<void> {
  if (url === notificationsUrl(publicUrl()) && (await isOffered(db, tokenKey, token))) return
  throw invalidMessage(
    'signed_message must have the notificationDetails that GET app_host/user/event gave for this user and mini app',
  )
}

function invalidMessage(problem: string): PlazaError {
  return new PlazaError('bad_request.invalid_param', problem, { property: 'signed_message' })
}
