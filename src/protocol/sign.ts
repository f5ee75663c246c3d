import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { HashScheme, MessageData, SignatureScheme } from '@farcaster/core'
import { asBuffer } from './bytes.js'
import { messageHash } from './hash.js'
import type { SignedMessage } from './message.js'

/** What stands before the 32 bytes of a private key in its PKCS #8 form. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

/** Signs messages with one key. */
export interface MessageSigner {
  /** Ed25519 public key, 32 bytes. */
  readonly publicKey: Buffer
  /** Encodes, hashes and signs `data`; whether it is valid is the caller's matter. */
  sign(data: MessageData): SignedMessage
  /** The signature, 64 bytes, over the hash of a message that is already encoded. */
  signHash(hash: Uint8Array): Buffer
}

/** A signer for an Ed25519 private key of 32 bytes. About 42 µs a signature (docs/protocol.md §6.3). */
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
