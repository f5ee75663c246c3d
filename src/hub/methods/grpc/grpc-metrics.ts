import { Counter, Gauge } from 'prom-client'
import { latencyHistogram, type Metrics, observeLatency } from '../../../platform/metrics.js'
import type { TraceSpan } from '../../../platform/tracing/active-span.js'

/** Adds and returns the metrics of the hub's gRPC server. */
export function createGrpcMetrics({ registry }: Metrics) {
  const registers = [registry]
  const calls = latencyHistogram(registry, {
    name: 'plaza_grpc_call_duration_seconds',
    help: 'Latency of gRPC calls by method and status number',
    labelNames: ['method', 'status'],
  })
  const subscribers = new Gauge({
    name: 'plaza_grpc_subscribers',
    help: 'Connected gRPC subscribers of the event log',
    registers,
  })
  const events = new Counter({
    name: 'plaza_grpc_events_sent_total',
    help: 'Events sent to gRPC subscribers',
    registers,
  })
  return {
    /** A call ended: the name of the service definition, and the number of its status. */
    called: (method: string, status: number, seconds: number, span: TraceSpan | null = null) =>
      observeLatency(calls, { method, status }, seconds, span),
    subscribed: (count: number) => subscribers.set(count),
    eventsSent: (count: number) => events.inc(count),
  }
}
