import type { BodyName } from './message.js'
import type { Decoded } from './schema.js'
import { type Fault, invalid, VALIDATION } from './verdict.js'

/** The widths and numbers of channel bodies. The reference node says the code of these faults twice. */
export function validateChannelBody(name: BodyName, body: Decoded): Fault | null {
  const wrong = bodyFault(name, body)
  return wrong && invalid(`${VALIDATION}/${wrong.text}`)
}

function bodyFault(name: BodyName, body: Decoded): Fault | null {
  if ((body.channelId as Uint8Array).length !== 32) return invalid('channel id must be 32 bytes')
  switch (name) {
    case 'channelUpdate':
      return validateUpdate(body)
    case 'channelMember':
      return validateMember(body)
    case 'channelPin':
      return validatePin(body)
    default:
      return validateModerate(body)
  }
}

const within = (value: unknown, from: number, to: number) => Number(value) >= from && Number(value) <= to

function validateUpdate(body: Decoded): Fault | null {
  if (!within(body.castingMode ?? 0, 0, 3)) return invalid('invalid channel casting mode')
  return within(body.membershipMode ?? 0, 0, 2) ? null : invalid('invalid channel membership mode')
}

function validateMember(body: Decoded): Fault | null {
  if (!within(body.fid, 1, 0xffff_ffff)) return invalid('channel member fid must fit in a non-zero u32')
  return within(body.action, 1, 6) ? null : invalid('invalid channel member action')
}

function validatePin(body: Decoded): Fault | null {
  const { length } = body.castHash as Uint8Array
  return length === 0 || length === 20 ? null : invalid('channel pin cast hash must be empty or 20 bytes')
}

function validateModerate(body: Decoded): Fault | null {
  if ((body.castHash as Uint8Array).length !== 20)
    return invalid('channel moderate cast hash must be 20 bytes')
  return within(body.action, 1, 2) ? null : invalid('invalid channel moderate action')
}
