import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { tryParseJson } from '../../../platform/text/try-parse-json.js'
import type { TokenRecord } from './token-records.js'

/** A record of a file, or the problem of a line that is none. */
export interface FileRecord {
  readonly line: number
  readonly record: TokenRecord | string
}

/** A JSON document of several lines is read as a whole: as much as some hundred thousand tokens. */
const MAX_DOCUMENT = 128 * 1024 * 1024

/**
 * Reads records of a CSV file with a header, or of JSON: one object per line, an array, or replies of `frame/notification_tokens`
 * as they are.
 */
export async function* readTokenFile(input: Readable): AsyncGenerator<FileRecord> {
  let format: 'csv' | 'json' | null = null
  let header: readonly string[] = []
  let document = ''
  let line = 0
  for await (const raw of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    line += 1
    const text = line === 1 ? raw.replace(/^\ufeff/, '') : raw
    if (text.trim() === '') continue
    if (format === null && !/^\s*[[{]/.test(text)) {
      format = 'csv'
      header = csvFields(text).map((name) => name.trim())
      continue
    }
    format ??= 'json'
    if (format === 'csv') {
      yield { line, record: csvRecord(header, csvFields(text)) }
      continue
    }
    const value = document === '' ? tryParseJson(text) : undefined
    if (value !== undefined) {
      yield* recordsOf(value, line)
      continue
    }
    document += `${text}\n`
    if (document.length > MAX_DOCUMENT)
      throw new Error('the JSON document is too large: write one object per line')
    // Replies that were written one after the other, each on several lines.
    const whole = /^[}\]]\s*$/.test(text) ? tryParseJson(document) : undefined
    if (whole === undefined) continue
    document = ''
    yield* recordsOf(whole, line)
  }
  if (document !== '') yield { line, record: 'it is not JSON' }
}

function* recordsOf(value: unknown, line: number): Generator<FileRecord> {
  const list = isObject(value) && Array.isArray(value.notification_tokens) ? value.notification_tokens : value
  for (const each of Array.isArray(list) ? list : [list]) {
    yield { line, record: isObject(each) ? each : 'it is not an object' }
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function csvRecord(header: readonly string[], fields: readonly string[]): TokenRecord | string {
  if (fields.length !== header.length)
    return `it has ${fields.length} fields, and the header ${header.length}`
  return Object.fromEntries(header.map((name, index) => [name, fields[index]]))
}

/** The fields of a line (RFC 4180); tokens and URLs have no line breaks. */
function csvFields(text: string): string[] {
  // With a comma before the first field, too, an empty one is found like the others.
  const found = `,${text}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^,]*))/g)
  return [...found].map(([, inQuotes, plain]) => inQuotes?.replaceAll('""', '"') ?? plain ?? '')
}
