import { asBuffer } from '../../../protocol/bytes.js'
import { WireReader } from '../../../protocol/wire.js'

/** A page of any list of the hub's gRPC: its entries as they came, and the token of the next page. */
export interface WirePage {
  readonly entries: readonly Buffer[]
  /** Undefined on the last page. */
  readonly nextPageToken?: Uint8Array
}

/** The start of a HubEvent: what it is, and where it stands. */
export interface EventHead {
  readonly id: number
  /** HubEventType. */
  readonly type: number
}

const LENGTH_DELIMITED = 2
const ENTRIES = 1
const TOKEN = 2
const EVENT_TYPE = 1
const EVENT_ID = 2

/**
 * Takes a list apart without decoding its entries: messages must keep the bytes that were signed, which decoding and
 * encoding may change (docs/protocol.md §3.2). All lists of the service have their entries in field 1 and the token in field 2.
 *
 * @throws Error when it is no list.
 */
export function readPage(bytes: Buffer): WirePage {
  const reader = new WireReader(bytes)
  const entries: Buffer[] = []
  let token: Buffer | undefined
  while (reader.position < bytes.length) {
    const tag = reader.readUint32()
    if (tag === ((ENTRIES << 3) | LENGTH_DELIMITED)) entries.push(slice(reader))
    else if (tag === ((TOKEN << 3) | LENGTH_DELIMITED)) token = slice(reader)
    else if (tag < 0 || !reader.skip(tag & 7)) throw new Error('the upstream sent a page that cannot be read')
  }
  return { entries, ...(token === undefined || token.length === 0 ? {} : { nextPageToken: token }) }
}

function slice(reader: WireReader): Buffer {
  const start = reader.readBytes()
  if (start < 0) throw new Error('the upstream sent a page that cannot be read')
  return asBuffer(reader.bytes.subarray(start, reader.position))
}

/**
 * Type and id of an encoded HubEvent. Both are its first fields, whoever wrote it.
 *
 * @throws Error when it is none.
 */
export function readEventHead(bytes: Buffer): EventHead {
  const reader = new WireReader(bytes)
  const head = { id: 0, type: 0 }
  while (reader.position < bytes.length) {
    const tag = reader.readUint32()
    if (tag === EVENT_TYPE << 3) head.type = varint(reader)
    else if (tag === EVENT_ID << 3) return { ...head, id: varint(reader) }
    else if (tag < 0 || !reader.skip(tag & 7)) break
  }
  return head
}

function varint(reader: WireReader): number {
  const length = reader.varintLength()
  if (length === 0) throw new Error('the upstream sent an event that cannot be read')
  let value = 0
  for (let index = length - 1; index >= 0; index--) {
    value = value * 128 + (reader.bytes[reader.position + index]! & 0x7f)
  }
  reader.position += length
  return value
}
