import { PUBLIC_KEY_BYTES, SIGNATURE_BYTES } from './ed25519.js'
import { HASH_BYTES } from './hash.js'
import type { SignedMessage } from './message.js'

const SIGNATURE_AT = HASH_BYTES
const SIGNER_AT = SIGNATURE_AT + SIGNATURE_BYTES
/** Bytes that a thread needs for one signature: hash ‖ signature ‖ signer. */
const INPUT_BYTES = SIGNER_AT + PUBLIC_KEY_BYTES

/** A request to a verifying thread: 116 bytes a message, in one buffer that is transferred, not copied. */
export interface VerifyRequest {
  readonly inputs: ArrayBuffer
  /** Signatures of Ethereum accounts. */
  readonly recoveries: readonly { readonly digest: Uint8Array; readonly signature: Uint8Array }[]
}

/** The reply of a verifying thread. */
export interface VerifyReply {
  /** One `SignatureVerdict` for each message. */
  readonly verdicts: Uint8Array<ArrayBuffer>
  /** The recovered address of each account signature, or null. */
  readonly addresses: readonly (Uint8Array | null)[]
}

/** The parts of a message that its signature covers or contains. */
export type SignatureInput = Pick<SignedMessage, 'hash' | 'signature' | 'signer'>

/** Packs signatures for another thread. A part of a wrong length makes the signature invalid. */
export function packInputs(messages: readonly SignatureInput[]): ArrayBuffer {
  const packed = new ArrayBuffer(messages.length * INPUT_BYTES)
  const bytes = Buffer.from(packed)
  for (const [index, { hash, signature, signer }] of messages.entries()) {
    const fits =
      hash.length === HASH_BYTES && signature.length === SIGNATURE_BYTES && signer.length === PUBLIC_KEY_BYTES
    // Zeroes as a key have small order, so verification fails.
    if (!fits) continue
    const start = index * INPUT_BYTES
    bytes.set(hash, start)
    bytes.set(signature, start + SIGNATURE_AT)
    bytes.set(signer, start + SIGNER_AT)
  }
  return packed
}

/** Unpacks signatures as views into the buffer. */
export function unpackInputs(packed: ArrayBuffer): SignatureInput[] {
  const bytes = Buffer.from(packed)
  return Array.from({ length: bytes.length / INPUT_BYTES }, (_, index) => {
    const start = index * INPUT_BYTES
    return {
      hash: bytes.subarray(start, start + SIGNATURE_AT),
      signature: bytes.subarray(start + SIGNATURE_AT, start + SIGNER_AT),
      signer: bytes.subarray(start + SIGNER_AT, start + INPUT_BYTES),
    }
  })
}
