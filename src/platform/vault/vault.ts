import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import { PlazaError } from '../errors.js'

/**
 * Encrypts secrets for the database. A ciphertext names its key, so that keys can be rotated: the first of
 * the configured keys encrypts, all of them decrypt.
 */
export interface Vault {
  /**
   * Encrypts a secret. `context` names its kind and owner, such as `signer 123e4567-…`. It is not stored and
   * must be equal to decrypt, so that a ciphertext is useless in another row.
   * @throws PlazaError `not_configured` if the server has no key.
   */
  seal(secret: Uint8Array, context: string): Buffer
  /** Decrypts a result of `seal`. @throws PlazaError `not_configured`; an Error if no key matches. */
  open(sealed: Uint8Array, context: string): Buffer
  /** Id of the key that encrypts: bytes 2 to 5 of its ciphertexts. Null without a key. */
  readonly keyId: Buffer | null
  /** Ids of all keys that decrypt. */
  readonly keyIds: readonly Buffer[]
}

/**
 * Format of a ciphertext: version (1 byte), id of the key (4), nonce (12), ciphertext, tag (16). AES-256-GCM;
 * random nonces of 96 bits are safe for 2^32 secrets under one key (NIST SP 800-38D, 8.3).
 */
const VERSION = 1
const ID_BYTES = 4
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEADER_BYTES = 1 + ID_BYTES + NONCE_BYTES
const CIPHER = 'aes-256-gcm'

interface VaultKey {
  readonly id: Buffer
  readonly key: Buffer
}

/** Opens the vault. Keys are derived from `secretKeys`, of which the first encrypts. Without any, nothing works. */
export function createVault(secretKeys: readonly string[]): Vault {
  const keys = secretKeys.map(deriveKey)

  function seal(secret: Uint8Array, context: string): Buffer {
    const [current] = keys
    if (current === undefined) throw unknownKeyError()
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv(CIPHER, current.key, nonce, { authTagLength: TAG_BYTES })
    cipher.setAAD(Buffer.from(context))
    const ciphertext = Buffer.concat([cipher.update(secret), cipher.final()])
    return Buffer.concat([Buffer.of(VERSION), current.id, nonce, ciphertext, cipher.getAuthTag()])
  }

  function open(sealed: Uint8Array, context: string): Buffer {
    if (keys.length === 0) throw unknownKeyError()
    const bytes = Buffer.from(sealed)
    const id = bytes.subarray(1, 1 + ID_BYTES)
    const found = keys.find((key) => key.id.equals(id))
    if (bytes[0] !== VERSION || bytes.length < HEADER_BYTES + TAG_BYTES || found === undefined) {
      throw new Error('PLAZA_SECRET_KEY lacks the key that encrypted a secret in the database')
    }
    const decipher = createDecipheriv(CIPHER, found.key, bytes.subarray(1 + ID_BYTES, HEADER_BYTES), {
      authTagLength: TAG_BYTES,
    })
    decipher.setAAD(Buffer.from(context))
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
    return Buffer.concat([decipher.update(bytes.subarray(HEADER_BYTES, -TAG_BYTES)), decipher.final()])
  }

  return { seal, open, keyId: keys[0]?.id ?? null, keyIds: keys.map(({ id }) => id) }
}

/** Derives a key without stretching, because the configured text must be random. */
function deriveKey(text: string): VaultKey {
  const key = Buffer.from(hkdfSync('sha256', text, '', 'plaza vault 1', 32))
  return { key, id: createHash('sha256').update(key).digest().subarray(0, ID_BYTES) }
}

function unknownKeyError(): PlazaError {
  return new PlazaError('not_configured', 'this server cannot store secrets: PLAZA_SECRET_KEY is not set')
}
