import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import protobuf from 'protobufjs'
import { onTestFinished } from 'vitest'

/** A span as a collector gets it. */
export interface ReceivedSpan {
  readonly name: string
  readonly kind: string
  readonly traceId: string
  readonly spanId: string
  /** Empty for the first span of a trace. */
  readonly parentSpanId: string
  readonly attributes: Readonly<Record<string, string | number | boolean>>
  readonly events: readonly { readonly name: string; readonly attributes: ReceivedSpan['attributes'] }[]
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[]
  readonly isError: boolean
  /** Attributes of the process that sent it. */
  readonly resource: ReceivedSpan['attributes']
}

/** What the tests read of `opentelemetry/proto/trace/v1/trace.proto`. */
const { root } = protobuf.parse(`
  syntax = "proto3";
  message Request { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeSpans { repeated Span spans = 2; }
  enum Kind { unspecified = 0; internal = 1; server = 2; client = 3; producer = 4; consumer = 5; }
  message Span {
    bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; Kind kind = 6;
    repeated KeyValue attributes = 9; repeated Event events = 11; repeated Link links = 13; Status status = 15;
  }
  message Event { string name = 2; repeated KeyValue attributes = 3; }
  message Link { bytes trace_id = 1; bytes span_id = 2; }
  message Status { int32 code = 3; }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue {
    oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; }
  }`)
const requestType = root.lookupType('Request')
const ERROR = 2

type Decoded = ReturnType<typeof JSON.parse>

/** An HTTP server that takes spans as a collector does. */
export interface TraceReceiver {
  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string
  /** Spans so far. A server sends the last ones when it stops. */
  readonly spans: readonly ReceivedSpan[]
  /** Everything that was sent, as text: to look for secrets. */
  readonly text: () => string
}

/**
 * Starts a receiver of OTLP over HTTP until the test ends.
 *
 * @param onEnd `afterAll` for a receiver of the whole file.
 */
export async function startTraceReceiver(
  onEnd: (stop: () => void) => void = onTestFinished,
): Promise<TraceReceiver> {
  const spans: ReceivedSpan[] = []
  const bodies: Buffer[] = []
  const server = createServer(async (request, reply) => {
    const body = await buffer(request)
    if (request.url !== '/v1/traces' || request.headers['content-type'] !== 'application/x-protobuf') {
      reply.writeHead(415).end()
      return
    }
    bodies.push(body)
    const decoded: Decoded = requestType.toObject(requestType.decode(body), {
      longs: Number,
      enums: String,
      arrays: true,
    })
    for (const { resource, scopeSpans } of decoded.resourceSpans) {
      for (const scope of scopeSpans) {
        for (const span of scope.spans) spans.push(readSpan(span, attributesOf(resource.attributes)))
      }
    }
    reply.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, spans, text: () => Buffer.concat(bodies).toString('latin1') }
}

function readSpan(span: Decoded, resource: ReceivedSpan['attributes']): ReceivedSpan {
  return {
    name: span.name,
    kind: span.kind,
    ...idsOf(span),
    parentSpanId: hex(span.parentSpanId),
    attributes: attributesOf(span.attributes),
    events: span.events.map((event: Decoded) => ({
      name: event.name,
      attributes: attributesOf(event.attributes),
    })),
    links: span.links.map(idsOf),
    isError: span.status?.code === ERROR,
    resource,
  }
}

function idsOf({ traceId, spanId }: Decoded) {
  return { traceId: hex(traceId), spanId: hex(spanId) }
}

function hex(bytes: Uint8Array | undefined): string {
  return Buffer.from(bytes ?? []).toString('hex')
}

function attributesOf(pairs: Decoded[]): ReceivedSpan['attributes'] {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value ?? {})[0]])) as never
}
