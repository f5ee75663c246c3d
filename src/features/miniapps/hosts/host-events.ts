import { PlazaError } from '../../../platform/errors.js'
import { isNetFailure } from '../../../platform/outbound/net-failure.js'
import { checkTarget } from '../../../platform/outbound/target.js'
import { type JsonSignature, openJsonSignature } from '../../../protocol/json-signature.js'
import { accepted } from '../accepted.js'
import { readClientEvent } from '../events/client-event.js'
import { provenSigner } from '../events/event-signer.js'
import { type DeliveryParts, deliverEvent } from './deliver.js'
import { disableHostTokens, enableHostToken, type Guest, isOffered, offerToken } from './host-tokens.js'
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
export interface HostParts extends DeliveryParts {
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
export async function makeHostEvent(
  parts: Pick<HostParts, 'db' | 'targetPolicy' | 'publicUrl'>,
  guest: Guest,
  event: HostEvent,
): Promise<HostEventPayload> {
  await refuseUnknownUser(parts, guest.fid)
  if (event !== 'notifications_enabled') return { event }
  const target = checkTarget(notificationsUrl(parts.publicUrl()), parts.targetPolicy)
  if (isNetFailure(target)) {
    throw new PlazaError(
      'not_configured',
      `mini apps could not send notifications here: PUBLIC_URL must be an address that they reach (${target.detail})`,
    )
  }
  return { event, notificationDetails: { url: target.href, token: await offerToken(parts.db, guest) } }
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
  parts: HostParts,
  appId: string,
  site: MiniAppSite,
  sent: JsonSignature,
): Promise<void> {
  const opened = accepted(openJsonSignature(sent), 'signed_message')
  const signer = await provenSigner(parts.db, opened)
  if ('code' in signer) throw wrongMessage(signer.message)
  const { fid } = signer
  const event = accepted(readClientEvent(opened.payload, parts.targetPolicy), 'signed_message')
  const guest: Guest = { appId, fid, domain: site.domain }
  if (event.kind === 'granted') await refuseForeignToken(parts, guest, event.grant)
  if (event.kind === 'disabled' || event.kind === 'removed') await disableHostTokens(parts.db, guest)
  await deliverEvent(parts, site, sent)
  if (event.kind === 'granted') await enableHostToken(parts.db, guest, event.grant.token)
}

async function refuseUnknownUser({ db }: Pick<HostParts, 'db'>, fid: number): Promise<void> {
  if ((await db`select from hub.fids where fid = ${fid}::bigint`).length > 0) return
  throw new PlazaError('not_found', `fid ${fid} is not registered`, { property: 'fid' })
}

/** What a mini app is told to notify by must end here: nobody else would know that the user has switched it off. */
async function refuseForeignToken(
  { db, publicUrl }: HostParts,
  guest: Guest,
  { url, token }: { readonly url: string; readonly token: string },
): Promise<void> {
  if (url === notificationsUrl(publicUrl()) && (await isOffered(db, guest, token))) return
  throw wrongMessage(
    'signed_message must have the notificationDetails that GET app_host/user/event gave for this user and mini app',
  )
}

function wrongMessage(problem: string): PlazaError {
  return new PlazaError('bad_request.invalid_param', problem, { property: 'signed_message' })
}
