import type { Context } from './context.js'
import type { Data } from './message.js'
import type { Decoded } from './schema.js'
import { type Fault, invalid } from './verdict.js'

/** Gasless keys and storage loans, as far as no state is needed. */

const MAX_TTL_SECONDS = 7_776_000
const MAX_SCOPES = 16
const MAX_LEND_AGE_SECONDS = 600
/** Keys and channels cannot be delegated. */
const SCOPES = [1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14, 15]

/** Returns the first fault of the body that adds a key; null without one. */
export function validateKeyAdd(body: Decoded): Fault | null {
  const scopes = body.scopes as number[]
  const ttl = body.ttl as number
  if ((body.key as Uint8Array).length !== 32) return invalid('key must be 32 bytes')
  if (body.keyType !== 1) return invalid('invalid key type')
  if (scopes.length === 0) return invalid('scopes must be non-empty')
  if (scopes.length > MAX_SCOPES) return invalid(`scopes list exceeds max of ${MAX_SCOPES} entries`)
  const wrong = scopes.find((scope) => !SCOPES.includes(scope))
  if (wrong !== undefined) return invalid(`scope "${wrong}" is not a valid MessageType`)
  if (ttl === 0 || ttl > MAX_TTL_SECONDS) return invalid(`ttl must be > 0 and <= ${MAX_TTL_SECONDS} seconds`)
  if (body.deadline === 0) return invalid('deadline is missing')
  if ((body.metadata as Uint8Array).length === 0) return invalid('metadata is missing')
  return body.metadataType === 1 ? null : invalid('invalid metadata type')
}

/** Returns the first fault of the body that removes a key; null without one. */
export function validateKeyRemove(body: Decoded): Fault | null {
  if ((body.key as Uint8Array).length !== 32) return invalid('key must be 32 bytes')
  if (body.signatureType !== 1 && body.signatureType !== 2) return invalid('invalid signature type')
  return body.deadline === 0 ? invalid('deadline is missing') : null
}

/** Returns the first fault of the body of a loan, which may be ten minutes old; null without one. */
export function validateLend(body: Decoded, { timestamp }: Data, { now }: Context): Fault | null {
  const unitType = body.unitType as number
  const isOld = timestamp < now - MAX_LEND_AGE_SECONDS
  if (unitType < 0 || unitType > 2) return invalid(null)
  // The documents do not say which of the two comes first.
  if ((body.numUnits as bigint) > 5000n) return invalid(isOld ? null : 'num storage units too large')
  return isOld ? invalid('timestamp more than 10 mins in the past') : null
}
