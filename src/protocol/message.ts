import type { HashScheme, MessageData, SignatureScheme } from './definitions.js'

/** The content of a message: its type, and the body of that type. */
export type MessageContent = Pick<MessageData, 'type'> &
  Partial<Omit<MessageData, 'type' | 'fid' | 'timestamp' | 'network'>>

/**
 * A signed message (docs/protocol.md §3.1).
 *
 * The hash covers exactly `dataBytes`, and `data` is their decoded content. They are never encoded again: the
 * result may differ (docs/protocol.md §3.2).
 */
export interface SignedMessage {
  readonly data: MessageData
  readonly dataBytes: Buffer
  /** The generated decoder would read something else than `data` from `dataBytes` (docs/protocol.md §3.2). */
  readonly isIrregular?: boolean
  /** First 20 bytes of BLAKE3 over `dataBytes`. */
  readonly hash: Buffer
  readonly hashScheme: HashScheme
  readonly signature: Buffer
  readonly signatureScheme: SignatureScheme
  /** Ed25519 public key, 32 bytes. */
  readonly signer: Buffer
}
