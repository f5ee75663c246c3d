import fc from 'fast-check'
import protobuf from 'protobufjs'
import { describe, expect, test } from 'vitest'
import { hubEventJson } from './hub-event.js'
import { storedMessageJson } from './message.js'
import { hubEventTable, messageTable, onChainEventTable } from './message-tables.js'
import { storedOnChainEventJson } from './onchain-event.js'
import { transcodeHubEvents, transcodeMessages, transcodeOnChainEvents } from './transcode.js'
import { Kind, type Table } from './wire-table.js'

/** The definitions, read by another implementation, so that every field of every message is generated. */
const root = new protobuf.Root()
root.resolvePath = (_origin, target) => `src/protocol/proto/${target.split('/').at(-1)}`
root.loadSync(['hub_event.proto', 'message.proto']).resolveAll()
const hubEventType = root.lookupType('HubEvent')
const messageType = root.lookupType('Message')
const onChainEventType = root.lookupType('OnChainEvent')

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({
    unit: fc.constantFrom('"', '\\', '\n', '\u0001', '\u007f', '\u2028', '🌱', 'é', '/'),
    maxLength: 8,
  }),
)
const bytes = fc
  .oneof(
    { weight: 3, arbitrary: fc.uint8Array({ maxLength: 5 }) },
    fc.uint8Array({ minLength: 20, maxLength: 66 }),
  )
  .map((each) => Buffer.from(each))
const uint64 = fc.oneof(
  fc.nat(300),
  fc.nat(),
  fc.constantFrom(2 ** 32, 1e9, 1e9 - 1, 151622205440, Number.MAX_SAFE_INTEGER),
  fc.constantFrom('9007199254740992', '18446744073709551615'),
)
const uint32 = fc.oneof(fc.nat(300), fc.constantFrom(0, 2 ** 31, 2 ** 32 - 1, 1e9))
const int32 = fc.oneof({ weight: 6, arbitrary: fc.nat(21) }, fc.constantFrom(-1, 99, 2 ** 31 - 1))

function arbitraryOf(field: protobuf.Field, depth: number): fc.Arbitrary<unknown> {
  const { resolvedType, type } = field
  if (field instanceof protobuf.MapField) return fc.dictionary(fc.constantFrom('0', '3', '-4'), uint64)
  if (resolvedType instanceof protobuf.Type) return fieldsOf(resolvedType, depth - 1)
  if (resolvedType instanceof protobuf.Enum) return int32
  const scalars: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
    string: text,
    bytes,
    uint64,
    uint32,
    int32,
  }
  return scalars[type]!
}

/** A message with some of its fields, also several of a `oneof` where `encode` puts them on the wire. */
function fieldsOf(type: protobuf.Type, depth: number): fc.Arbitrary<object> {
  const oneofs = type.oneofsArray.filter(({ fieldsArray }) => fieldsArray.length > 1)
  const alone = type.fieldsArray.filter(({ partOf }) => partOf === null || partOf.fieldsArray.length === 1)
  const single = Object.fromEntries(alone.map((field) => [field.name, fieldValue(field, depth)]))
  return oneofs.reduce<fc.Arbitrary<object>>(
    (message, { fieldsArray }) => {
      const members = fieldsArray.map((field) =>
        fieldValue(field, depth).map((value) => ({ [field.name]: value })),
      )
      return fc
        .tuple(message, depth > 0 ? fc.option(fc.oneof(...members)) : fc.constant(null))
        .map((parts) => Object.assign({}, ...parts))
    },
    fc.record(single, { requiredKeys: [] }),
  )
}

function fieldValue(field: protobuf.Field, depth: number): fc.Arbitrary<unknown> {
  if (field.name === 'dataBytes') {
    const data = root.lookupType('MessageData')
    return fc.oneof({ weight: 9, arbitrary: encoded(data, depth) }, bytes)
  }
  const one = arbitraryOf(field, depth)
  return field.repeated ? fc.array(one, { maxLength: 3 }) : one
}

function encoded(type: protobuf.Type, depth = 5): fc.Arbitrary<Buffer> {
  return fieldsOf(type, depth).map((fields) => Buffer.from(type.encode(type.fromObject(fields)).finish()))
}

/** Bytes as encoders write them, or changed: cut off, joined, with a byte of another value. */
function wire(type: protobuf.Type): fc.Arbitrary<Buffer> {
  const whole = encoded(type)
  const changed = fc.tuple(whole, fc.nat(), fc.integer({ min: 0, max: 255 })).map(([all, at, byte]) => {
    const copy = Buffer.from(all)
    if (copy.length > 0) copy[at % copy.length] = byte
    return copy
  })
  const cut = fc.tuple(whole, fc.nat()).map(([all, at]) => all.subarray(0, at % (all.length + 1)))
  const joined = fc.tuple(whole, whole).map((both) => Buffer.concat(both))
  const unknown = fc.tuple(whole, fc.constantFrom('f80603', 'fa0602aabb', 'fd0601020304', '0000', '8b068c06'))
  return fc.oneof(
    { weight: 5, arbitrary: whole },
    { weight: 4, arbitrary: changed },
    cut,
    joined,
    unknown.map(([all, field]) => Buffer.concat([all, Buffer.from(field, 'hex')])),
  )
}

/** What a function returns, or that it throws: undecodable on-chain events have no JSON. */
function outcome(run: () => string): string {
  try {
    return run()
  } catch {
    return 'throws'
  }
}

test('any events -> the JSON of the codec, byte for byte', () => {
  const row = fc.record({ shard: fc.integer({ min: 0, max: 3 }), id: fc.maxSafeNat(), type: fc.nat(20) })
  const event = fc.tuple(row, wire(hubEventType)).map(([head, body]) => ({ ...head, event: body }))
  fc.assert(
    fc.property(fc.array(event, { maxLength: 3 }), (events) => {
      const { json, ends } = transcodeHubEvents(events)
      const expected = events.map((each) => JSON.stringify(hubEventJson(each)))
      expect(json.toString()).toBe(expected.join())
      const starts = [0, ...ends.map((end) => end + 1)]
      expect(ends.map((end, index) => json.toString('utf8', starts[index], end))).toEqual(expected)
    }),
    { numRuns: 400 },
  )
})

test('any stored messages and on-chain events -> the JSON of the codec', () => {
  fc.assert(
    fc.property(wire(messageType), wire(onChainEventType), (message, chainEvent) => {
      expect(transcodeMessages([message]).toString()).toBe(JSON.stringify(storedMessageJson(message)))
      expect(outcome(() => transcodeOnChainEvents([chainEvent]).toString())).toBe(
        outcome(() => JSON.stringify(storedOnChainEventJson(chainEvent))),
      )
    }),
    { numRuns: 400 },
  )
})

describe('the tables have every field of their definitions, with its type', () => {
  const kinds: Readonly<Record<string, readonly Kind[]>> = {
    string: [Kind.text],
    bytes: [Kind.hex, Kind.base64, Kind.chainBytes, Kind.text],
    uint64: [Kind.integer],
    uint32: [Kind.integer],
    int32: [Kind.integer, Kind.enumName],
  }

  function check(table: Table, type: protobuf.Type): void {
    const known = new Map(table.byTag.flatMap((field) => (field ? [[field.number, field] as const] : [])))
    expect([...known.keys()].sort()).toEqual(type.fieldsArray.map(({ id }) => id).sort())
    for (const field of type.fieldsArray) {
      const own = known.get(field.id)!
      const isMap = field instanceof protobuf.MapField
      expect(own.isList, `${type.name}.${field.name}`).toBe(field.repeated || isMap)
      if (isMap || field.name === 'dataBytes') continue
      const { resolvedType } = field
      if (resolvedType instanceof protobuf.Type) check(own.table!, resolvedType)
      else if (resolvedType instanceof protobuf.Enum) expect(own.kind).toBe(Kind.enumName)
      else expect(kinds[field.type]).toContain(own.kind)
    }
  }

  test.each([
    ['HubEvent', hubEventTable, hubEventType],
    ['Message', messageTable, messageType],
    ['OnChainEvent', onChainEventTable, onChainEventType],
  ])('%s', (_name, table, type) => check(table, type))
})
