import type { HashScheme, MessageData, SignatureScheme } from '@farcaster/core'

/**
 * A signed protocol message (docs/protocol.md §3.1), as it travels through Plaza.
 *
 * `dataBytes` is the truth: the hash was made over exactly these bytes, `data` is what they decode to,
 * and they are never encoded again (a second encoding may differ, docs/protocol.md §3.2).
 */
export interface SignedMessage {
  readonly data: MessageData
  readonly dataBytes: Buffer
  /** First 20 bytes of BLAKE3 over `dataBytes`. */
  readonly hash: Buffer
  readonly hashScheme: HashScheme
  readonly signature: Buffer
  readonly signatureScheme: SignatureScheme
  /** Ed25519 public key, 32 bytes. */
  readonly signer: Buffer
}
