import type { Database } from '../../../platform/db/connection.js'
import { type ErrorCode, PlazaError } from '../../../platform/errors.js'
import type { NetAnswer, NetClient, NetRequest } from '../../../platform/outbound/net-client.js'
import { isNetFailure, isTransient } from '../../../platform/outbound/net-failure.js'
import type { TargetPolicy } from '../../../platform/outbound/target.js'
import { type JsonSignature, readObject } from '../../../protocol/json-signature.js'
import { receiveEvent } from '../events/event-receiver.js'
import type { MiniAppSite } from './site.js'

/** Dependencies of event delivery. */
export interface DeliveryContext {
  /** Used for writes. */
  readonly db: Database
  readonly net: Pick<NetClient, 'request'>
  readonly targetPolicy: TargetPolicy
}

/** Path of a mini app's manifest (docs/protocol.md §8.2). */
const MANIFEST_PATH = '/.well-known/farcaster.json'
/** Redirects to follow: a manifest may be hosted elsewhere. */
const MANIFEST_REDIRECTS = 3
const MANIFEST_DEADLINE_MS = 5_000
const MAX_MANIFEST_BYTES = 256 * 1024
const EVENT_DEADLINE_MS = 10_000
/** Bytes of a response to read; only the status matters. */
const MAX_RESPONSE_BYTES = 4_096
/** Characters of a failed response that the error repeats. */
const MAX_REASON_CHARACTERS = 200

/**
 * Delivers a signed event to a mini app: to the app of this server with the domain, or to the webhook in the
 * domain's manifest.
 *
 * @throws PlazaError `not_found` when the domain has no mini app that accepts events;
 * `unavailable.other_side` when it is unreachable or refuses; `bad_request.invalid_param` for a forbidden
 * domain; and as `receiveEvent`.
 */
export async function deliverEvent(
  context: DeliveryContext,
  site: MiniAppSite,
  event: JsonSignature,
): Promise<void> {
  const appId = await appOfDomain(context.db, site.domain)
  if (appId !== null) {
    await receiveEvent(context, appId, event)
    return
  }
  const response = await sendRequest(context.net, {
    url: await fetchWebhookUrl(context.net, site),
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(event),
    deadlineMs: EVENT_DEADLINE_MS,
    maxBytes: MAX_RESPONSE_BYTES,
  })
  if (!isSuccess(response)) {
    const reason = Buffer.from(response.bytes).toString().slice(0, MAX_REASON_CHARACTERS).trim()
    throw deliveryError(
      'unavailable.other_side',
      `the mini app refused the event: its webhook answered ${response.status}${reason && `: ${reason}`}`,
    )
  }
}

async function appOfDomain(db: Database, domain: string): Promise<string | null> {
  const [app] = await db<{ id: string }[]>`select id from apps.apps where mini_app_domain = ${domain}`
  return app?.id ?? null
}

async function fetchWebhookUrl(net: DeliveryContext['net'], { origin }: MiniAppSite): Promise<string> {
  const url = `${origin}${MANIFEST_PATH}`
  const response = await sendRequest(net, {
    url,
    headers: { accept: 'application/json' },
    maxRedirects: MANIFEST_REDIRECTS,
    deadlineMs: MANIFEST_DEADLINE_MS,
    maxBytes: MAX_MANIFEST_BYTES,
  })
  if (response.status === 404) throw deliveryError('not_found', `there is no mini app: ${url} answered 404`)
  if (!isSuccess(response))
    throw deliveryError('unavailable.other_side', `${url} answered ${response.status}`)
  const manifest = readObject(Buffer.from(response.bytes))
  if (manifest === null || response.isTruncated) {
    throw deliveryError(
      'unavailable.other_side',
      `${url} is not a JSON object of up to ${MAX_MANIFEST_BYTES} bytes`,
    )
  }
  const webhookUrl = webhookUrlIn(manifest.miniapp) ?? webhookUrlIn(manifest.frame)
  if (webhookUrl === null) {
    throw deliveryError('not_found', `the mini app accepts no events: ${url} has no webhookUrl`)
  }
  return webhookUrl
}

function webhookUrlIn(manifestEntry: unknown): string | null {
  if (typeof manifestEntry !== 'object' || manifestEntry === null || !('webhookUrl' in manifestEntry))
    return null
  return typeof manifestEntry.webhookUrl === 'string' ? manifestEntry.webhookUrl : null
}

async function sendRequest(net: DeliveryContext['net'], request: NetRequest): Promise<NetAnswer> {
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
