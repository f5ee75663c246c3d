import { eachField, lengthDelimited } from '../../protobuf.js'

/**
 * Converts stored bytes to the bytes that are sent, without decoding them. Messages are stored with
 * `data_bytes`, the bytes that were signed; clients of the reference node expect `data` too. It gets the same
 * bytes, unless it is stored because clients would misread them (docs/protocol.md §3.2). Nothing is encoded
 * again, which keeps hash and signature valid.
 */

/** Fields that are messages themselves, by number; `signed` is the protocol's Message. */
type Nesting = { readonly [field: number]: Nesting | 'signed' }

/** The fields of a HubEvent that have a Message (docs/protocol.md §1.1). */
const hubEvent: Nesting = {
  3: { 1: 'signed', 2: 'signed' },
  4: { 1: 'signed' },
  5: { 1: 'signed' },
  8: { 3: 'signed', 4: 'signed' },
  13: { 1: 'signed' },
}

const DATA = 1
const DATA_BYTES = 7

/** Converts a stored Message to the one that is sent. */
export function toWireMessage(stored: Buffer): Buffer {
  return Buffer.concat(withData(stored, 0, stored.length).parts)
}

/** Converts a stored HubEvent to the one that is sent. */
export function toWireEvent(stored: Buffer): Buffer {
  return Buffer.concat(rewrite(stored, 0, stored.length, hubEvent).parts)
}

interface RewrittenBytes {
  readonly parts: Buffer[]
  /** Total length of all parts. */
  readonly length: number
}

function rewrite(bytes: Buffer, start: number, end: number, nesting: Nesting): RewrittenBytes {
  const parts: Buffer[] = []
  let length = 0
  function add(part: Buffer): void {
    parts.push(part)
    length += part.length
  }
  const copyOrRewrite = (number: number, fieldStart: number, content: number, fieldEnd: number) => {
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
  }
  eachField(bytes, copyOrRewrite, start, end)
  return { parts, length }
}

function withData(bytes: Buffer, start: number, end: number): RewrittenBytes {
  let data: Buffer[] = []
  let isStored = false
  const findData = (number: number, _start: number, content: number, fieldEnd: number) => {
    if (number === DATA) isStored = true
    if (number !== DATA_BYTES) return
    data = [lengthDelimited(DATA, fieldEnd - content), bytes.subarray(content, fieldEnd)]
  }
  eachField(bytes, findData, start, end)
  const parts = [...(isStored ? [] : data), bytes.subarray(start, end)]
  return { parts, length: parts.reduce((sum, part) => sum + part.length, 0) }
}
