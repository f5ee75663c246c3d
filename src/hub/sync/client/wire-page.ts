import { WireReader } from '../../../protocol/wire.js'
import { eachField } from '../../protobuf.js'

/** A page of a list of the gRPC service: undecoded entries and the next token. */
export interface WirePage {
  readonly entries: readonly Buffer[]
  /** Undefined at the end. */
  readonly nextPageToken: Uint8Array | undefined
}

/** The first fields of a HubEvent. */
export interface EventHead {
  readonly id: number
  /** HubEventType. */
  readonly type: number
}

const ENTRIES = 1
const TOKEN = 2
const EVENT_TYPE = 1
const EVENT_ID = 2

/**
 * Splits a list without decoding its entries, to keep signed bytes (docs/protocol.md §3.2). All lists have entries
 * in field 1 and the token in field 2. @throws Error if the bytes are not a list.
 */
export function readPage(bytes: Buffer): WirePage {
  const page: { entries: Buffer[]; nextPageToken: Buffer | undefined } = {
    entries: [],
    nextPageToken: undefined,
  }
  eachField(bytes, (number, start, content, end) => {
    if (content === start) return
    if (number === ENTRIES) page.entries.push(bytes.subarray(content, end))
    else if (number === TOKEN && end > content) page.nextPageToken = bytes.subarray(content, end)
  })
  return page
}

/** Reads type and id of a HubEvent, its first fields in every implementation. @throws Error */
export function readEventHead(bytes: Buffer): EventHead {
  const reader = new WireReader(bytes)
  const head = { id: 0, type: 0 }
  while (reader.position < bytes.length) {
    const tag = reader.readUint32()
    if (tag === EVENT_TYPE << 3) head.type = varint(reader)
    else if (tag === EVENT_ID << 3) return { ...head, id: varint(reader) }
    else if (tag < 0 || !reader.skip(tag & 7, tag >>> 3)) break
  }
  return head
}

function varint(reader: WireReader): number {
  const length = reader.varintLength()
  if (length === 0) throw new Error('the upstream sent a malformed event')
  let value = 0
  for (let index = length - 1; index >= 0; index--) {
    value = value * 128 + (reader.bytes[reader.position + index]! & 0x7f)
  }
  reader.position += length
  return value
}
