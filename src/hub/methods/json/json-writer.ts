import { isUtf8 } from 'node:buffer'

/** Larger than the JSON of a slice of usual events, so that it rarely grows. */
const INITIAL_BYTES = 512 * 1024
/** A buffer that grew beyond this for one slice is dropped after it. */
const MAX_KEPT_BYTES = 4 * 1024 * 1024
/** The longest number: 2^53 - 1. */
const MAX_DIGITS = 16
/** Numbers below it are 32-bit integers, whose division is fast. */
const INTEGER_PART = 1e9

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN = 0x7b
const ZERO = 0x30
const BACKSLASH = 0x5c
const PADDING = 0x3d

const hexDigits = Buffer.from('0123456789abcdef')
const base64Digits = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')
const highDigits = Uint8Array.from({ length: 256 }, (_, byte) => hexDigits[byte >> 4]!)
const lowDigits = Uint8Array.from({ length: 256 }, (_, byte) => hexDigits[byte & 15]!)

/** Characters that `JSON.stringify` writes after the backslash, by byte: 0 for bytes that stay as they are. */
const escapes = Uint8Array.from({ length: 256 }, (_, byte) => {
  const written = JSON.stringify(String.fromCharCode(byte))
  return written[1] === '\\' ? written.charCodeAt(2) : 0
})
const UNICODE_ESCAPE = 'u'.charCodeAt(0)

/**
 * Writes JSON as bytes into one growing buffer, as `JSON.stringify` would. Text, hex and base64 are written byte by
 * byte: a call of a Buffer's own `write` costs more than the 20 to 64 bytes that a hash or a signature has.
 */
export class JsonWriter {
  bytes: Buffer = Buffer.allocUnsafeSlow(INITIAL_BYTES)
  position = 0

  /** Makes room for so many more bytes. */
  reserve(length: number): void {
    if (this.position + length <= this.bytes.length) return
    const grown = Buffer.allocUnsafeSlow(Math.max(this.bytes.length * 2, this.position + length))
    this.bytes.copy(grown, 0, 0, this.position)
    this.bytes = grown
  }

  /** Returns a copy of what was written, and starts anew. */
  take(): Buffer {
    const written = Buffer.allocUnsafeSlow(this.position)
    this.bytes.copy(written, 0, 0, this.position)
    if (this.bytes.length > MAX_KEPT_BYTES) this.bytes = Buffer.allocUnsafeSlow(INITIAL_BYTES)
    this.position = 0
    return written
  }

  /** Writes these bytes. */
  raw(content: Uint8Array): void {
    const { length } = content
    this.reserve(length)
    const { bytes } = this
    let position = this.position
    for (let index = 0; index < length; index++) bytes[position++] = content[index]!
    this.position = position
  }

  /** Writes a member that begins with a comma, without it where the object has just been opened. */
  member(content: Uint8Array): void {
    const { length } = content
    this.reserve(length)
    const { bytes } = this
    let position = this.position
    for (let index = bytes[position - 1] === OPEN ? 1 : 0; index < length; index++) {
      bytes[position++] = content[index]!
    }
    this.position = position
  }

  /** Writes one ASCII character. */
  character(code: number): void {
    this.reserve(1)
    this.bytes[this.position++] = code
  }

  /** Writes a comma before every element of a list but its first. */
  separate(listStart: number): void {
    if (this.position > listStart) this.character(COMMA)
  }

  /** Writes a whole number from 0 to 2^53 - 1. */
  integer(value: number): void {
    this.reserve(MAX_DIGITS)
    if (value < INTEGER_PART) {
      this.#digits(value, 1)
      return
    }
    this.#digits(Math.floor(value / INTEGER_PART), 1)
    this.#digits(value % INTEGER_PART, 9)
  }

  #digits(value: number, least: number): void {
    let count = least
    for (let bound = 10 ** least; value >= bound; bound *= 10) count += 1
    const { bytes } = this
    const start = this.position
    let rest = value | 0
    for (let index = start + count - 1; index >= start; index--) {
      const quotient = (rest / 10) | 0
      bytes[index] = ZERO + rest - quotient * 10
      rest = quotient
    }
    this.position = start + count
  }

  /** Writes UTF-8 as a JSON string. Returns false if it is no valid UTF-8. */
  text(source: Buffer, start: number, end: number): boolean {
    this.reserve((end - start) * 6 + 2)
    const { bytes } = this
    let position = this.position
    let all = 0
    bytes[position++] = QUOTE
    for (let index = start; index < end; index++) {
      const byte = source[index]!
      const letter = escapes[byte]!
      if (letter === 0) {
        all |= byte
        bytes[position++] = byte
        continue
      }
      bytes[position++] = BACKSLASH
      bytes[position++] = letter
      if (letter !== UNICODE_ESCAPE) continue
      bytes[position++] = ZERO
      bytes[position++] = ZERO
      bytes[position++] = highDigits[byte]!
      bytes[position++] = lowDigits[byte]!
    }
    bytes[position++] = QUOTE
    this.position = position
    return all < 0x80 || isUtf8(source.subarray(start, end))
  }

  /** Writes a string of `0x` and lower-case hex. */
  hex(source: Buffer, start: number, end: number): void {
    this.reserve((end - start) * 2 + 4)
    const { bytes } = this
    let position = this.position
    bytes[position++] = QUOTE
    bytes[position++] = ZERO
    bytes[position++] = 0x78
    for (let index = start; index < end; index++) {
      const byte = source[index]!
      bytes[position++] = highDigits[byte]!
      bytes[position++] = lowDigits[byte]!
    }
    bytes[position++] = QUOTE
    this.position = position
  }

  /** Writes a string of standard base64 with padding. */
  base64(source: Buffer, start: number, end: number): void {
    this.reserve((end - start) * 2 + 6)
    const { bytes } = this
    let position = this.position
    let index = start
    bytes[position++] = QUOTE
    for (; index + 2 < end; index += 3) {
      const bits = (source[index]! << 16) | (source[index + 1]! << 8) | source[index + 2]!
      bytes[position++] = base64Digits[bits >> 18]!
      bytes[position++] = base64Digits[(bits >> 12) & 63]!
      bytes[position++] = base64Digits[(bits >> 6) & 63]!
      bytes[position++] = base64Digits[bits & 63]!
    }
    if (index < end) {
      const bits = (source[index]! << 16) | (index + 1 < end ? source[index + 1]! << 8 : 0)
      bytes[position++] = base64Digits[bits >> 18]!
      bytes[position++] = base64Digits[(bits >> 12) & 63]!
      bytes[position++] = index + 1 < end ? base64Digits[(bits >> 6) & 63]! : PADDING
      bytes[position++] = PADDING
    }
    bytes[position++] = QUOTE
    this.position = position
  }
}
