import bs58 from 'bs58'
import { ETH_ADDRESS_BYTES } from '../../../protocol/bytes.js'
import { HASH_BYTES } from '../../../protocol/hash.js'
import { MAX_SOL_ADDRESS_CHARACTERS, SOL_ADDRESS_BYTES } from '../../../protocol/kinds/address.js'
import { MAX_PAGE_SIZE, type TokenCodec } from '../../page-token.js'
import { enumValue } from '../json/enum-names.js'
import { invalid, required } from '../refusals.js'

const DEFAULT_PAGE_SIZE = 1_000

const MAX_U32 = 0xffff_ffff
const MAX_U64 = 0xffff_ffff_ffff_ffffn

/**
 * Reads the parameters of a query. A wrong one is a 400 that names it. An empty value counts as none; a
 * parameter that the method does not have is ignored (docs/protocol.md §1.6).
 */
export class Parameters {
  readonly #query: Readonly<Record<string, unknown>>

  constructor(query: unknown) {
    this.#query = typeof query === 'object' && query !== null ? (query as Record<string, unknown>) : {}
  }

  /** Whether the query has this parameter, with any value that is not empty. */
  has(name: string): boolean {
    const value = this.#query[name]
    return Array.isArray(value) || (typeof value === 'string' && value !== '')
  }

  /** The first of these spellings that is given, and its value. */
  find(...names: readonly string[]): { name: string; value: string } | null {
    for (const name of names) {
      const value = this.#query[name]
      if (Array.isArray(value)) throw invalid(name, 'is given more than once')
      if (typeof value === 'string' && value !== '') return { name, value }
    }
    return null
  }

  text(name: string): string | null {
    return this.find(name)?.value ?? null
  }

  /** The value of the first of these spellings that is given; null without one. */
  read<Value>(parse: Parse<Value>, ...names: readonly string[]): Value | null {
    const found = this.find(...names)
    return found && parse(found.name, found.value)
  }

  require<Value>(parse: Parse<Value>, name: string): Value {
    return this.read(parse, name) ?? required(name)
  }

  /** Every value of a parameter that may be repeated, or have several between commas. */
  list(...names: readonly string[]): { name: string; values: string[] } | null {
    for (const name of names) {
      const given = this.#query[name]
      const texts = Array.isArray(given) ? given.map(String) : typeof given === 'string' ? [given] : []
      const values = texts.flatMap((text) => text.split(',')).map((value) => value.trim())
      if (values.some((value) => value !== ''))
        return { name, values: values.filter((value) => value !== '') }
    }
    return null
  }

  /** Highest or newest first. */
  get reverse(): boolean {
    return this.read(parseFlag, 'reverse') ?? false
  }

  /** The page size in either spelling; the one in snake case counts first, as in the reference node. */
  pageSize(defaultValue = DEFAULT_PAGE_SIZE): number {
    return this.read(parsePageSize, 'page_size', 'pageSize') ?? defaultValue
  }

  /** The bytes of a page token. In a query a `+` arrives as a space. */
  pageToken(): { name: string; bytes: Buffer } | null {
    const found = this.find('page_token', 'pageToken')
    if (!found) return null
    const text = found.value.replaceAll(' ', '+')
    const bytes = Buffer.from(text, 'base64')
    if (bytes.toString('base64') !== text) throw invalid(found.name, 'is not base64')
    return { name: found.name, bytes }
  }

  /** The cursor of a page token; null without one. */
  cursor<Cursor>(codec: TokenCodec<Cursor>): Cursor | null {
    const token = this.pageToken()
    if (!token) return null
    const cursor = codec.decode(token.bytes)
    if (cursor === null) throw invalid(token.name, 'is not a token that this list gave out')
    return cursor
  }
}

/** Parses the text of a parameter. @throws PlazaError that names the parameter. */
export type Parse<Value> = (name: string, text: string) => Value

/** Any text. */
export const parseText: Parse<string> = (_name, text) => text

/** A fid: 1 or more, and at most what JavaScript holds exactly. */
export const parseFid: Parse<number> = (name, text) => {
  const value = parseDigits(name, text)
  if (value < 1n || value > BigInt(Number.MAX_SAFE_INTEGER)) throw invalid(name, 'must be a fid: 1 or more')
  return Number(value)
}

/** A fid, or 0 for on-chain events that belong to no user. */
export const parseFidOrZero: Parse<number> = (name, text) => (text === '0' ? 0 : parseFid(name, text))

/** A number of 64 bits. What JavaScript cannot hold becomes its largest, above every id and time. */
export const parseU64: Parse<number> = (name, text) => {
  const value = parseDigits(name, text)
  if (value > MAX_U64) throw invalid(name, 'is larger than 2^64 - 1')
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(value)
}

/** A number of 32 bits, such as a shard. */
export const parseU32: Parse<number> = (name, text) => {
  const value = parseDigits(name, text)
  if (value > MAX_U32) throw invalid(name, 'is larger than 2^32 - 1')
  return Number(value)
}

/** `true`, `false`, `1` or `0`. */
export const parseFlag: Parse<boolean> = (name, text) => {
  if (text === 'true' || text === '1') return true
  if (text === 'false' || text === '0') return false
  throw invalid(name, 'must be true or false')
}

/** Bytes of hex, of any length, with or without `0x`. */
export const parseBytes: Parse<Buffer> = (name, text) => {
  const bytes = parseHex(text)
  if (!bytes) throw invalid(name, 'must be hex')
  return bytes
}

/** The hash of a message. */
export const parseHash: Parse<Buffer> = (name, text) => {
  const bytes = parseBytes(name, text)
  if (bytes.length !== HASH_BYTES) throw invalid(name, `must be ${HASH_BYTES} bytes of hex`)
  return bytes
}

/** An address of Ethereum in hex, or of Solana in hex or base58. */
export const parseAddress: Parse<Buffer> = (name, text) => {
  const bytes = parseHex(text)
  if (bytes?.length === ETH_ADDRESS_BYTES || bytes?.length === SOL_ADDRESS_BYTES) return bytes
  const decoded = text.length > MAX_SOL_ADDRESS_CHARACTERS ? undefined : bs58.decodeUnsafe(text)
  if (decoded?.length === SOL_ADDRESS_BYTES) return Buffer.from(decoded)
  throw invalid(name, 'must be an address of Ethereum (hex) or Solana (base58)')
}

/** A value of one of the protocol's enums, from its name or its number. `names` are by number. */
export function enumParser(names: readonly (string | undefined)[]): Parse<number> {
  return (name, text) => {
    const value = enumValue(names, text)
    if (value !== undefined) return value
    const known = names.filter((each) => each !== undefined).join(', ')
    throw invalid(name, `must be one of ${known}, or its number`)
  }
}

const parsePageSize: Parse<number> = (name, text) => {
  const size = parseDigits(name, text)
  if (size < 1n || size > MAX_PAGE_SIZE) throw invalid(name, `must be between 1 and ${MAX_PAGE_SIZE}`)
  return Number(size)
}

/** Parses digits: no sign, no point, no exponent. Twenty of them hold every number of 64 bits. */
function parseDigits(name: string, text: string): bigint {
  if (!/^\d{1,20}$/.test(text)) throw invalid(name, 'must be a whole number of at most 20 digits')
  return BigInt(text)
}

function parseHex(text: string): Buffer | null {
  const digits = text.startsWith('0x') ? text.slice(2) : text
  return /^(?:[0-9a-fA-F]{2})*$/.test(digits) ? Buffer.from(digits, 'hex') : null
}
