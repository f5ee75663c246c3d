import { PUBLIC_KEY_BYTES, SIGNATURE_BYTES } from './ed25519.js'
import { HASH_BYTES } from './hash.js'
import type { SignedMessage } from './message.js'

const SIGNATURE_AT = HASH_BYTES
const SIGNER_AT = SIGNATURE_AT + SIGNATURE_BYTES
/** What a thread needs to check one signature: hash ‖ signature ‖ signer. */
const INPUT_BYTES = SIGNER_AT + PUBLIC_KEY_BYTES

/** What a verifying thread is asked. Most messages are 116 bytes of one buffer that changes hands, uncopied. */
export interface VerifyRequest {
  readonly inputs: ArrayBuffer
  /** Signatures of Ethereum accounts. */
  readonly recoveries: readonly { readonly digest: Uint8Array; readonly signature: Uint8Array }[]
}

/** What it answers. */
export interface VerifyReply {
  /** One byte for each message: 1 when its signature is good. */
  readonly verdicts: Uint8Array<ArrayBuffer>
  /** The address behind each signature of an account, or null. */
  readonly addresses: readonly (Uint8Array | null)[]
}

/** The parts of a message that its signature depends on. */
export type SignatureInput = Pick<SignedMessage, 'hash' | 'signature' | 'signer'>

/** Packs signatures for another thread. One whose parts have a wrong length becomes one that cannot verify. */
export function packInputs(messages: readonly SignatureInput[]): ArrayBuffer {
  const packed = new ArrayBuffer(messages.length * INPUT_BYTES)
  const bytes = Buffer.from(packed)
  for (const [index, { hash, signature, signer }] of messages.entries()) {
    const fits =
      hash.length === HASH_BYTES && signature.length === SIGNATURE_BYTES && signer.length === PUBLIC_KEY_BYTES
    // Left as zeroes, the key has small order, which no key may have.
    if (!fits) continue
    const start = index * INPUT_BYTES
    bytes.set(hash, start)
    bytes.set(signature, start + SIGNATURE_AT)
    bytes.set(signer, start + SIGNER_AT)
  }
  return packed
}

/** The signatures that `packInputs` packed, as views into the buffer. */
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
