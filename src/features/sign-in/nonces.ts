import { createHash, randomBytes } from 'node:crypto'
import type { Database } from '../../platform/db/connection.js'

/** How long a nonce is valid: the time that a user has to sign. */
const NONCE_LIFE_MS = 10 * 60 * 1000
/** EIP-4361 requires at least eight alphanumeric characters; hex digits qualify. */
const NONCE_BYTES = 16
/** Expired nonces deleted per created nonce, so that they do not accumulate. */
const CLEANUP_BATCH_SIZE = 20

/**
 * Creates a nonce for an app.
 *
 * @param nowMs Unix milliseconds.
 */
export async function createNonce(db: Database, appId: string, nowMs: number): Promise<string> {
  const nonce = randomBytes(NONCE_BYTES).toString('hex')
  await db`
    with cleared as (
      delete from sign_in.nonces
      where nonce in (
        select nonce from sign_in.nonces
        where expires_at <= ${new Date(nowMs)}
        order by expires_at
        limit ${CLEANUP_BATCH_SIZE}
        for update skip locked
      )
    )
    insert into sign_in.nonces (nonce, app_id, expires_at)
    values (${nonce}, ${appId}, ${new Date(nowMs + NONCE_LIFE_MS)})`
  return nonce
}

/** The use of a nonce in a message. */
export interface NonceUse {
  readonly nonce: string
  readonly appId: string
  /** The message that names it. */
  readonly message: string
  /** Whether the same message may use it again until it expires. */
  readonly isRepeatable: boolean
}

/**
 * Uses a nonce. Returns false when it is not of this app, has expired, or was used before: by any message, or, for a
 * repeatable use, by another one.
 */
export async function consumeNonce(
  db: Database,
  { nonce, appId, message, isRepeatable }: NonceUse,
  nowMs: number,
): Promise<boolean> {
  const now = new Date(nowMs)
  if (!isRepeatable) {
    const consumed = await db`
      delete from sign_in.nonces
      where nonce = ${nonce} and app_id = ${appId} and expires_at > ${now} and message_hash is null
      returning 1`
    return consumed.length > 0
  }
  const messageHash = createHash('sha256').update(message).digest()
  const bound = await db`
    update sign_in.nonces set message_hash = ${messageHash}
    where nonce = ${nonce} and app_id = ${appId} and expires_at > ${now}
      and (message_hash is null or message_hash = ${messageHash})
    returning 1`
  return bound.length > 0
}
