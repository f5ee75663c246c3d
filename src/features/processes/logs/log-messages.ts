import { type FeedLevel, feedLevels, type LogLine } from '../../../platform/log/log-feed.js'

/** The NOTIFY channel on which readers ask all processes for their lines. */
export const logRequestChannel = 'plaza_log_requests'

/** The NOTIFY channel on which processes answer one reader. */
export const logChannel = (reader: string): string => `plaza_log_${reader}`

/** Request of a reader, sent once, and again every few seconds while it follows. */
export interface LogRequest {
  readonly reader: string
  /** Recent lines that it wants of each process. */
  readonly lines: number
  /** The lowest level of lines that it wants. */
  readonly level: FeedLevel
  /** Whether it wants what comes, too. */
  readonly follow: boolean
}

/** Parses a request; null for any other text, since every user of the database may notify. */
export function parseLogRequest(payload: string): LogRequest | null {
  try {
    const { reader, lines, level, follow } = JSON.parse(payload) as Partial<LogRequest>
    const isRequest = /^[0-9a-f-]{36}$/.test(reader ?? '') && Number.isInteger(lines) && Number(lines) >= 0
    if (!isRequest) return null
    const known = feedLevels.find((each) => each === level) ?? 'info'
    return { reader: reader!, lines: lines!, level: known, follow: follow === true }
  } catch {
    return null
  }
}

/** Response of a process. */
export interface LogMessage {
  /** Host and pid. */
  readonly process: string
  readonly lines: readonly LogLine[]
  /** Lines that were left out, because there were too many. */
  readonly leftOut: number
  /** Whether these are the last of the recent lines. */
  readonly isRecentEnd: boolean
}

/** PostgreSQL takes less than 8,000 bytes in a notification. */
const MAX_PAYLOAD_BYTES = 7_900

/** Splits a message into payloads of notifications, in order. A line that is longer than one is cut. */
export function payloadsOf(message: LogMessage): string[] {
  const parts: LogLine[][] = [[]]
  let bytes = 0
  const room = MAX_PAYLOAD_BYTES - byteLength({ ...message, lines: [] })
  for (const line of message.lines.map((each) => shortened(each, room))) {
    const size = byteLength(line) + 1
    if (bytes + size > room && parts.at(-1)!.length > 0) {
      parts.push([])
      bytes = 0
    }
    parts.at(-1)!.push(line)
    bytes += size
  }
  return parts.map((lines, index) => {
    const isLast = index === parts.length - 1
    const leftOut = index === 0 ? message.leftOut : 0
    return JSON.stringify({ ...message, lines, leftOut, isRecentEnd: message.isRecentEnd && isLast })
  })
}

function shortened(line: LogLine, room: number): LogLine {
  return byteLength(line) < room ? line : { ...line, fields: {} }
}

function byteLength(value: object): number {
  return Buffer.byteLength(JSON.stringify(value))
}
