import { invalidField } from '../../../../api/invalid-field.js'
import { type JsonSignature, readObject, verifyJsonSignature } from '../../../../protocol/json-signature.js'
import type { HostEvent } from '../../hosts/host-events.js'

/** What a body says beside a signed event. */
interface SignedMembers {
  readonly signerUuid: string
  readonly fid: number | undefined
  readonly event: HostEvent | undefined
}

/**
 * The signed event of a body, however it is spelled: as an object, as JSON, or as its three texts with dots between
 * them. The published client cannot leave out the members that say what is to be signed: what they say beside it must
 * be the same.
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
  if ('code' in opened) throw invalidField('signed_message', `is not to be read: ${opened.message}`)
  if (fid !== undefined && fid !== opened.fid) throw invalidField('fid', 'is not the user of signed_message')
  const eventName = String(readObject(opened.payload)?.event).replace(/^miniapp_/, 'frame_')
  if (event !== undefined && event !== eventName)
    throw invalidField('event', 'is not the one of signed_message')
  return message
}

/** Whether nothing was signed: the published client cannot leave the member out. */
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
