import { eachField, lengthDelimited } from '../protobuf.js'

/**
 * What is stored becomes what is sent without being decoded. Messages are stored with `data_bytes`, the bytes that
 * were signed, and without `data`; clients of the reference node expect both. As `data` is what `data_bytes` decode
 * to, the same bytes are sent in both places, and nothing is encoded anew: hash and signature hold by the way it is
 * made.
 */

/** Fields of a message that are messages themselves, by number; `signed` is the protocol's Message. */
type Nesting = { readonly [field: number]: Nesting | 'signed' }

/** Where Messages stand in a HubEvent (docs/protocol.md §1.1). */
const hubEvent: Nesting = {
  3: { 1: 'signed', 2: 'signed' },
  4: { 1: 'signed' },
  5: { 1: 'signed' },
  8: { 3: 'signed', 4: 'signed' },
  13: { 1: 'signed' },
}

const DATA = 1
const DATA_BYTES = 7

/** A stored Message as it is sent. */
export function toWireMessage(stored: Buffer): Buffer {
  return Buffer.concat(withData(stored, 0, stored.length).parts)
}

/** A stored HubEvent as it is sent. */
export function toWireEvent(stored: Buffer): Buffer {
  return Buffer.concat(rewrite(stored, 0, stored.length, hubEvent).parts)
}

interface RewrittenBytes {
  readonly parts: Buffer[]
  /** Of all parts together. */
  readonly length: number
}

function rewrite(bytes: Buffer, start: number, end: number, nesting: Nesting): RewrittenBytes {
  const parts: Buffer[] = []
  let length = 0
  function add(part: Buffer): void {
    parts.push(part)
    length += part.length
  }
  eachField(bytes, { start, end }, (number, fieldStart, content, fieldEnd) => {
    const nested = nesting[number]
    if (nested === undefined) {
      add(bytes.subarray(fieldStart, fieldEnd))
      return
    }
    const inner =
      nested === 'signed' ? withData(bytes, content, fieldEnd) : rewrite(bytes, content, fieldEnd, nested)
    add(lengthDelimited(number, inner.length))
    parts.push(...inner.parts)
    length += inner.length
  })
  return { parts, length }
}

function withData(bytes: Buffer, start: number, end: number): RewrittenBytes {
  const parts: Buffer[] = []
  eachField(bytes, { start, end }, (number, _start, content, fieldEnd) => {
    if (number === DATA_BYTES) {
      parts.push(lengthDelimited(DATA, fieldEnd - content), bytes.subarray(content, fieldEnd))
    }
  })
  parts.push(bytes.subarray(start, end))
  return { parts, length: parts.reduce((sum, part) => sum + part.length, 0) }
}
