import type { SpanOptions, TraceSpan } from './active-span.js'

/** Where a trace comes from: headers of a request, or what was stored of them. */
export interface TraceParent {
  readonly traceparent?: string | undefined
  readonly tracestate?: string | undefined
}

/** Starts the first span of this process for a request, a call or a delivery. */
export interface Tracing {
  /** False: nothing is traced, and nothing of OpenTelemetry's SDK is loaded. */
  readonly isOn: boolean
  /** Continues the trace of the parent; without one the sampler decides about a new one. Null when tracing is off. */
  start(name: string, options: SpanOptions & { readonly parent?: TraceParent }): TraceSpan | null
  /** Sends what is not sent yet, within a limit. */
  stop(limitMs: number): Promise<void>
}

/** Traces nothing. */
export const noTracing: Tracing = { isOn: false, start: () => null, stop: async () => {} }
