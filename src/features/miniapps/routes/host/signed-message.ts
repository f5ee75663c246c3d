import { invalidField } from '../../../../api/invalid-field.js'
import { type JsonSignature, readObject, verifyJsonSignature } from '../../../../protocol/json-signature.js'
import type { HostEvent } from '../../hosts/host-events.js'

/** Members of a body beside a signed event. */
interface SignedMembers {
  readonly signerUuid: string
  readonly fid: number | undefined
  readonly event: HostEvent | undefined
}

/**
 * Parses the signed event: an object, JSON text, or three parts joined by dots. Members beside it must agree
 * with it, because the published client cannot leave them out.
 *
 * @throws PlazaError 400
 */
export function readSignedMessage(
  signedMessage: string | JsonSignature,
  { signerUuid, fid, event }: SignedMembers,
): JsonSignature {
  if (signerUuid !== '') throw invalidField('signer_uuid', 'may not be given beside signed_message')
  const message = decodeSignature(signedMessage)
  const opened = verifyJsonSignature(message)
  if ('code' in opened) throw invalidField('signed_message', `cannot be read: ${opened.message}`)
  if (fid !== undefined && fid !== opened.fid) throw invalidField('fid', 'is not the user of signed_message')
  const eventName = String(readObject(opened.payload)?.event).replace(/^miniapp_/, 'frame_')
  if (event !== undefined && event !== eventName)
    throw invalidField('event', 'is not the one of signed_message')
  return message
}

/** Whether the signed message is empty; the published client cannot leave it out. */
export function isEmpty(signedMessage: string | JsonSignature): boolean {
  return typeof signedMessage === 'string'
    ? signedMessage === ''
    : Object.values(signedMessage).every((text) => text === '')
}

function decodeSignature(signedMessage: string | JsonSignature): JsonSignature {
  if (typeof signedMessage !== 'string') return signedMessage
  const parts = signedMessage.split('.')
  const { header, payload, signature } = readObject(Buffer.from(signedMessage)) ?? {
    header: parts[0],
    payload: parts[1],
    signature: parts.length === 3 ? parts[2] : undefined,
  }
  if (typeof header !== 'string' || typeof payload !== 'string' || typeof signature !== 'string') {
    throw invalidField('signed_message', 'must have the members header, payload and signature')
  }
  return { header, payload, signature }
}
