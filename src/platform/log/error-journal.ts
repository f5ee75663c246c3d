import { MINUTE_MS } from '../durations.js'
import { redactedMessage } from '../text/redacted-message.js'
import { recordedSpan, type TraceSpan } from '../tracing/active-span.js'
import type { Log } from './log.js'

/** Failures of the last hour. */
export interface ErrorReport {
  /** By kind, most frequent first. */
  readonly counts: readonly { readonly kind: string; readonly count: number }[]
  /** The last messages, newest first. */
  readonly recent: readonly ErrorEntry[]
}

/** A failure. */
export interface ErrorEntry {
  /** Unix milliseconds. */
  readonly atMs: number
  readonly kind: string
  readonly message: string
  /** Trace of the work that failed, where there is one. */
  readonly traceId?: string
}

const MINUTES = 60
/** Kinds are texts of log lines and routes, of which there are few; others count as this one. */
const MAX_KINDS = 60
const OTHER_KIND = 'others'
const MAX_RECENT = 20

/** Counts the failures of this process by kind for an hour, and has the last messages without what may be secret. */
export class ErrorJournal {
  /** By kind: the minute of each slot and its count. */
  readonly #kinds = new Map<string, { minute: number; count: number }[]>()
  #recent: ErrorEntry[] = []

  constructor(private readonly clock: () => number) {}

  note(kind: string, message: string, span: TraceSpan | null = recordedSpan()): void {
    const atMs = this.clock()
    const minute = Math.floor(atMs / MINUTE_MS)
    const slots = this.#slotsOf(kind)
    const slot = slots[minute % MINUTES]
    if (slot?.minute === minute) slot.count += 1
    else slots[minute % MINUTES] = { minute, count: 1 }
    const entry = {
      atMs,
      kind,
      message: redactedMessage(message),
      ...(span?.isRecorded ? { traceId: span.traceId } : {}),
    }
    this.#recent = [entry, ...this.#recent].slice(0, MAX_RECENT)
  }

  #slotsOf(kind: string): { minute: number; count: number }[] {
    const key = this.#kinds.has(kind) || this.#kinds.size < MAX_KINDS ? kind : OTHER_KIND
    const slots = this.#kinds.get(key) ?? []
    this.#kinds.set(key, slots)
    return slots
  }

  read(): ErrorReport {
    const first = Math.floor(this.clock() / MINUTE_MS) - MINUTES
    const counts: { kind: string; count: number }[] = []
    for (const [kind, slots] of this.#kinds) {
      const count = slots.reduce((sum, slot) => sum + (slot.minute > first ? slot.count : 0), 0)
      if (count > 0) counts.push({ kind, count })
      else this.#kinds.delete(kind)
    }
    return {
      counts: counts.sort((a, b) => b.count - a.count),
      recent: this.#recent.filter(({ atMs }) => atMs > first * MINUTE_MS),
    }
  }
}

/** A log whose errors are in the journal, too. */
export function journaled(log: Log, journal: ErrorJournal): Log {
  return {
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log.info(fields, message),
    warn: (fields, message) => log.warn(fields, message),
    error: (fields, message) => {
      const { err, job, consumer } = fields as { err?: unknown; job?: string; consumer?: string }
      const subject = job ?? consumer
      journal.note(subject === undefined ? message : `${message}: ${subject}`, messageOf(err))
      log.error(fields, message)
    },
  }
}

/** The message of an error. What the database driver adds to it, such as the parameters of the statement, is left out. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : ''
}
