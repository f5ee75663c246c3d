import { isServerFailure } from '../errors.js'
import { redactedMessage } from '../text/redacted-message.js'
import { redactedUrls } from '../text/redacted-urls.js'
import { messageOf } from './error-journal.js'
import type { Log } from './log.js'
import { SECRETS } from './logger.js'

/** Levels of lines, lowest first. */
export const feedLevels = ['info', 'warn', 'error'] as const
export type FeedLevel = (typeof feedLevels)[number]

/** This level and those above. */
export function levelsFrom(level: FeedLevel): readonly FeedLevel[] {
  return feedLevels.slice(feedLevels.indexOf(level))
}

/** A line of the log, or a request. */
export interface LogLine {
  /** Unix milliseconds. */
  readonly atMs: number
  readonly level: FeedLevel
  readonly message: string
  readonly fields: Readonly<Record<string, string | number | boolean>>
}

/** A request that was answered. The route is a pattern, so it holds nothing of the request. */
export interface AnsweredRequest {
  readonly method: string
  readonly route: string
  readonly status: number
  readonly ms: number
  readonly requestId: string
}

interface Numbered<Entry> {
  readonly sequence: number
  readonly atMs: number
  readonly entry: Entry
}

/** Lines and requests that are kept of each. */
const KEPT = 500
const MAX_MESSAGE = 1_000
const MAX_FIELD = 300

/**
 * The last lines and requests of this process, for those who follow its log. It costs an object for each request; text is made
 * when somebody reads.
 */
export class LogFeed {
  readonly #lines = new Recent<LogLine>()
  readonly #requests = new Recent<AnsweredRequest>()
  readonly #counts: Record<FeedLevel, number> = { info: 0, warn: 0, error: 0 }
  #sequence = 0

  constructor(private readonly clock: () => number) {}

  /** The number of the newest entry. */
  get sequence(): number {
    return this.#sequence
  }

  /** The number of entries of this level and above that there were so far. */
  countOf(level: FeedLevel): number {
    return levelsFrom(level).reduce((sum, each) => sum + this.#counts[each], 0)
  }

  /** Keeps a line. */
  note(level: FeedLevel, fields: object, message: string): void {
    const atMs = this.clock()
    const line = { atMs, level, message: message.slice(0, MAX_MESSAGE), fields: plainFields(fields) }
    this.#lines.add(this.#numbered(atMs, level, line))
  }

  /** Keeps a request. Requests do not push lines out. */
  noteRequest(request: AnsweredRequest): void {
    this.#requests.add(this.#numbered(this.clock(), levelOf(request), request))
  }

  #numbered<Entry>(atMs: number, level: FeedLevel, entry: Entry): Numbered<Entry> {
    this.#counts[level] += 1
    this.#sequence += 1
    return { sequence: this.#sequence, atMs, entry }
  }

  /** The newest entries after a number, of a level and above, oldest first, at most so many. */
  since(sequence: number, limit: number, level: FeedLevel = 'info'): LogLine[] {
    if (limit === 0) return []
    const levels = levelsFrom(level)
    const lines = this.#lines.since(sequence)
    const requests = this.#requests
      .since(sequence)
      .map(({ entry, ...numbered }) => ({ ...numbered, entry: requestLine(numbered.atMs, entry) }))
    return [...lines, ...requests]
      .filter(({ entry }) => levels.includes(entry.level))
      .sort((a, b) => a.sequence - b.sequence)
      .slice(-limit)
      .map(({ entry }) => entry)
  }
}

/** The last entries, in a ring. */
class Recent<Entry> {
  readonly #entries: Numbered<Entry>[] = []
  #next = 0

  add(entry: Numbered<Entry>): void {
    this.#entries[this.#next] = entry
    this.#next = (this.#next + 1) % KEPT
  }

  since(sequence: number): Numbered<Entry>[] {
    return this.#entries.filter((entry) => entry.sequence > sequence)
  }
}

/** A log whose lines are in the feed, too, but for those of debugging. */
export function recorded(log: Log, feed: LogFeed): Log {
  const noted = (level: FeedLevel) => (fields: object, message: string) => {
    feed.note(level, fields, message)
    log[level](fields, message)
  }
  return {
    debug: (fields, message) => log.debug(fields, message),
    info: noted('info'),
    warn: noted('warn'),
    error: noted('error'),
  }
}

function levelOf({ status }: AnsweredRequest): FeedLevel {
  return isServerFailure(status) ? 'error' : status >= 400 ? 'warn' : 'info'
}

function requestLine(atMs: number, request: AnsweredRequest): LogLine {
  const { method, route, status, ms, requestId } = request
  return {
    atMs,
    level: levelOf(request),
    message: `${method} ${route} ${status} in ${ms} ms`,
    fields: { method, route, status, ms, request_id: requestId },
  }
}

/** The members that a line can show: numbers, short texts with no more of URLs than their host, and of an error its message. */
function plainFields(fields: object): LogLine['fields'] {
  const plain: Record<string, string | number | boolean> = {}
  for (const [name, value] of Object.entries(fields)) {
    if (SECRETS.includes(name)) continue
    if (value instanceof Error) plain[name] = redactedMessage(messageOf(value))
    else if (typeof value === 'string') plain[name] = redactedUrls(value).slice(0, MAX_FIELD)
    else if (typeof value === 'number' || typeof value === 'boolean') plain[name] = value
  }
  return plain
}
