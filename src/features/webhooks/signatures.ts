import { createHmac } from 'node:crypto'

/**
 * How bodies are signed. Two ways, because receivers of both exist:
 *
 * - The body's HMAC-SHA512 under the whole secret as text, in lower-case hex.
 * - Standard Webhooks 1.0: HMAC-SHA256 of `id.timestamp.body`, under the bytes that the base64 behind `whsec_` stands
 *   for, in base64 behind `v1,`. It covers the time, so that a body that was seen once cannot be sent again later.
 */

const SECRET_PREFIX = 'whsec_'

/** The hex of a body's HMAC-SHA512. */
export function hexSignature(secret: string, body: string | Uint8Array): string {
  return createHmac('sha512', secret).update(body).digest('hex')
}

/**
 * A signature of Standard Webhooks.
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
