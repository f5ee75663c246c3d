import { recoverMessageSigner } from '../../../hub/registry/account-signature.js'
import type { Database } from '../../../platform/db/connection.js'
import { isRefusal, PlazaError, type Refusal, refusalError, refuse } from '../../../platform/errors.js'
import { isNetFailure } from '../../../platform/outbound/net-failure.js'
import { type SavedTargets, uncheckedTargets } from '../../../platform/outbound/saved-targets.js'
import { checkTarget, type TargetPolicy } from '../../../platform/outbound/target.js'
import { isUuid } from '../../../platform/text/uuid.js'
import { authKeysOf } from '../../../protocol/auth-key.js'
import { verifyEd25519 } from '../../../protocol/ed25519.js'
import {
  type JsonSignature,
  type ParsedJsonSignature,
  parseJsonSignature,
  readObject,
} from '../../../protocol/json-signature.js'
import { KEY_TYPE_AUTH, KEY_TYPE_ED25519 } from '../../../protocol/key-rules.js'
import { requireSavableTarget } from '../../savable-target.js'
import { type TokenHolder, UNNAMED_CLIENT } from '../tokens/token-holder.js'
import { endToken, type Grant, grantToken, type TokenEventOutcome } from '../tokens/tokens.js'

/** Dependencies of `receiveEvent`. */
export interface EventReceiver {
  readonly db: Database
  /** Policy for notification URLs. */
  readonly targetPolicy: TargetPolicy
  /** Checks them before they are stored. Undefined: they are of this server. */
  readonly savedTargets?: SavedTargets
}

/**
 * Verifies a signed client event and applies it.
 *
 * @throws PlazaError `not_found` for an unknown app; `bad_request.invalid_param` for an invalid event;
 * `unauthenticated` for an invalid signature; `bad_request.rate_limited` as `grantToken`.
 */
export async function receiveEvent(
  { db, targetPolicy, savedTargets = uncheckedTargets }: EventReceiver,
  appId: string,
  signedEvent: JsonSignature,
): Promise<TokenEventOutcome> {
  const isApp = isUuid(appId) && (await db`select from apps.apps where id = ${appId}`).length > 0
  if (!isApp) throw new PlazaError('not_found', 'there is no app with this client_id')
  const decoded = valueOrThrow(parseJsonSignature(signedEvent))
  const event = valueOrThrow(readClientEvent(decoded.payload, targetPolicy))
  const { fid, clientFid } = valueOrThrow(await verifyEventSigner(db, decoded))
  // After the signature, so that strangers cause no lookups.
  if (event.kind === 'granted') {
    await requireSavableTarget({ savedTargets }, event.grant.url, 'notificationDetails.url')
  }
  return await applyEvent(db, { appId, fid, clientFid }, event)
}

/** Applies a verified event to the token of its holder. */
export async function applyEvent(
  db: Database,
  holder: TokenHolder,
  event: ClientEvent,
): Promise<TokenEventOutcome> {
  if (event.kind === 'granted') return await grantToken(db, holder, event.grant)
  if (event.kind === 'added') return 'unchanged'
  return await endToken(db, holder, event.kind === 'disabled' ? 'disabled' : 'invalid')
}

/**
 * Returns the value, or throws a refusal as an error.
 *
 * @param property The invalid request member.
 * @throws PlazaError With the refusal's code and message.
 */
export function valueOrThrow<Value extends object>(value: Value | Refusal, property?: string): Value {
  if (isRefusal(value)) throw refusalError(value, property)
  return value as Value
}

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
  return isRefusal(grant) ? grant : { kind: 'granted', grant }
}

/** Parses the token of a client and the URL that takes notifications with it. */
export function readGrant(details: unknown, policy: TargetPolicy): Grant | Refusal {
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

/**
 * Verifies the signer of an event against the hub's current state: an active signing key of the user, their custody
 * address or an auth address. Keys granted by messages are not accepted: they sign messages only, and receivers cannot
 * find them on the chain.
 */
export async function verifyEventSigner(
  db: Database,
  decoded: ParsedJsonSignature,
): Promise<Omit<TokenHolder, 'appId'> | Refusal> {
  const { fid, type, key, signed, signature } = decoded
  if (type === 'app_key') {
    if (!verifyEd25519(signature, signed, key))
      return unauthenticated('its signature is not of the key in its header')
    const clientFid = await clientOfKey(db, fid, key)
    return clientFid === null
      ? unauthenticated(`its key is not an active key of fid ${fid}`)
      : { fid, clientFid }
  }
  // A lookup costs less than recovering an address.
  if (!(await isAddressOf(db, fid, type, key)))
    return unauthenticated(`its key is not the ${type} address of fid ${fid}`)
  const address = await recoverMessageSigner(signed, signature)
  if (!address?.equals(key)) return unauthenticated('its signature is not of the address in its header')
  return { fid, clientFid: UNNAMED_CLIENT }
}

/** Returns the client app that requested an active key, `UNNAMED_CLIENT` when none did; null for another key. */
async function clientOfKey(db: Database, fid: number, key: Buffer): Promise<number | null> {
  const [found] = await db<{ clientFid: number }[]>`
    select coalesce(a.app_fid, ${UNNAMED_CLIENT}::bigint) as "clientFid"
    from hub.signers s
    left join social.signer_apps a on a.fid = s.fid and a.key = s.key
    where s.fid = ${fid}::bigint and s.key = ${key} and s.key_type = ${KEY_TYPE_ED25519} and s.active`
  return found?.clientFid ?? null
}

async function isAddressOf(db: Database, fid: number, type: 'custody' | 'auth', address: Buffer) {
  const rows =
    type === 'custody'
      ? await db`select from hub.fids where fid = ${fid}::bigint and custody_address = ${address}`
      : await db`
          select from hub.signers
          where fid = ${fid}::bigint and key = any (${db.types.byteas(authKeysOf(address))}::bytea[]) and key_type = ${KEY_TYPE_AUTH} and active`
  return rows.length > 0
}

function unauthenticated(problem: string): Refusal {
  return refuse('unauthenticated', `event refused: ${problem}`)
}
