import { hubMethods } from '../../../src/hub/methods/hub-methods.js'
import { HubServiceService } from '../../../src/protocol/proto/generated/rpc.js'
import { mutateBytes } from '../../../src/protocol/testing/mutate.js'
import type { Random } from '../../fidelity/generator/random.js'
import { hostileText } from './hostile-values.js'
import { headerText } from './http-parts.js'
import { type MessageSource, messageBody } from './hub-requests.js'
import type { KnownValues } from './known-values.js'
import type { GrpcRequest } from './requests.js'

const MAX_VARINTS = ['ffffffffffffffffff01', '808080808010', 'ffffffff0f', 'ffffffffffffffffffff01']

/** Generates a gRPC call: valid, with a garbage message, or with bad frames. */
export function grpcRequest(random: Random, known: KnownValues, messages: MessageSource): GrpcRequest {
  const method = random.pick(hubMethods)
  const name = method.grpc ?? 'getInfo'
  const { path } = HubServiceService[name]
  const message =
    method.kind === 'write'
      ? messageBody(path, random, messages)
      : random.chance(60)
        ? readRequest(
            random,
            known,
            method.fields.flatMap((field) => field.members),
          )
        : garbageMessage(random)
  const base = { via: 'grpc', about: name, method: name, path, headers: usualHeaders } as const
  switch (random.chance(55) ? 0 : random.below(7)) {
    case 1:
      return { ...base, about: `${name}: bad frame`, body: badFrame(random, message) }
    case 2:
      return { ...base, about: 'unknown method', path: unknownPath(random), body: frame(message) }
    case 3:
      return {
        ...base,
        about: `${name}: hostile metadata`,
        headers: hostileMetadata(random),
        body: frame(message),
      }
    case 4:
      return {
        ...base,
        about: `${name}: no or several messages`,
        body: random.chance(50) ? Buffer.alloc(0) : Buffer.concat([frame(message), frame(message)]),
      }
    case 5:
      return {
        ...base,
        about: `${name}: oversize`,
        body: frame(Buffer.alloc(random.pick([65_535, 300_000]), 0x0a)),
      }
    case 6:
      return {
        ...base,
        about: 'subscribe',
        method: 'subscribe',
        path: HubServiceService.subscribe.path,
        body: frame(subscription(random)),
      }
    default:
      return { ...base, body: frame(message) }
  }
}

const usualHeaders = { 'content-type': 'application/grpc', te: 'trailers' }

/** A length-prefixed message. */
function frame(message: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}

function badFrame(random: Random, message: Buffer): Buffer {
  const bytes = frame(message)
  switch (random.below(5)) {
    case 0:
      return bytes.subarray(0, random.below(bytes.length))
    case 1:
      bytes.writeUInt32BE(random.pick([0, 1, 2 ** 31, 2 ** 32 - 1, message.length + 1]), 1)
      return bytes
    case 2:
      // Says that it is compressed.
      bytes[0] = random.pick([1, 2, 255])
      return bytes
    case 3:
      return Buffer.concat([bytes, random.bytes(random.between(1, 8))])
    default:
      return random.bytes(random.between(1, 40))
  }
}

function unknownPath(random: Random): string {
  return random.pick([
    '/HubService/Nothing',
    '/Other/GetCast',
    '/',
    '/HubService/',
    '/HubService/getcast',
    '/__proto__/toString',
    '/HubService/GetBlocks',
  ])
}

function hostileMetadata(random: Random): Record<string, string> {
  const value = headerText(hostileText(random)).slice(0, 1_000)
  return random.pick<Record<string, string>>([
    { te: 'trailers' },
    {
      ...usualHeaders,
      'content-type': random.pick([
        'application/json',
        'application/grpc+json',
        'application/grpc-web',
        'text/html',
      ]),
    },
    { ...usualHeaders, 'grpc-timeout': random.pick(['1n', '0S', '-1S', '99999999H', 'x', '1']) },
    { ...usualHeaders, 'grpc-encoding': random.pick(['gzip', 'deflate', 'identity', 'x']) },
    { ...usualHeaders, 'x-api-key': value, authorization: value },
    { ...usualHeaders, 'x-forwarded-for': value, 'x-block-hash': value },
    { ...usualHeaders, 'user-agent': value, 'bytes-bin': '!!!' },
  ])
}

/** Protobuf fields that belong to no request, or to one with other types. */
function garbageMessage(random: Random): Buffer {
  if (random.chance(40)) return random.bytes(random.below(60))
  const field = random.between(1, 9)
  switch (random.below(5)) {
    case 0:
      return Buffer.concat([Buffer.of(field << 3), Buffer.from(random.pick(MAX_VARINTS), 'hex')])
    case 1:
      return Buffer.concat([Buffer.of((field << 3) | 2), Buffer.from(random.pick(MAX_VARINTS), 'hex')])
    case 2:
      return Buffer.alloc(random.pick([100, 5_000, 60_000]), (field << 3) | 3)
    case 3:
      return Buffer.concat(
        Array.from({ length: random.pick([50, 2_000]) }, () => Buffer.of((field << 3) | 2, 2)),
      )
    default: {
      const text = Buffer.from(hostileText(random)).subarray(0, 120)
      return Buffer.concat([Buffer.of((field << 3) | 2, text.length), text])
    }
  }
}

/** A request with members of the method, damaged sometimes. */
function readRequest(random: Random, known: KnownValues, members: readonly string[]): Buffer {
  const fields: Buffer[] = []
  // The definitions number their members from 1, in about this order.
  members.slice(0, 9).forEach((member, index) => {
    if (random.chance(80)) fields.push(memberField(random, known, member, index + 1))
  })
  const message = Buffer.concat(fields)
  return random.chance(25) ? mutateBytes(message, random) : message
}

function memberField(random: Random, known: KnownValues, member: string, number: number): Buffer {
  const bytes = memberBytes(random, known, member)
  if (typeof bytes === 'number') return Buffer.concat([Buffer.of(number << 3), varint(bytes)])
  return Buffer.concat([Buffer.of((number << 3) | 2), varint(bytes.length), bytes])
}

function memberBytes(random: Random, known: KnownValues, member: string): Buffer | number {
  const hash = () => Buffer.from(random.pick(known.hashes).slice(2), 'hex')
  if (/CastId|^hash$/.test(member)) {
    if (member === 'hash') return hash()
    return Buffer.concat([Buffer.of(8), varint(random.pick(known.fids)), Buffer.of(18, 20), hash()])
  }
  if (/address|signer/i.test(member)) return Buffer.from(random.pick(known.addresses).slice(2), 'hex')
  if (/url|name|linkType|channel/i.test(member))
    return Buffer.from(random.pick([...known.usernames, ...known.channels, 'follow']))
  if (/token/i.test(member)) return random.bytes(random.pick([0, 4, 8, 20, 32]))
  if (/fid/i.test(member)) return random.pick(known.fids)
  return random.below(4)
}

function subscription(random: Random): Buffer {
  return random.pick([
    Buffer.alloc(0),
    Buffer.of(8, 1),
    Buffer.of(16, 0),
    Buffer.of(16, 0, 40, 1),
    Buffer.of(40, 9),
    garbageMessage(random),
  ])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = BigInt(value)
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128)
    rest >>= 7n
  }
  return Buffer.from([...bytes, Number(rest)])
}
