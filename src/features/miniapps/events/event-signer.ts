import { recoverMessageSigner } from '../../../hub/registry/account-signature.js'
import type { Database } from '../../../platform/db/connection.js'
import { type Refusal, refuse } from '../../../platform/errors.js'
import { verifyEd25519 } from '../../../protocol/ed25519.js'
import type { VerifiedJsonSignature } from '../../../protocol/json-signature.js'
import { UNNAMED_CLIENT } from '../tokens/tokens.js'

/** Key types of the key registry. */
const SIGNING_KEY_TYPE = 1
const AUTH_KEY_TYPE = 2
/** An address in the key registry is an ABI word. */
const WORD_BYTES = 32

/** Who has signed an event. */
export interface EventSigner {
  readonly fid: number
  /** The client app: who asked the user for the key. `UNNAMED_CLIENT` where nobody did. */
  readonly clientFid: number
}

/**
 * Who has signed, proven by the signature and by what the hub knows now: an active key of the user that signs messages,
 * their custody address, or one that signs in for them. Keys that a message has granted instead of the chain are none:
 * they are for messages only, and receivers find them in no list of the chain's keys.
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
  // A look-up costs less than recovering an address.
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
  return refuse('unauthenticated', `the event is refused: ${problem}`)
}
