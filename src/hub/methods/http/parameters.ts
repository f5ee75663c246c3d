import bs58 from 'bs58'
import { MAX_PAGE_SIZE, type TokenCodec } from '../../page-token.js'
import { enumValue } from '../json/enum-names.js'
import { invalid, required } from '../refusals.js'

const DEFAULT_PAGE_SIZE = 1_000

const MAX_U32 = 0xffff_ffff
const MAX_U64 = 0xffff_ffff_ffff_ffffn
const HASH_BYTES = 20
const ETH_ADDRESS_BYTES = 20
const SOL_ADDRESS_BYTES = 32
/** Most characters of 32 bytes in base58. Decoding takes quadratic time, so the length is checked first. */
const MAX_SOL_ADDRESS_CHARACTERS = 44

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

  requiredText(name: string): string {
    return this.text(name) ?? required(name)
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

  /** A user: 1 or more. */
  fid(name: string): number {
    return this.optionalFid(name) ?? required(name)
  }

  optionalFid(name: string): number | null {
    const found = this.find(name)
    return found && parseFid(found.name, found.value)
  }

  /**
   * A number of 64 bits, such as an event id or a time. One that JavaScript cannot hold exactly becomes the
   * largest that it can, which is above every id and time there is.
   */
  u64(...names: readonly string[]): number | null {
    const found = this.find(...names)
    if (!found) return null
    const value = parseDigits(found.name, found.value)
    if (value > MAX_U64) throw invalid(found.name, 'is larger than 2^64 - 1')
    return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(value)
  }

  /** A number of 32 bits, such as a shard. */
  u32(...names: readonly string[]): number | null {
    const found = this.find(...names)
    if (!found) return null
    const value = parseDigits(found.name, found.value)
    if (value > MAX_U32) throw invalid(found.name, 'is larger than 2^32 - 1')
    return Number(value)
  }

  /** `true`, `false`, `1` or `0`; null when it is not given. */
  flag(name: string): boolean | null {
    const value = this.text(name)
    if (value === null) return null
    if (value === 'true' || value === '1') return true
    if (value === 'false' || value === '0') return false
    throw invalid(name, 'must be true or false')
  }

  /** Highest or newest first. */
  get reverse(): boolean {
    return this.flag('reverse') ?? false
  }

  /** The page size in either spelling; the one in snake case counts first, as in the reference node. */
  pageSize(defaultValue = DEFAULT_PAGE_SIZE): number {
    const found = this.find('page_size', 'pageSize')
    if (!found) return defaultValue
    const size = parseDigits(found.name, found.value)
    if (size < 1n || size > MAX_PAGE_SIZE) throw invalid(found.name, `must be between 1 and ${MAX_PAGE_SIZE}`)
    return Number(size)
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

  /** The hash of a message. */
  hash(name: string): Buffer {
    const bytes = this.#hex(name)
    if (bytes.length !== HASH_BYTES) throw invalid(name, `must be ${HASH_BYTES} bytes of hex`)
    return bytes
  }

  /** An address of Ethereum in hex, or of Solana in hex or base58; null when it is not given. */
  optionalAddress(name: string): Buffer | null {
    const value = this.text(name)
    if (value === null) return null
    const address = parseAddress(value)
    if (!address) throw invalid(name, 'must be an address of Ethereum (hex) or Solana (base58)')
    return address
  }

  address(name: string): Buffer {
    return this.optionalAddress(name) ?? required(name)
  }

  /** Bytes of hex, of any length, with or without `0x`. */
  optionalBytes(name: string): Buffer | null {
    return this.text(name) === null ? null : this.#hex(name)
  }

  /** A value of one of the protocol's enums, by its name or number; null when it is not given. */
  optionalEnumValue(name: string, names: readonly (string | undefined)[]): number | null {
    const value = this.text(name)
    return value === null ? null : parseEnum(name, value, names)
  }

  enumValue(name: string, names: readonly (string | undefined)[]): number {
    return this.optionalEnumValue(name, names) ?? required(name)
  }

  #hex(name: string): Buffer {
    const bytes = parseHex(this.requiredText(name))
    if (!bytes) throw invalid(name, 'must be hex')
    return bytes
  }
}

/** A fid: 1 or more, and at most what JavaScript holds exactly. */
export function parseFid(name: string, text: string): number {
  const value = parseDigits(name, text)
  if (value < 1n || value > BigInt(Number.MAX_SAFE_INTEGER)) throw invalid(name, 'must be a fid: 1 or more')
  return Number(value)
}

/** The number of an enum's value, from its name or the number as text. `names` are by number. */
export function parseEnum(name: string, text: string, names: readonly (string | undefined)[]): number {
  const value = enumValue(names, text)
  if (value !== undefined) return value
  const known = names.filter((each) => each !== undefined).join(', ')
  throw invalid(name, `must be one of ${known}, or its number`)
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

function parseAddress(text: string): Buffer | null {
  const bytes = parseHex(text)
  if (bytes?.length === ETH_ADDRESS_BYTES || bytes?.length === SOL_ADDRESS_BYTES) return bytes
  if (text.length > MAX_SOL_ADDRESS_CHARACTERS) return null
  const decoded = bs58.decodeUnsafe(text)
  return decoded?.length === SOL_ADDRESS_BYTES ? Buffer.from(decoded) : null
}
