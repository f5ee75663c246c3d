import { TextDecoder } from 'node:util'
import { parseBoundedJson } from '../../platform/text/json-bounds.js'
import { parseUrl } from '../../platform/text/parse-url.js'

/** Control characters and whitespace, including line breaks and U+0000, which PostgreSQL cannot store. */
const whitespace = /[\p{Cc}\s]+/gu

/** Lone surrogates, which `jsonb` refuses. */
const loneSurrogates = /\p{Surrogate}/gu

/** Normalizes a text of a page: one line, trimmed, at most `maxLength` characters. Undefined when nothing is left. */
export function cleanText(text: string | undefined, maxLength: number): string | undefined {
  // Truncates first, so that cleaning is bounded.
  const cleaned = text
    ?.slice(0, maxLength * 4)
    .replace(whitespace, ' ')
    .trim()
    .slice(0, maxLength)
  return cleaned?.replace(loneSurrogates, '') || undefined
}

const MAX_URL_LENGTH = 1_024

/** Resolves a URL in a page; undefined unless it is http(s). */
export function resolveUrl(reference: string | undefined, base: URL): string | undefined {
  if (reference === undefined || reference.length > MAX_URL_LENGTH) return undefined
  const trimmed = reference.trim()
  const url = trimmed === '' ? null : parseUrl(trimmed, base)
  if (url === null) return undefined
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:'
  return isWeb && url.href.length <= MAX_URL_LENGTH ? url.href : undefined
}

/** Bytes in which a page declares its encoding (HTML standard, "determining the character encoding"). */
const PRESCAN_BYTES = 1_024

const declaration = /<meta[^>]+charset\s*=[\s"']*([\w-]+)/i

/** Decodes a page: by byte order mark, Content-Type, its own declaration, or UTF-8. Invalid bytes become U+FFFD. */
export function decodePage(bytes: Uint8Array, contentType: string): string {
  const label = markOf(bytes) ?? /charset\s*=\s*["']?([\w-]+)/i.exec(contentType)?.[1] ?? declaredIn(bytes)
  return decoderOf(label ?? 'utf-8').decode(bytes)
}

function markOf(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 'utf-8' : undefined
}

function declaredIn(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, PRESCAN_BYTES)).toString('latin1')
  const label = declaration.exec(start)?.[1]
  // A page whose ASCII was readable is not UTF-16, whatever it declares (HTML standard, same section).
  return label?.toLowerCase().startsWith('utf-16') ? 'utf-8' : label
}

function decoderOf(label: string): TextDecoder {
  try {
    return new TextDecoder(label)
  } catch {
    return new TextDecoder()
  }
}

/** The same record type, with optional members instead of undefined ones. */
type Defined<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> }

/** Removes undefined members, for JSON and `exactOptionalPropertyTypes`. */
export function omitUndefined<T extends object>(members: T): Defined<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>
}

/** Parses a JSON object; undefined for anything else. */
export function parseObject(json: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseBoundedJson(json)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}
