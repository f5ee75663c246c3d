import { recoverMessageSigner } from '../../../hub/registry/account-signature.js'
import type { Database } from '../../../platform/db/connection.js'
import { type Refusal, refuse } from '../../../platform/errors.js'
import { verifyEd25519 } from '../../../protocol/ed25519.js'
import type { VerifiedJsonSignature } from '../../../protocol/json-signature.js'
import { UNNAMED_CLIENT } from '../tokens/tokens.js'

/** Key types of the key registry. */
const SIGNING_KEY_TYPE = 1
const AUTH_KEY_TYPE = 2
/** The key registry stores addresses as 32-byte ABI words. */
const WORD_BYTES = 32

/** Who signed an event. */
export interface EventSigner {
  readonly fid: number
  /** The client app that requested the key; `UNNAMED_CLIENT` when none did. */
  readonly clientFid: number
}

/**
 * Verifies the signer of an event against the hub's current state: an active signing key of the user, their
 * custody address or an auth address.
 *
 * Keys granted by messages are not accepted: they sign messages only, and receivers cannot find them on the
 * chain.
 */
export async function verifyEventSigner(
  db: Database,
  decoded: VerifiedJsonSignature,
): Promise<EventSigner | Refusal> {
  const { fid, type, key, signed, signature } = decoded
  if (type === 'app_key') {
    if (!verifyEd25519(signature, signed, key))
      return unauthenticated('its signature is not of the key in its header')
    const client = await clientOfKey(db, fid, key)
    return client ?? unauthenticated(`its key is not an active key of fid ${fid}`)
  }
  // A lookup costs less than recovering an address.
  const isKnown =
    type === 'custody' ? await isCustodyAddress(db, fid, key) : await isAuthAddress(db, fid, key)
  if (!isKnown) return unauthenticated(`its key is not the ${type} address of fid ${fid}`)
  const address = await recoverMessageSigner(signed, signature)
  if (!address?.equals(key)) return unauthenticated('its signature is not of the address in its header')
  return { fid, clientFid: UNNAMED_CLIENT }
}

async function clientOfKey(db: Database, fid: number, key: Buffer): Promise<EventSigner | null> {
  const [found] = await db<{ clientFid: number }[]>`
    select coalesce(a.app_fid, ${UNNAMED_CLIENT}::bigint) as "clientFid"
    from hub.signers s
    left join social.signer_apps a on a.fid = s.fid and a.key = s.key
    where s.fid = ${fid}::bigint and s.key = ${key} and s.key_type = ${SIGNING_KEY_TYPE} and s.active`
  return found ? { fid, clientFid: found.clientFid } : null
}

async function isCustodyAddress(db: Database, fid: number, address: Buffer): Promise<boolean> {
  const rows = await db`
    select from hub.fids where fid = ${fid}::bigint and custody_address = ${address}`
  return rows.length > 0
}

async function isAuthAddress(db: Database, fid: number, address: Buffer): Promise<boolean> {
  const word = Buffer.concat([Buffer.alloc(WORD_BYTES - address.length), address])
  const rows = await db`
    select from hub.signers
    where fid = ${fid}::bigint and key in (${address}, ${word}) and key_type = ${AUTH_KEY_TYPE} and active`
  return rows.length > 0
}

function unauthenticated(problem: string): Refusal {
  return refuse('unauthenticated', `event refused: ${problem}`)
}
