import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import {
  type ExportResult,
  ExportResultCode,
  parseKeyPairsIntoRecord,
  W3CTraceContextPropagator,
} from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { errorCode } from '../errors.js'
import type { Log } from '../log/log.js'
import { resultWithin } from '../process/pause.js'
import { redactedMessage } from '../text/redacted-message.js'
import type { SpanAttributes, SpanOptions, TraceHeaders, TraceSpan } from './active-span.js'
import type { TraceParent, Tracing } from './tracing.js'

/** The samplers of the standard's `OTEL_TRACES_SAMPLER`. */
export type SamplerName = `${'' | 'parentbased_'}${'always_on' | 'always_off' | 'traceidratio'}`

export interface OtlpTracingOptions {
  /** URL of the endpoint for traces: `http://127.0.0.1:4318/v1/traces`. */
  readonly url: string
  /** Headers as the standard writes them: `name=value` between commas, percent-encoded. Undefined: none. */
  readonly headers?: string | undefined
  readonly serviceName: string | undefined
  /** Attributes of the process, written like headers. */
  readonly resourceAttributes?: string | undefined
  /** Attributes of the process that the server knows. */
  readonly processAttributes: Readonly<Record<string, string>>
  readonly sampler: SamplerName
  /** Part of the traces that a ratio sampler records, from 0 to 1. */
  readonly ratio: number
  /** Milliseconds between two batches of spans, and their numbers. */
  readonly batches: { readonly delayMs: number; readonly maxQueued: number; readonly maxSpans: number }
  readonly log: Log
  /** Called with the number of spans of each export, and whether the receiver took them. */
  readonly onExport?: (spans: number, result: 'exported' | 'failed') => void
}

const kinds: Readonly<Record<NonNullable<SpanOptions['kind']>, SpanKind>> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
}

/** Sends spans over OTLP. Its modules take 25 ms to load, so it is imported only where tracing is on. */
export function startOtlpTracing(options: OtlpTracingOptions): Tracing {
  const { batches } = options
  const exporter = new OTLPTraceExporter({
    url: options.url,
    ...(options.headers === undefined ? {} : { headers: parseKeyPairsIntoRecord(options.headers) }),
  })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'plaza',
      ...options.processAttributes,
      ...parseKeyPairsIntoRecord(options.resourceAttributes ?? ''),
      // The variable counts first, by OpenTelemetry's specification of the environment.
      ...(options.serviceName === undefined ? {} : { 'service.name': options.serviceName }),
    }),
    sampler: samplerOf(options),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: reporting(exporter, options),
        scheduledDelayMillis: batches.delayMs,
        maxQueueSize: batches.maxQueued,
        maxExportBatchSize: Math.min(batches.maxSpans, batches.maxQueued),
      }),
    ],
  })
  const tracer = provider.getTracer('plaza')
  return {
    isOn: true,
    start(name, { parent, ...rest }) {
      const context = parent?.traceparent === undefined ? ROOT_CONTEXT : contextOf(parent)
      return startSpan(tracer, name, rest, context)
    },
    async stop(limitMs) {
      await resultWithin(
        limitMs,
        provider.shutdown().catch(() => null),
      )
    },
  }
}

function samplerOf({ sampler, ratio }: OtlpTracingOptions): Sampler {
  const isParentBased = sampler.startsWith('parentbased_')
  const rule = sampler.replace('parentbased_', '')
  const root =
    rule === 'always_on'
      ? new AlwaysOnSampler()
      : rule === 'always_off'
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(ratio)
  return isParentBased ? new ParentBasedSampler({ root }) : root
}

/** Logs the first export that fails and the first that succeeds again: a receiver that is away costs one line. */
function reporting(exporter: SpanExporter, { log, onExport }: OtlpTracingOptions): SpanExporter {
  let isFailing = false
  return {
    export(spans: ReadableSpan[], done: (result: ExportResult) => void) {
      exporter.export(spans, (result) => {
        const hasFailed = result.code !== ExportResultCode.SUCCESS
        if (hasFailed && !isFailing) {
          const reason = redactedMessage(result.error?.message ?? '')
          log.warn({ spans: spans.length, reason }, 'spans could not be sent')
        }
        if (!hasFailed && isFailing) log.info({}, 'spans are sent again')
        isFailing = hasFailed
        onExport?.(spans.length, hasFailed ? 'failed' : 'exported')
        done({ code: result.code })
      })
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => await exporter.forceFlush?.(),
  }
}

const propagator = new W3CTraceContextPropagator()

function contextOf(parent: TraceParent): Context {
  return propagator.extract(ROOT_CONTEXT, parent, {
    get: (carrier, key) => (carrier as Record<string, string | undefined>)[key],
    keys: (carrier) => Object.keys(carrier),
  })
}

function startSpan(tracer: Tracer, name: string, options: SpanOptions, parent: Context): TraceSpan {
  const { kind = 'internal', attributes, links = [] } = options
  const span = tracer.startSpan(
    name,
    {
      kind: kinds[kind],
      ...(attributes === undefined ? {} : { attributes: attributes as Attributes }),
      ...(links.length === 0 ? {} : { links: links.map(linkOf) }),
    },
    parent,
  )
  return new OtlpSpan(tracer, span)
}

function linkOf(headers: TraceHeaders) {
  return { context: trace.getSpanContext(contextOf(headers))! }
}

const MAX_STACK_LINES = 20

class OtlpSpan implements TraceSpan {
  readonly traceId: string
  readonly isRecorded: boolean
  #isEnded = false

  constructor(
    private readonly tracer: Tracer,
    private readonly span: Span,
  ) {
    this.traceId = span.spanContext().traceId
    this.isRecorded = span.isRecording()
  }

  get headers(): TraceHeaders {
    const headers: Record<string, string> = {}
    propagator.inject(trace.setSpan(ROOT_CONTEXT, this.span), headers, {
      set: (carrier, key, value) => {
        carrier[key] = value
      },
    })
    return headers as unknown as TraceHeaders
  }

  set(attributes: SpanAttributes): void {
    if (this.isRecorded) this.span.setAttributes(attributes as Attributes)
  }

  rename(name: string): void {
    this.span.updateName(name)
  }

  fail(error: unknown): void {
    if (!this.isRecorded) return
    const message = redactedMessage(error instanceof Error ? error.message : String(error))
    this.span.setStatus({ code: SpanStatusCode.ERROR, message })
    if (!(error instanceof Error)) return
    const type = errorCode(error) ?? error.name
    this.span.setAttributes({ 'error.type': type })
    this.span.addEvent('exception', {
      'exception.type': error.name,
      'exception.message': message,
      'exception.stacktrace': framesOf(error),
    })
  }

  child(name: string, options: SpanOptions = {}): TraceSpan {
    return startSpan(this.tracer, name, options, trace.setSpan(ROOT_CONTEXT, this.span))
  }

  end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.span.end()
  }
}

/** The stack without its first lines, which repeat the message. */
function framesOf({ stack = '' }: Error): string {
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line))
  return frames.slice(0, MAX_STACK_LINES).join('\n')
}
