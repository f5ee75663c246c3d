import { type Refusal, refuse } from '../../../platform/errors.js'
import { isNetFailure } from '../../../platform/outbound/net-failure.js'
import { checkTarget, type TargetPolicy } from '../../../platform/outbound/target.js'
import { readObject } from '../../../protocol/json-signature.js'
import type { Grant } from '../tokens/tokens.js'

/** An event that a client reports about a user and a mini app. */
export type ClientEvent =
  /** The user added the mini app or enabled notifications, with a token. */
  | { readonly kind: 'granted'; readonly grant: Grant }
  /** The user added the mini app without notifications. */
  | { readonly kind: 'added' }
  | { readonly kind: 'disabled' }
  | { readonly kind: 'removed' }

/** Event names and their meaning; names with `frame` are older synonyms. */
const kindByName = {
  miniapp_added: 'added',
  frame_added: 'added',
  notifications_enabled: 'granted',
  notifications_disabled: 'disabled',
  miniapp_removed: 'removed',
  frame_removed: 'removed',
} as const

/** Longest notification URL. Clients use some dozens of characters. */
const MAX_URL_LENGTH = 1_024
const MAX_TOKEN_LENGTH = 512
/** Visible ASCII, so that tokens need no escaping in JSON. Tokens are part of an index. */
const tokenPattern = /^[!-~]+$/

/**
 * Parses the payload of a client's event (docs/protocol.md §8.2). Unknown members are ignored.
 *
 * @param policy Which notification URLs are accepted.
 */
export function readClientEvent(payload: Buffer, policy: TargetPolicy): ClientEvent | Refusal {
  const parsed = readObject(payload)
  if (parsed === null) return invalidEvent('the payload must be a JSON object')
  const kind =
    typeof parsed.event === 'string' && Object.hasOwn(kindByName, parsed.event)
      ? kindByName[parsed.event as keyof typeof kindByName]
      : undefined
  if (kind === undefined) return invalidEvent(`event must be one of ${Object.keys(kindByName).join(', ')}`)
  if (kind === 'disabled' || kind === 'removed') return { kind }
  const details = parsed.notificationDetails ?? null
  if (details === null && kind === 'added') return { kind }
  const grant = readGrant(details, policy)
  return 'code' in grant ? grant : { kind: 'granted', grant }
}

function readGrant(details: unknown, policy: TargetPolicy): Grant | Refusal {
  if (typeof details !== 'object' || details === null) {
    return invalidEvent('notificationDetails must be an object with url and token')
  }
  const { url, token } = details as Readonly<Record<string, unknown>>
  if (typeof token !== 'string' || token.length > MAX_TOKEN_LENGTH || !tokenPattern.test(token)) {
    return invalidEvent(`notificationDetails.token must be 1 to ${MAX_TOKEN_LENGTH} visible ASCII characters`)
  }
  if (typeof url !== 'string' || url.length > MAX_URL_LENGTH) {
    return invalidEvent(`notificationDetails.url must be a string of up to ${MAX_URL_LENGTH} characters`)
  }
  const target = checkTarget(url, policy)
  if (isNetFailure(target))
    return invalidEvent(`notificationDetails.url is not an allowed target: ${target.detail}`)
  // Normalized, so that equal targets have equal URLs.
  return { url: target.href, token }
}

function invalidEvent(problem: string): Refusal {
  return refuse('bad_request.invalid_param', problem)
}
