import { Counter, type Registry } from 'prom-client'
import type { Log } from '../platform/log/log.js'
import { version } from '../platform/process/version.js'
import { noTracing, type Tracing } from '../platform/tracing/tracing.js'
import type { Config } from './config/config.js'

const TRACES_PATH = '/v1/traces'

/** Opens tracing as the standard variables say. Without a receiver nothing is traced, and OpenTelemetry's SDK is not loaded. */
export async function openTracing(config: Config, log: Log, registry: Registry): Promise<Tracing> {
  const url = tracesUrl(config)
  if (url === null) return noTracing
  const { startOtlpTracing } = await import('../platform/tracing/otlp-tracing.js')
  const spans = new Counter({
    name: 'plaza_trace_spans_total',
    help: 'Spans that were sent to the receiver of traces, by result',
    labelNames: ['result'],
    registers: [registry],
  })
  return startOtlpTracing({
    url,
    headers: config.otelExporterOtlpHeaders,
    serviceName: config.otelServiceName,
    resourceAttributes: config.otelResourceAttributes,
    processAttributes: { 'service.version': version, 'plaza.roles': config.roles },
    sampler: config.otelTracesSampler,
    ratio: Number(config.otelTracesSamplerArg),
    batches: {
      delayMs: config.otelBspScheduleDelay,
      maxQueued: config.otelBspMaxQueueSize,
      maxSpans: config.otelBspMaxExportBatchSize,
    },
    log,
    onExport: (count, result) => spans.inc({ result }, count),
  })
}

function tracesUrl(config: Config): string | null {
  if (config.otelSdkDisabled || config.otelTracesExporter === 'none') return null
  if (config.otelExporterOtlpTracesEndpoint !== undefined) return config.otelExporterOtlpTracesEndpoint
  const base = config.otelExporterOtlpEndpoint?.replace(/\/+$/, '')
  return base === undefined ? null : base + TRACES_PATH
}
