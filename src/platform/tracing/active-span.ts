import { AsyncLocalStorage } from 'node:async_hooks'

/** Attributes of a span. No value may be a secret, a body, or an address of a user. */
export type SpanAttributes = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>

/** How a span is started. */
export interface SpanOptions {
  /** The side of an exchange that the span is: `internal` by default. */
  readonly kind?: 'server' | 'client' | 'producer' | 'consumer' | 'internal'
  readonly attributes?: SpanAttributes
  /** Other spans that led to it. */
  readonly links?: readonly TraceHeaders[]
}

/** A part of the work for one request or event, with its begin and end. */
export interface TraceSpan {
  /** 32 hex digits, the same for all spans of a request. */
  readonly traceId: string
  /** False: the sampler left the trace out. Nothing is measured, but the context is passed on. */
  readonly isRecorded: boolean
  /** The headers that continue the trace elsewhere (W3C Trace Context). */
  readonly headers: TraceHeaders
  set(attributes: SpanAttributes): void
  rename(name: string): void
  /** Marks the work as failed, and records the error without what may be secret. */
  fail(error: unknown): void
  child(name: string, options?: SpanOptions): TraceSpan
  /** Ends the span; only the first call counts. */
  end(): void
}

/** Headers of W3C Trace Context. */
export interface TraceHeaders {
  readonly traceparent: string
  readonly tracestate?: string
}

/**
 * The span of the running work. Until something is traced it costs a look at a member: the store is turned on by the
 * first `runInSpan`.
 */
const active = new AsyncLocalStorage<TraceSpan | null>()

/** The span of the running work; null without one. */
export function activeSpan(): TraceSpan | null {
  return active.getStore() ?? null
}

/** The span of the running work if it is recorded. */
export function recordedSpan(): TraceSpan | null {
  const span = active.getStore()
  return span?.isRecorded ? span : null
}

/** Runs work in a span, which the caller ends. Null: in none, as for work that serves several requests. */
export function runInSpan<Result>(span: TraceSpan | null, work: () => Result): Result {
  // Nothing to leave, which is so in a process that traces nothing.
  if (span === null && activeSpan() === null) return work()
  return active.run(span, work)
}

/** Runs work in a span and ends it with the work. An error is recorded and thrown. */
export async function finishInSpan<Result>(
  span: TraceSpan | null,
  work: () => Promise<Result>,
): Promise<Result> {
  if (span === null) return await runInSpan(null, work)
  try {
    return await active.run(span, work)
  } catch (error) {
    span.fail(error)
    throw error
  } finally {
    span.end()
  }
}
