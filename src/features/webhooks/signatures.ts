import { createHmac } from 'node:crypto'

/**
 * Signatures of webhook bodies, in the two schemes that receivers use.
 *
 * - HMAC-SHA512 of the body with the whole secret as text, in lowercase hex.
 * - Standard Webhooks 1.0: HMAC-SHA256 of `id.timestamp.body` with the bytes that `whsec_` encodes in base64,
 *   as base64 after `v1,`. It covers the timestamp, which prevents replays.
 */

const SECRET_PREFIX = 'whsec_'

/** Computes the hex HMAC-SHA512 of a body. */
export function hexSignature(secret: string, body: string | Uint8Array): string {
  return createHmac('sha512', secret).update(body).digest('hex')
}

/**
 * Computes a Standard Webhooks signature.
 *
 * @param timestamp Unix seconds.
 */
export function standardSignature(
  secret: string,
  message: { readonly id: string; readonly timestamp: number; readonly body: string | Uint8Array },
): string {
  const key = Buffer.from(
    secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret,
    'base64',
  )
  const hmac = createHmac('sha256', key).update(`${message.id}.${message.timestamp}.`).update(message.body)
  return `v1,${hmac.digest('base64')}`
}
