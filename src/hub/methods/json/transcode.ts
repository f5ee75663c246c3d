import bs58 from 'bs58'
import { MessageType } from '../../../protocol/definitions.js'
import { blockOf } from '../../log/hub-event.js'
import type { StoredHubEvent } from '../../log/read.js'
import { hubEventTypeNames, nameOf } from './enum-names.js'
import { hubEventJson } from './hub-event.js'
import { JsonWriter } from './json-writer.js'
import { storedMessageJson } from './message.js'
import { hubEventTable, messageDataTable, messageTable, onChainEventTable } from './message-tables.js'
import { storedOnChainEventJson } from './onchain-event.js'
import { Kind, type Table, type TableField } from './wire-table.js'

/** Slots of all messages within each other, several times what the deepest event takes. */
const FRAME_SLOTS = 1024
/** The factor of a varint's eighth byte. The generated decoder reads longer ones in another way. */
const LAST_FACTOR = 2 ** 49

/** Far above the tags of the definitions, and below those that the generated decoder would cut off. */
const MAX_TAG = 0xffff

const QUOTE = 0x22
const OPEN = 0x7b
const CLOSE = 0x7d
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const VARINT = 0
const BYTES = 2

const headOf = (name: string) => Buffer.from(`{"type":"${name}","id":`)
const eventHeads = hubEventTypeNames.map((name) => (name === undefined ? undefined : headOf(name)))
const blockNumberKey = Buffer.from(',"blockNumber":')
const shardIndexKey = Buffer.from(',"shardIndex":')

/**
 * Writes the JSON of encoded events and messages without decoding them into objects, in two passes over each
 * message: where its fields are, then the members in the order of JSON.
 *
 * What it writes is what the codec and `JSON.stringify` write, byte for byte. What it does not read as the generated
 * decoder does is refused, and other code writes it: malformed bytes, fields of a `oneof` beside each other, messages
 * set twice, text that is not UTF-8, numbers beyond their type.
 */
class Transcoder extends JsonWriter {
  #source: Buffer = Buffer.alloc(0)
  #at = 0
  /** The type of the message that was written last, to know a compact state. */
  #messageType = 0
  readonly #frame = new Float64Array(FRAME_SLOTS)

  /** Writes an event. Returns false, and writes nothing, if other code has to. */
  hubEvent({ shard, id, type, event }: StoredHubEvent): boolean {
    const start = this.position
    const head = eventHeads[type] ?? headOf(nameOf(hubEventTypeNames, type))
    this.raw(head)
    this.integer(id)
    this.#source = event
    if (!this.#members(hubEventTable, 0, event.length, 0)) return this.#undo(start)
    this.raw(blockNumberKey)
    this.integer(blockOf(id))
    this.raw(shardIndexKey)
    this.integer(shard)
    this.character(CLOSE)
    return true
  }

  /** Writes an encoded message of this table. Returns false, and writes nothing, if other code has to. */
  message(table: Table, encoded: Buffer): boolean {
    const start = this.position
    this.#source = encoded
    return this.#object(table, 0, encoded.length, 0) || this.#undo(start)
  }

  #undo(start: number): false {
    this.position = start
    return false
  }

  #object(table: Table, start: number, end: number, base: number): boolean {
    this.character(OPEN)
    if (!this.#members(table, start, end, base)) return false
    this.character(CLOSE)
    return true
  }

  #members(table: Table, start: number, end: number, base: number): boolean {
    if (!this.#scan(table, start, end, base)) return false
    const frame = this.#frame
    const { shown, hiddenLists } = table
    // The type is its first member.
    if (table === messageDataTable) this.#messageType = frame[base]!
    for (let index = 0; index < shown.length; index++) {
      const field = shown[index]!
      const first = frame[base + field.slot]!
      if (first < 0) {
        if (field.isAlternative && frame[base + field.oneofSlot]! >= 0) continue
        // Nothing in base58 is empty, and not the default.
        const isBase58 = field.protocolSlot >= 0 && frame[base + field.protocolSlot]! > 0
        if (field.absent === null || isBase58) return false
        if (field.absent.length > 0) this.member(field.absent)
        continue
      }
      this.member(field.key)
      const second = frame[base + field.slot + 1]!
      const written = field.isList
        ? this.#list(field, first, second, base + table.width)
        : this.#value(field, first, second, base, table)
      if (!written) return false
    }
    return hiddenLists.length === 0 || this.#check(hiddenLists, base, base + table.width)
  }

  /** Returns false if an element of lists that are not shown is not read as the decoder reads it. */
  #check(fields: readonly TableField[], base: number, innerBase: number): boolean {
    const { position } = this
    for (const field of fields) {
      const first = this.#frame[base + field.slot]!
      if (first < 0) continue
      if (!this.#list(field, first, this.#frame[base + field.slot + 1]!, innerBase)) return false
    }
    this.position = position
    return true
  }

  /** Finds the fields of a message: their values or places go to its frame, and -1 for those that are not set. */
  #scan(table: Table, start: number, end: number, base: number): boolean {
    const frame = this.#frame
    const frameEnd = base + table.width
    for (let slot = base; slot < frameEnd; slot++) frame[slot] = -1
    this.#at = start
    while (this.#at < end) {
      const tagStart = this.#at
      const tag = this.#varint(end)
      if (tag < 8 || tag > MAX_TAG) return false
      const field = table.byTag[tag]
      if (field === undefined || field.isList) {
        const content = this.#skip(tag & 7, end)
        if (content < 0) return false
        if (field === undefined) continue
        if (frame[base + field.slot]! < 0) frame[base + field.slot] = tagStart
        frame[base + field.slot + 1] = this.#at
        continue
      }
      if (field.isRefused) return false
      const slot = base + field.slot
      if (field.oneofSlot >= 0) {
        if (frame[base + field.oneofSlot]! >= 0) return false
        frame[base + field.oneofSlot] = 1
      }
      const value = this.#varint(end)
      if (value < 0) return false
      if ((tag & 7) === VARINT) {
        if (value > field.max) return false
        frame[slot] = value
        continue
      }
      const content = this.#at
      // A later message in the place of an earlier one: the decoder reads both, and shows one.
      if (value > end - content || (field.table !== undefined && frame[slot]! >= 0)) return false
      frame[slot] = content
      frame[slot + 1] = content + value
      this.#at = content + value
    }
    return this.#at === end
  }

  /** Reads a varint of up to eight bytes; -1 if it is longer or ends behind the message. */
  #varint(end: number): number {
    const source = this.#source
    let at = this.#at
    let byte = at < end ? source[at++]! : -1
    if (byte < 128) {
      this.#at = at
      return byte
    }
    let value = byte & 127
    for (let factor = 128; factor <= LAST_FACTOR; factor *= 128) {
      if (at >= end) return -1
      byte = source[at++]!
      value += (byte & 127) * factor
      if (byte >= 128) continue
      this.#at = at
      return value
    }
    return -1
  }

  /** Skips the value of a field. Returns where its content starts, or -1 if other code has to read it. */
  #skip(wireType: number, end: number): number {
    const start = this.#at
    if (wireType !== VARINT && wireType !== BYTES) return -1
    const value = this.#varint(end)
    if (value < 0 || wireType === VARINT) return value < 0 ? -1 : start
    const content = this.#at
    if (value > end - content) return -1
    this.#at = content + value
    return content
  }

  #value(field: TableField, first: number, second: number, base: number, table: Table): boolean {
    const source = this.#source
    switch (field.kind) {
      case Kind.integer:
        this.integer(first)
        return true
      case Kind.enumName:
        this.#name(field, first)
        return true
      case Kind.text:
        return this.text(source, first, second)
      case Kind.hex:
        this.hex(source, first, second)
        return true
      case Kind.base64:
        this.base64(source, first, second)
        return true
      case Kind.chainBytes:
        this.#chainBytes(first, second, this.#frame[base + field.protocolSlot]! > 0)
        return true
      case Kind.message:
        return this.#object(field.table!, first, second, base + table.width)
    }
  }

  #name({ names }: TableField, value: number): void {
    const name = names[value]
    if (name !== undefined) {
      this.raw(name)
      return
    }
    this.character(QUOTE)
    this.integer(value)
    this.character(QUOTE)
  }

  #chainBytes(start: number, end: number, isBase58: boolean): void {
    if (isBase58) this.raw(Buffer.from(`"${bs58.encode(this.#source.subarray(start, end))}"`))
    else this.hex(this.#source, start, end)
  }

  /** Writes the elements between two places of a message, past other fields that stand between them. */
  #list(field: TableField, start: number, end: number, base: number): boolean {
    // The deleted messages of a compact state, which are not shown.
    if (field.table === messageTable && this.#messageType === MessageType.LINK_COMPACT_STATE) return false
    this.character(OPEN_LIST)
    const listStart = this.position
    let at = start
    while (at < end) {
      this.#at = at
      const tag = this.#varint(end)
      const content = this.#skip(tag & 7, end)
      at = this.#at
      if (tag >>> 3 !== field.number) continue
      if (!this.#elements(field, tag & 7, content, at, listStart, base)) return false
    }
    this.character(CLOSE_LIST)
    return true
  }

  #elements(
    field: TableField,
    wireType: number,
    start: number,
    end: number,
    listStart: number,
    base: number,
  ): boolean {
    if (field.kind === Kind.message || field.kind === Kind.text) {
      // Of another type on the wire the decoder skips it.
      if (wireType !== BYTES) return true
      this.separate(listStart)
      return field.kind === Kind.text
        ? this.text(this.#source, start, end)
        : this.#object(field.table!, start, end, base)
    }
    for (this.#at = start; this.#at < end; ) {
      const value = this.#varint(end)
      if (value < 0 || value > field.max) return false
      this.separate(listStart)
      if (field.kind === Kind.integer) this.integer(value)
      else this.#name(field, value)
    }
    return true
  }
}

/** Writers run to their end before another one begins, so that one buffer serves all. */
const transcoder = new Transcoder()

/** Encoded JSON of several items, with commas between them. */
export interface JsonList {
  readonly json: Buffer
  /** Where each item ends. The next one starts behind the comma. */
  readonly ends: readonly number[]
}

/** Writes the JSON of events of the log. */
export function transcodeHubEvents(events: readonly StoredHubEvent[]): JsonList {
  return transcodeEach(
    events,
    (event) => transcoder.hubEvent(event),
    (event) => hubEventJson(event),
  )
}

/** Writes the JSON of stored messages. */
export function transcodeMessages(stored: readonly Buffer[]): Buffer {
  return transcodeEach(stored, (each) => transcoder.message(messageTable, each), storedMessageJson).json
}

/** Writes the JSON of stored on-chain events. */
export function transcodeOnChainEvents(stored: readonly Buffer[]): Buffer {
  return transcodeEach(stored, (each) => transcoder.message(onChainEventTable, each), storedOnChainEventJson)
    .json
}

function transcodeEach<Item>(
  items: readonly Item[],
  write: (item: Item) => boolean,
  toJson: (item: Item) => object,
): JsonList {
  const ends: number[] = []
  transcoder.position = 0
  for (const item of items) {
    transcoder.separate(0)
    if (!write(item)) transcoder.raw(Buffer.from(JSON.stringify(toJson(item))))
    ends.push(transcoder.position)
  }
  return { json: transcoder.take(), ends }
}
