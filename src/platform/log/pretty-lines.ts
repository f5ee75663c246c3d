import { styleText } from 'node:util'
import type { DestinationStream } from 'pino'

type Style = Parameters<typeof styleText>[0]
type Fields = Readonly<Record<string, unknown>>

const levels: Readonly<Record<number, readonly [string, Style]>> = {
  10: ['trace', 'gray'],
  20: ['debug', 'gray'],
  30: ['info ', 'green'],
  40: ['warn ', 'yellow'],
  50: ['error', 'red'],
  60: ['fatal', 'red'],
}

const SERVER_ERROR = 500
const CLIENT_ERROR = 400
/** Longer values are cut off: JSON lines have the whole. */
const MAX_VALUE = 120
const STACK_LINES = 6

/** Members of every line, and those that the sentence shows. */
const shownElsewhere: ReadonlySet<string> = new Set(['level', 'time', 'msg', 'err'])

/**
 * A stream that writes the logger's JSON lines for a person: time, level, sentence, fields.
 *
 * @param destination Writes synchronously, so that no line is lost when the process ends.
 */
export function prettyLines(destination: DestinationStream, hasColors: boolean): DestinationStream {
  const style = (format: Style, text: string) =>
    hasColors ? styleText(format, text, { validateStream: false }) : text
  return {
    write(line: string) {
      const fields = parseLine(line)
      destination.write(fields === null ? line : `${prettyLine(fields, style)}\n`)
    },
  }
}

type Styled = (format: Style, text: string) => string

function parseLine(line: string): Fields | null {
  try {
    return JSON.parse(line) as Fields
  } catch {
    return null
  }
}

function prettyLine(fields: Fields, style: Styled): string {
  const [level, levelStyle] = levels[Number(fields.level)] ?? ['     ', 'white']
  const time = style('gray', timeOf(fields.time))
  const { sentence, rest } = isAccess(fields) ? accessSentence(fields, style) : plainSentence(fields)
  const pairs = Object.entries(rest).map(([name, value]) => style('gray', `${name}=${shortValue(value)}`))
  const head = [time, style(levelStyle, level), sentence, ...pairs].join(' ')
  return fields.err === undefined ? head : `${head}${style('gray', errorText(fields.err))}`
}

/** The time of day of this machine, to the millisecond. */
function timeOf(time: unknown): string {
  const at = new Date(String(time))
  if (Number.isNaN(at.getTime())) return String(time)
  const two = (value: number) => String(value).padStart(2, '0')
  const clock = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')
  return `${clock}.${String(at.getMilliseconds()).padStart(3, '0')}`
}

function plainSentence(fields: Fields) {
  return { sentence: String(fields.msg ?? ''), rest: without(fields, shownElsewhere) }
}

/** The line of a request: `GET /v2/farcaster/feed 200 12 ms`. */
interface AccessFields extends Fields {
  readonly method: string
  readonly route: string
  readonly status: number
  readonly ms: number
}

function isAccess(fields: Fields): fields is AccessFields {
  return fields.msg === 'request' && typeof fields.route === 'string' && typeof fields.status === 'number'
}

const accessFields: ReadonlySet<string> = new Set([...shownElsewhere, 'method', 'route', 'status', 'ms'])

function accessSentence(fields: AccessFields, style: Styled) {
  const { method, route, status, ms } = fields
  const color = status >= SERVER_ERROR ? 'red' : status >= CLIENT_ERROR ? 'yellow' : 'green'
  const sentence = `${method} ${route} ${style(color, String(status))} ${ms} ms`
  return { sentence, rest: without(fields, accessFields) }
}

function without(fields: Fields, names: ReadonlySet<string>): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.has(name)))
}

function shortValue(value: unknown): string {
  const text = typeof value === 'string' ? quotedIfNeeded(value) : JSON.stringify(value)
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text
}

function quotedIfNeeded(text: string): string {
  return /^[^\s"=]+$/.test(text) ? text : JSON.stringify(text)
}

/** The message of an error and of its causes, each with where it was thrown. */
function errorText(error: unknown): string {
  if (error === null || typeof error !== 'object') return `\n    ${String(error)}`
  const { name = 'Error', message = '', code, stack, cause } = error as Fields
  const frames = String(stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, STACK_LINES)
    .map((line) => `\n      ${line.trim()}`)
  const head = `\n    ${name}: ${message}${code === undefined ? '' : ` (${code})`}`
  return `${head}${frames.join('')}${cause === undefined ? '' : errorText(cause)}`
}
