import { type JsonSignature, readObject } from '../../../protocol/json-signature.js'
import { invalidField } from '../../invalid-field.js'

/**
 * The signed event of a body, however it is spelled: as an object, as JSON, or as its three texts with dots between
 * them.
 *
 * @param others The members that say what is to be signed, of which none may be given beside it.
 * @throws PlazaError 400
 */
export function readSignedMessage(
  given: string | JsonSignature,
  others: Readonly<Record<string, unknown>>,
): JsonSignature {
  const [other] = Object.keys(others)
  if (other !== undefined) throw invalidField(other, 'may not be given beside signed_message')
  if (typeof given !== 'string') return given
  const parts = given.split('.')
  const { header, payload, signature } = readObject(Buffer.from(given)) ?? {
    header: parts[0],
    payload: parts[1],
    signature: parts.length === 3 ? parts[2] : undefined,
  }
  if (typeof header !== 'string' || typeof payload !== 'string' || typeof signature !== 'string') {
    throw invalidField('signed_message', 'must have the members header, payload and signature')
  }
  return { header, payload, signature }
}
