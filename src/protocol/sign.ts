import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { asBuffer } from './bytes.js'
import { HashScheme, MessageData, SignatureScheme } from './definitions.js'
import { messageHash } from './hash.js'
import type { SignedMessage } from './message.js'

/** Prefix of a private key of 32 bytes in PKCS #8 form. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

/** A signer with one key. */
export interface MessageSigner {
  /** Ed25519 public key, 32 bytes. */
  readonly publicKey: Buffer
  /** Encodes, hashes and signs `data`, without validating it. */
  sign(data: MessageData): SignedMessage
  /** Signs the hash of an encoded message; returns 64 bytes. */
  signHash(hash: Uint8Array): Buffer
}

/** Creates a signer for an Ed25519 private key of 32 bytes. It signs in 42 µs (docs/protocol.md §6.3). */
export function createMessageSigner(privateKey: Uint8Array): MessageSigner {
  const key = createPrivateKey({
    key: Buffer.concat([PKCS8_PREFIX, privateKey]),
    format: 'der',
    type: 'pkcs8',
  })
  const publicKey = Buffer.from(createPublicKey(key).export({ format: 'jwk' }).x!, 'base64url')
  const signHash = (hash: Uint8Array): Buffer => sign(null, hash, key)
  return {
    publicKey,
    signHash,
    sign: (data) => {
      const dataBytes = asBuffer(MessageData.encode(data).finish())
      const hash = messageHash(dataBytes)
      return {
        data: MessageData.decode(dataBytes),
        dataBytes,
        hash,
        hashScheme: HashScheme.BLAKE3,
        signature: signHash(hash),
        signatureScheme: SignatureScheme.ED25519,
        signer: publicKey,
      }
    },
  }
}
