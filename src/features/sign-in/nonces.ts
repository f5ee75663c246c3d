import { randomBytes } from 'node:crypto'
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

/** Consumes a nonce. Returns false when it is not of this app, was used before or has expired. */
export async function consumeNonce(
  db: Database,
  { nonce, appId }: { readonly nonce: string; readonly appId: string },
  nowMs: number,
): Promise<boolean> {
  const consumed = await db`
    delete from sign_in.nonces
    where nonce = ${nonce} and app_id = ${appId} and expires_at > ${new Date(nowMs)}
    returning 1`
  return consumed.length > 0
}
