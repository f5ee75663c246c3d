import type { Listen } from '../../../outbox/outbox-queue.js'
import type { Database } from '../../../platform/db/connection.js'
import type { FeedLevel, LogFeed } from '../../../platform/log/log-feed.js'
import { pause } from '../../../platform/process/pause.js'
import {
  type LogMessage,
  logChannel,
  logRequestChannel,
  parseLogRequest,
  payloadsOf,
} from './log-messages.js'

export interface LogBroadcastOptions {
  readonly db: Database
  readonly listen: Listen
  readonly feed: LogFeed
  /** Host and pid of this process. */
  readonly process: string
  /** Unix milliseconds. */
  readonly clock: () => number
}

/** A reader asks again every 5 s: one that has missed two turns is gone. */
const READER_MS = 12_000
const SEND_MS = 250
/** Lines for one reader at a time: 800 per second. More are counted. */
const MAX_LINES = 200
/** Readers that follow. */
const MAX_READERS = 8
const MAX_RECENT = 500

interface Reader {
  untilMs: number
  readonly level: FeedLevel
  /** The newest line that it was sent. */
  sequence: number
  /** Lines of its level that there were until then. */
  count: number
}

/**
 * Sends lines of this process to those who read the log, by notifications of the database: so a reader needs no other way to
 * any process. Nothing is sent while nobody reads. A failure is not logged, because that would be a line, too.
 *
 * @returns a function that stops it.
 */
export async function startLogBroadcast(options: LogBroadcastOptions): Promise<() => Promise<void>> {
  const { listen, feed, clock } = options
  const readers = new Map<string, Reader>()
  const stopping = new AbortController()
  let sending: Promise<void> | null = null

  const listener = await listen(logRequestChannel, (payload) => {
    const request = parseLogRequest(payload)
    if (request === null) return
    const { reader, lines, level, follow } = request
    const known = readers.get(reader)
    if (known !== undefined) known.untilMs = clock() + READER_MS
    else if (!follow || readers.size < MAX_READERS) {
      const { sequence } = feed
      const count = feed.countOf(level)
      if (follow) readers.set(reader, { untilMs: clock() + READER_MS, level, sequence, count })
      const recent = feed.since(0, Math.min(lines, MAX_RECENT), level)
      send(options, reader, { lines: recent, leftOut: 0, isRecentEnd: true }).catch(() => {})
    }
    if (readers.size > 0) sending ??= sendUntilGone().finally(() => (sending = null))
  })

  async function sendUntilGone(): Promise<void> {
    while (readers.size > 0 && !stopping.signal.aborted) {
      await pause(SEND_MS, stopping.signal)
      for (const [id, reader] of readers) {
        if (reader.untilMs < clock()) readers.delete(id)
        else await sendNew(id, reader).catch(() => {})
      }
    }
  }

  async function sendNew(id: string, reader: Reader): Promise<void> {
    const count = feed.countOf(reader.level)
    if (count === reader.count) return
    const lines = feed.since(reader.sequence, MAX_LINES, reader.level)
    const leftOut = count - reader.count - lines.length
    reader.sequence = feed.sequence
    reader.count = count
    await send(options, id, { lines, leftOut, isRecentEnd: false })
  }

  return async () => {
    stopping.abort()
    await listener.unlisten().catch(() => {})
    await sending
    for (const [id, reader] of readers) await sendNew(id, reader).catch(() => {})
  }
}

async function send(
  { db, process }: LogBroadcastOptions,
  reader: string,
  message: Omit<LogMessage, 'process'>,
): Promise<void> {
  await db`
    select pg_notify(${logChannel(reader)}, payload)
    from unnest(${db.types.texts(payloadsOf({ process, ...message }))}::text[]) as payload`
}
