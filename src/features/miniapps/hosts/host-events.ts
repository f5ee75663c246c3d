import type { Database } from '../../../platform/db/connection.js'
import { type ErrorCode, isRefusal, PlazaError } from '../../../platform/errors.js'
import type { NetAnswer, NetClient, NetRequest } from '../../../platform/outbound/net-client.js'
import { isNetFailure, isTransient } from '../../../platform/outbound/net-failure.js'
import { checkTarget, type TargetPolicy } from '../../../platform/outbound/target.js'
import { cutText } from '../../../platform/text/cut-text.js'
import { type JsonSignature, parseJsonSignature, readObject } from '../../../protocol/json-signature.js'
import { MAX_MANIFEST_BYTES, manifestRequest } from '../catalog/manifest-file.js'
import { readClientEvent, receiveEvent, valueOrThrow, verifyEventSigner } from '../events/event-receiver.js'
import type { Grant } from '../tokens/tokens.js'
import {
  disableHostTokens,
  enableHostToken,
  type HostTokenKey,
  isOffered,
  type MiniAppSite,
  offerToken,
} from './host-tokens.js'

/** Events that an app host sends to mini apps, by their names in the specification. */
export const hostEvents = [
  'frame_added',
  'frame_removed',
  'notifications_enabled',
  'notifications_disabled',
] as const
export type HostEvent = (typeof hostEvents)[number]

/** Dependencies of host events. */
export interface HostContext {
  /** Used for writes. */
  readonly db: Database
  readonly net: Pick<NetClient, 'request'>
  readonly targetPolicy: TargetPolicy
  /** Public URL of this server without a trailing slash. */
  readonly publicUrl: () => string
}

/** Returns the URL where mini apps send notifications for users of this server's apps. */
function notificationsUrl(publicUrl: string): string {
  return new URL(`${publicUrl}/f/host/notifications`).href
}

/**
 * Creates the payload of an event. One that enables notifications carries a new token, which is valid once the event is
 * delivered.
 *
 * @throws PlazaError `not_found` for an unregistered user; `not_configured` when mini apps cannot reach this server.
 */
export async function createHostEvent(
  context: Pick<HostContext, 'db' | 'targetPolicy' | 'publicUrl'>,
  tokenKey: HostTokenKey,
  event: HostEvent,
): Promise<{ event: HostEvent; notificationDetails?: Grant }> {
  await requireRegistered(context.db, tokenKey.fid)
  if (event !== 'notifications_enabled') return { event }
  const target = checkTarget(notificationsUrl(context.publicUrl()), context.targetPolicy)
  if (isNetFailure(target)) {
    const problem = `PUBLIC_URL must be a URL that they can reach (${target.detail})`
    throw new PlazaError('not_configured', `mini apps cannot send notifications here: ${problem}`)
  }
  return { event, notificationDetails: { url: target.href, token: await offerToken(context.db, tokenKey) } }
}

/** @throws PlazaError 404 for a fid that is not registered. */
export async function requireRegistered(db: Database, fid: number): Promise<void> {
  if ((await db`select from hub.fids where fid = ${fid}::bigint`).length === 0)
    throw new PlazaError('not_found', `fid ${fid} is not registered`, { property: 'fid' })
}

/** An event that had to wait longer for the one before is refused: with its delivery, the request would take too long. */
const MAX_WAIT_MS = 5_000

/** The last delivery of each user and mini app that runs in this process, or waits. */
const deliveries = new Map<string, Promise<void>>()

/**
 * Delivers after what was sent before for the same user and mini app: otherwise the mini app might end with another token than this host
 * has, or without one. Events through several processes may still overtake each other.
 */
async function deliverInOrder(tokenKey: HostTokenKey, deliver: () => Promise<void>): Promise<void> {
  const key = Object.values(tokenKey).join(' ')
  const lateMs = performance.now() + MAX_WAIT_MS
  const previous = deliveries.get(key) ?? Promise.resolve()
  const delivery = previous
    .catch(() => {})
    .then(() => {
      if (performance.now() < lateMs) return deliver()
      throw deliveryError(
        'unavailable.other_side',
        'the mini app has not answered the event before: try again',
      )
    })
  deliveries.set(key, delivery)
  await delivery.finally(() => {
    if (deliveries.get(key) === delivery) deliveries.delete(key)
  })
}

/**
 * Delivers a signed event to a mini app. An event that ends notifications takes effect here at once; one that enables
 * them takes effect when the mini app accepts it.
 *
 * @param appId The app host.
 * @throws PlazaError `bad_request.invalid_param` for an invalid event or a token that was not issued for its user and
 * mini app; `unauthenticated` for an invalid signature; and as `deliverEvent`.
 */
export async function sendHostEvent(
  context: HostContext,
  appId: string,
  site: MiniAppSite,
  signedEvent: JsonSignature,
): Promise<void> {
  const decoded = valueOrThrow(parseJsonSignature(signedEvent), 'signed_message')
  const signer = await verifyEventSigner(context.db, decoded)
  if (isRefusal(signer)) throw invalidMessage(signer.message)
  const { fid } = signer
  const event = valueOrThrow(readClientEvent(decoded.payload, context.targetPolicy), 'signed_message')
  const tokenKey: HostTokenKey = { appId, fid, domain: site.domain }
  if (event.kind === 'granted') await requireOfferedToken(context, tokenKey, event.grant)
  if (event.kind === 'disabled' || event.kind === 'removed') await disableHostTokens(context.db, tokenKey)
  await deliverInOrder(tokenKey, async () => {
    await deliverEvent(context, site, signedEvent)
    if (event.kind === 'granted') await enableHostToken(context.db, tokenKey, event.grant.token)
  })
}

/** Requires a token issued here: otherwise disabling notifications here would not end them. */
async function requireOfferedToken(
  { db, publicUrl }: HostContext,
  tokenKey: HostTokenKey,
  { url, token }: Grant,
): Promise<void> {
  if (url === notificationsUrl(publicUrl()) && (await isOffered(db, tokenKey, token))) return
  throw invalidMessage(
    'signed_message must have the notificationDetails that GET app_host/user/event returned for this user and mini app',
  )
}

function invalidMessage(problem: string): PlazaError {
  return new PlazaError('bad_request.invalid_param', problem, { property: 'signed_message' })
}

const EVENT_DEADLINE_MS = 10_000
/** Bytes of a response to read; only the status matters. */
const MAX_RESPONSE_BYTES = 4_096
/** Characters of a failed response that the error repeats. */
const MAX_REASON_CHARACTERS = 200

/**
 * Delivers a signed event to a mini app: to the app of this server with the domain, or to the webhook in the domain's
 * manifest.
 *
 * @throws PlazaError `not_found` when the domain has no mini app that accepts events; `unavailable.other_side` when it
 * is unreachable or refuses; `bad_request.invalid_param` for a forbidden domain; and as `receiveEvent`.
 */
async function deliverEvent(context: HostContext, site: MiniAppSite, event: JsonSignature): Promise<void> {
  const [app] = await context.db<{ id: string }[]>`
    select id from apps.apps where mini_app_domain = ${site.domain}`
  if (app !== undefined) return void (await receiveEvent(context, app.id, event))
  const response = await sendRequest(context.net, {
    url: await fetchWebhookUrl(context.net, site),
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(event),
    deadlineMs: EVENT_DEADLINE_MS,
    maxBytes: MAX_RESPONSE_BYTES,
    isRaw: true,
  })
  if (isSuccess(response)) return
  const reason = cutText(Buffer.from(response.bytes).toString(), MAX_REASON_CHARACTERS).trim()
  const answer = `its webhook answered ${response.status}${reason && `: ${reason}`}`
  throw deliveryError('unavailable.other_side', `the mini app refused the event: ${answer}`)
}

async function fetchWebhookUrl(net: HostContext['net'], site: MiniAppSite): Promise<string> {
  const request = manifestRequest(site)
  const { url } = request
  const response = await sendRequest(net, request)
  if (response.status === 404) throw deliveryError('not_found', `there is no mini app: ${url} answered 404`)
  if (!isSuccess(response))
    throw deliveryError('unavailable.other_side', `${url} answered ${response.status}`)
  const manifest = readObject(Buffer.from(response.bytes))
  if (manifest === null || response.isTruncated) {
    const problem = `is not a JSON object of up to ${MAX_MANIFEST_BYTES} bytes`
    throw deliveryError('unavailable.other_side', `${url} ${problem}`)
  }
  for (const entry of [manifest.miniapp, manifest.frame] as { webhookUrl?: unknown }[]) {
    if (typeof entry?.webhookUrl === 'string') return entry.webhookUrl
  }
  throw deliveryError('not_found', `the mini app accepts no events: ${url} has no webhookUrl`)
}

async function sendRequest(net: HostContext['net'], request: NetRequest): Promise<NetAnswer> {
  const response = await net.request(request)
  if (!isNetFailure(response)) return response
  const code = isTransient(response) ? 'unavailable.other_side' : 'bad_request.invalid_param'
  throw deliveryError(code, `the mini app is unreachable at ${request.url}: ${response.detail}`)
}

function isSuccess({ status }: NetAnswer): boolean {
  return status >= 200 && status <= 299
}

function deliveryError(code: ErrorCode, message: string): PlazaError {
  return new PlazaError(code, message, { property: 'app_domain' })
}
