import { expect, it } from 'vitest'
import { startTraceReceiver } from '../../test/trace-receiver.js'
import { silentLog } from '../platform/log/log.js'
import { createMetrics } from '../platform/metrics.js'
import { version } from '../platform/process/version.js'
import { openTracing } from './open-tracing.js'
import { configOf } from './testing/config-of.js'

async function open(env: Readonly<Record<string, string>>) {
  const { registry } = createMetrics()
  return { registry, tracing: await openTracing(configOf(env), silentLog, registry) }
}

it.each<Record<string, string>>([
  {},
  { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_SDK_DISABLED: 'true' },
  { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_TRACES_EXPORTER: 'none' },
])('with %j nothing is traced', async (env) => {
  const { tracing } = await open(env)
  expect([tracing.isOn, tracing.start('work', { kind: 'server' })]).toEqual([false, null])
})

it.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', ''],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', '//'],
  ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', '/v1/traces'],
])('%s is the receiver, with %j behind its address', async (name, path) => {
  const receiver = await startTraceReceiver()
  const { registry, tracing } = await open({
    [name]: receiver.url + path,
    ROLES: 'worker',
    OTEL_SERVICE_NAME: 'mine',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=all,deployment.environment=test',
  })
  tracing.start('work', { kind: 'server' })!.end()
  await tracing.stop(5_000)
  expect(receiver.spans).toMatchObject([
    {
      name: 'work',
      resource: {
        'service.name': 'mine',
        'service.version': version,
        'plaza.roles': 'worker',
        'deployment.environment': 'test',
      },
    },
  ])
  expect(await registry.metrics()).toContain('plaza_trace_spans_total{result="exported"} 1')
})

it('the address of traces comes before the common one', async () => {
  const [receiver, other] = [await startTraceReceiver(), await startTraceReceiver()]
  const { tracing } = await open({
    OTEL_EXPORTER_OTLP_ENDPOINT: other.url,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/v1/traces`,
  })
  tracing.start('work', { kind: 'server' })!.end()
  await tracing.stop(5_000)
  expect([receiver.spans.length, other.spans.length]).toEqual([1, 0])
})
