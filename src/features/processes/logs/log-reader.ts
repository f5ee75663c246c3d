import { randomUUID } from 'node:crypto'
import type { Database } from '../../../platform/db/connection.js'
import { type FeedLevel, type LogLine, levelsFrom } from '../../../platform/log/log-feed.js'
import { pause, resultWithin } from '../../../platform/process/pause.js'
import { listProcesses } from '../processes.js'
import { type LogMessage, type LogRequest, logChannel, logRequestChannel } from './log-messages.js'

/** A line and the process that wrote it: host and pid. */
export interface ReadLine extends LogLine {
  readonly process: string
}

export interface LogReaderOptions {
  readonly db: Database
  /** Recent lines of all processes. */
  readonly lines: number
  /** The lowest level of lines. */
  readonly level: FeedLevel
  readonly onLine: (line: ReadLine) => void
  /** Called when a process left lines out. */
  readonly onLeftOut: (process: string, count: number) => void
}

/** Processes answer at once; one that hangs is not waited for longer. */
const RECENT_MS = 2_000
/** A process forgets a reader after 12 s. */
const RENEW_MS = 5_000
/** A process of a version that knows no levels sends its newest lines of any level: it is asked for all that it has. */
const ALL_LINES = 500

/**
 * Reads the recent lines of all live processes, oldest first, and then what they write until the signal aborts; null ends after
 * the recent ones.
 *
 * @returns the number of live processes.
 */
export async function readLogs(
  { db, lines, level, onLine, onLeftOut }: LogReaderOptions,
  signal: AbortSignal | null,
): Promise<number> {
  const reader = randomUUID()
  const levels = levelsFrom(level)
  const processes = (await listProcesses(db)).length
  let early: ReadLine[] | null = []
  let answered = 0
  let onAllAnswered = () => {}
  const allAnswered = new Promise<void>((resolve) => {
    onAllAnswered = resolve
  })
  const listener = await db.listen(logChannel(reader), (payload) => {
    const { process, lines: sent, leftOut, isRecentEnd } = JSON.parse(payload) as LogMessage
    if (leftOut > 0) onLeftOut(process, leftOut)
    for (const line of sent) {
      if (!levels.includes(line.level)) continue
      if (early === null) onLine({ ...line, process })
      else early.push({ ...line, process })
    }
    if (!isRecentEnd) return
    answered += 1
    if (answered >= processes) onAllAnswered()
  })
  try {
    await request(db, { reader, level, lines: level === 'info' ? lines : ALL_LINES, follow: signal !== null })
    if (processes > 0) await resultWithin(RECENT_MS, allAnswered)
    // Of what came at once: also lines that are newer than the request.
    const recent = early.sort((a, b) => a.atMs - b.atMs)
    for (const line of recent.slice(Math.max(0, recent.length - lines))) onLine(line)
    early = null
    while (signal !== null && !signal.aborted) {
      await pause(RENEW_MS, signal)
      // A process that has started since then answers with what it wrote at its start.
      if (!signal.aborted) await request(db, { reader, level, lines, follow: true })
    }
  } finally {
    await listener.unlisten().catch(() => {})
  }
  return processes
}

async function request(db: Database, message: LogRequest): Promise<void> {
  await db`select pg_notify(${logRequestChannel}, ${JSON.stringify(message)})`
}
