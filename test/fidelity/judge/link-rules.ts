import type { Decoded } from './schema.js'
import { type Fault, invalid } from './verdict.js'

/** Links and their compact states. */

function validateLinkType(type: string): Fault | null {
  const length = Buffer.byteLength(type, 'utf8')
  return length < 1 || length > 8 ? invalid('type must be between 1-8 characters') : null
}

/** Returns the first fault of the body of a link; null without one. */
export function validateLink(body: Decoded): Fault | null {
  const wrong = validateLinkType(body.type as string)
  if (wrong) return wrong
  if (body.targetFid === undefined) return invalid(null)
  return body.targetFid === 0n ? invalid('fid is missing') : null
}

/** Returns the first fault of the body that replaces all links of a type; null without one. */
export function validateCompactState(body: Decoded): Fault | null {
  const wrong = validateLinkType(body.type as string)
  if (wrong) return wrong
  const targets = body.targetFids as bigint[]
  if (targets.length === 0) return invalid(null)
  return targets.includes(0n) ? invalid('fid is missing') : null
}
