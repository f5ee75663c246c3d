import type { Database } from '../../../platform/db/connection.js'
import { type ErrorCode, PlazaError } from '../../../platform/errors.js'
import type { NetAnswer, NetClient, NetRequest } from '../../../platform/outbound/net-client.js'
import { isNetFailure, isTransient } from '../../../platform/outbound/net-failure.js'
import type { TargetPolicy } from '../../../platform/outbound/target.js'
import { type JsonSignature, readObject } from '../../../protocol/json-signature.js'
import { receiveEvent } from '../events/event-receiver.js'
import type { MiniAppSite } from './site.js'

/** What events are delivered with. */
export interface DeliveryContext {
  /** For writes. */
  readonly db: Database
  readonly net: Pick<NetClient, 'request'>
  readonly targetPolicy: TargetPolicy
}

/** Where a mini app says who it is (docs/protocol.md §8.2). */
const MANIFEST_PATH = '/.well-known/farcaster.json'
/** A manifest may be hosted elsewhere: the domain then redirects to it. */
const MANIFEST_REDIRECTS = 3
const MANIFEST_DEADLINE_MS = 5_000
const MAX_MANIFEST_BYTES = 256 * 1024
const EVENT_DEADLINE_MS = 10_000
/** Of the answer to an event, which says nothing that matters but its status. */
const MAX_RESPONSE_BYTES = 4_096
/** As much of a failed answer as is repeated. */
const MAX_REASON_CHARACTERS = 200

/**
 * Brings a signed event to a mini app: to the app of this server that has the domain, and else to the webhook that the
 * domain's manifest names.
 *
 * @throws PlazaError `not_found` when the domain has no mini app that takes events; `unavailable.other_side` when it
 * cannot be reached or does not take this one; `bad_request.invalid_param` for a domain that is not to be reached, and
 * else as `takeEvent`.
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
      `the mini app did not take the event: its webhook answered ${response.status}${reason && `: ${reason}`}`,
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
    throw deliveryError('not_found', `the mini app takes no events: ${url} names no webhookUrl`)
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
  throw deliveryError(code, `the mini app cannot be reached at ${request.url}: ${response.detail}`)
}

function isSuccess({ status }: NetAnswer): boolean {
  return status >= 200 && status <= 299
}

function deliveryError(code: ErrorCode, message: string): PlazaError {
  return new PlazaError(code, message, { property: 'app_domain' })
}
