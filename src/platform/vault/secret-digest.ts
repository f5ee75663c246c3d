import { createHash } from 'node:crypto'

/**
 * The digest by which secrets are stored, looked up and compared: its bytes and the time of a comparison reveal neither a secret
 * nor its length. One round of SHA-256 is enough, because our secrets are random and long.
 */
export function secretDigest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}
