import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import { PlazaError } from '../errors.js'

/**
 * Encrypts secrets for the database. What is sealed says which key sealed it, so that keys can be changed: the first
 * of the configured keys seals, every one of them opens.
 */
export interface Vault {
  /**
   * Encrypts. `place` says what the secret is and whose, as `signer 123e4567-…`: it is not stored, and the same one
   * must be given to open, so that a sealed secret is of no use in another's row.
   * @throws PlazaError `not_configured` where the server has no key.
   */
  seal(secret: Uint8Array, context: string): Buffer
  /**
   * Decrypts what `seal` made.
   * @throws PlazaError `not_configured` without a key at all; an Error when no key opens it.
   */
  open(sealed: Uint8Array, context: string): Buffer
  /**
   * Names the key that seals: the same bytes stand in what it has sealed, behind the first. Null without a key.
   */
  readonly keyId: Buffer | null
}

/**
 * What is sealed: version (1 byte), id of the key (4), nonce (12), ciphertext, tag (16). AES-256-GCM; random nonces
 * of 96 bits are safe for 2^32 secrets under one key (NIST SP 800-38D, 8.3).
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

/**
 * Opens the vault.
 *
 * @param secretKeys Texts of which keys are made, the one to seal with first. None: nothing can be sealed or opened.
 */
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
      throw new Error('a secret in the database was sealed with a key that PLAZA_SECRET_KEY does not name')
    }
    const decipher = createDecipheriv(CIPHER, found.key, bytes.subarray(1 + ID_BYTES, HEADER_BYTES), {
      authTagLength: TAG_BYTES,
    })
    decipher.setAAD(Buffer.from(context))
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
    return Buffer.concat([decipher.update(bytes.subarray(HEADER_BYTES, -TAG_BYTES)), decipher.final()])
  }

  return { seal, open, keyId: keys[0]?.id ?? null }
}

/** The text has its entropy already: it is asked to be random, so it is derived from, not stretched. */
function deriveKey(text: string): VaultKey {
  const key = Buffer.from(hkdfSync('sha256', text, '', 'plaza vault 1', 32))
  return { key, id: createHash('sha256').update(key).digest().subarray(0, ID_BYTES) }
}

function unknownKeyError(): PlazaError {
  return new PlazaError('not_configured', 'this server keeps no secrets: it has no PLAZA_SECRET_KEY')
}
