import type { MessageData, MessageType } from '../definitions.js'
import type { Random } from './random.js'

/** Numbers at the limits of rules. */
const NUMBERS = [
  ...[-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 21, 99, 420, 5000, 5001],
  ...[73_612_799, 73_612_800, 7_776_000, 7_776_001, 179_999_400, 179_999_399, 180_000_600, 180_000_601],
  ...[2 ** 31, 2 ** 32 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER],
]
const LENGTHS = [
  ...[0, 1, 2, 8, 9, 15, 16, 17, 19, 20, 21, 25, 26, 31, 32, 33, 38, 39, 42, 44, 45, 63, 64, 65, 66],
  ...[128, 255, 256, 257, 320, 321, 1023, 1024, 1025, 2047, 2048, 2049, 4096, 10_000, 10_001],
]
const WORDS = [
  ...['alice', 'Alice', '-alice', 'al--ice', 'ab--c.eth', 'alice-.eth', 'a.b.eth', 'alice.base.eth'],
  ...['a.b.base.eth', '.eth', '.base.eth', 'abcdefghijklmnopq.eth', 'alice.eth', 'ALICE.eth', 'a_b', 'a-b'],
  ...['geo:12.25,-120.10', 'geo:90.00,180.00', 'geo:90.01,0.00', 'geo:0.00,-180.01', 'geo:1.2,3.4'],
  ...['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed', '0x12'],
  ...['So11111111111111111111111111111111111111112', '0OIl', '11111111111111111111111111111111'],
  ...['eip155:1/erc20:0x6b175474e89094c44da98b954eedeac495271d0f', 'eip155:1', 'é', '✨', '\u0000', 'a\n'],
]
const OPTIONAL: Record<string, readonly unknown[]> = {
  parentUrl: ['', 'https://example.com/'],
  targetUrl: ['', 'https://example.com/'],
  url: ['', 'https://example.com/'],
  parentCastId: [
    { fid: 1, hash: Buffer.alloc(20) },
    { fid: 0, hash: Buffer.alloc(20) },
  ],
  targetCastId: [
    { fid: 1, hash: Buffer.alloc(20) },
    { fid: 1, hash: Buffer.alloc(19) },
  ],
  castId: [{ fid: 1, hash: Buffer.alloc(20) }],
  displayTimestamp: [0, 5],
  targetFid: [0, 5],
}

/** A path to a value in an object. */
interface FieldPath {
  readonly holder: Record<string, unknown>
  readonly name: string
}

/** Returns a copy of `data` with one value at or past the limit of a rule. */
export function mutateData(data: MessageData, random: Random, others: readonly MessageData[]): MessageData {
  const copy = structuredClone(data)
  if (random.below(12) === 0) return exchangeBody(copy, random, random.pick(others))
  const { holder, name } = random.pick(fieldPathsOf(copy as unknown as Record<string, unknown>))
  holder[name] = mutateValue(holder[name], name, random)
  return copy
}

/** Returns copies of bytes with one byte changed, removed or inserted, or truncated. */
export function mutateBytes(bytes: Uint8Array, random: Random): Buffer {
  const at = random.below(bytes.length + 1)
  const before = bytes.subarray(0, at)
  switch (random.below(5)) {
    case 0:
      return Buffer.from(before)
    case 1:
      return Buffer.concat([before, bytes.subarray(at + 1)])
    case 2:
      return Buffer.concat([before, random.bytes(1), bytes.subarray(at)])
    default: {
      const copy = Buffer.from(bytes)
      if (at < copy.length) copy[at]! ^= 1 << random.below(8)
      return copy
    }
  }
}

/** Exchanges, adds or removes a body, or changes the type. */
function exchangeBody(data: MessageData, random: Random, other: MessageData): MessageData {
  const none = { ...data, [bodyOf(data)]: undefined }
  const otherName = bodyOf(other)
  const otherBody = { [otherName]: other[otherName] }
  switch (random.below(4)) {
    case 0:
      return none
    case 1:
      return { ...none, ...otherBody }
    case 2:
      return { ...data, ...otherBody }
    default:
      return { ...data, type: random.below(24) as MessageType }
  }
}

function bodyOf(data: MessageData): 'castAddBody' {
  const names = Object.keys(data) as (keyof MessageData)[]
  return names.find((name) => name.endsWith('Body') && data[name] !== undefined) as 'castAddBody'
}

function fieldPathsOf(holder: Record<string, unknown>): FieldPath[] {
  return Object.entries(holder).flatMap(([name, value]) => {
    if (value === undefined && name.endsWith('Body')) return []
    const path = { holder, name }
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return [path]
    const inner = fieldPathsOf(value as Record<string, unknown>)
    // Lists are replaced as a whole too, messages are not.
    return Array.isArray(value) ? [path, ...inner] : inner
  })
}

function mutateValue(value: unknown, name: string, random: Random): unknown {
  if (value === undefined) return random.pick(OPTIONAL[name] ?? [undefined])
  const isOptional = OPTIONAL[name] !== undefined && name !== 'url'
  if (isOptional && random.below(4) === 0) return undefined
  if (typeof value === 'number') {
    return random.below(3) === 0 ? value + random.pick([-1, 1]) : random.pick(NUMBERS)
  }
  if (typeof value === 'string') return mutateText(value, random)
  if (Array.isArray(value)) return mutateList(value, random)
  const bytes = value as Uint8Array
  return random.below(2) === 0 ? mutateBytes(bytes, random) : random.bytes(random.pick(LENGTHS))
}

function mutateText(text: string, random: Random): string {
  switch (random.below(4)) {
    case 0:
      return random.pick(WORDS)
    case 1:
      return 'é'.repeat(random.pick(LENGTHS) >> 1)
    case 2:
      return `${text}${random.pick(WORDS)}`
    default:
      return 'x'.repeat(random.pick(LENGTHS))
  }
}

function mutateList(list: readonly unknown[], random: Random): unknown[] {
  const item = list[0] ?? 'https://example.com/'
  switch (random.below(4)) {
    case 0:
      return []
    case 1:
      return list.slice(1)
    case 2:
      return [...list].reverse()
    default:
      return Array.from({ length: random.pick([1, 2, 3, 4, 5, 10, 11, 16, 17]) }, () => item)
  }
}
