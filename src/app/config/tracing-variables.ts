import { Type } from '@sinclair/typebox'
import { flag, integer, oneOf, text } from './variable.js'

const endpoint = {
  pattern: '^https?://[^\\s?#]+$',
  patternText: 'a URL like `http://127.0.0.1:4318`',
}
const pairs = {
  pattern: '^[^\\s=,]+=[^\\s,]*(\\s*,\\s*[^\\s=,]+=[^\\s,]*)*$',
  patternText: 'pairs like `name=value`, percent-encoded, separated by commas',
}

/** Variables of tracing. Names and meanings are those of OpenTelemetry's specification. */
export const tracingVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.Optional(
    text(
      'URL of an OpenTelemetry collector or of another receiver of OTLP over HTTP; `/v1/traces` is added. Unset: nothing ' +
        'is traced ([monitoring.md](monitoring.md#traces)).',
      endpoint,
    ),
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: Type.Optional(
    text('URL that spans are sent to, as it is, in place of the one before.', endpoint),
  ),
  OTEL_EXPORTER_OTLP_PROTOCOL: oneOf(['http/protobuf'], {
    default: 'http/protobuf',
    description: 'Encoding of spans. Other protocols of the specification are refused.',
  }),
  OTEL_EXPORTER_OTLP_HEADERS: Type.Optional(
    text('Headers of requests to the receiver, such as its credentials.', { ...pairs, secret: true }),
  ),
  OTEL_SERVICE_NAME: Type.Optional(
    text('Name of the service in traces. Unset: that of `OTEL_RESOURCE_ATTRIBUTES`, or `plaza`.', {
      minLength: 1,
    }),
  ),
  OTEL_RESOURCE_ATTRIBUTES: Type.Optional(text('Attributes of this process in traces.', pairs)),
  OTEL_TRACES_SAMPLER: oneOf(
    [
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ],
    {
      default: 'parentbased_always_on',
      description:
        'Which traces are recorded. A `parentbased` sampler follows the decision of the caller, if the request has one.',
    },
  ),
  OTEL_TRACES_SAMPLER_ARG: text('Part of the traces that a `traceidratio` sampler records, from 0 to 1.', {
    pattern: '^(0(\\.\\d+)?|1(\\.0+)?|\\.\\d+)$',
    patternText: 'a number from 0 to 1',
    default: '1',
  }),
  OTEL_BSP_SCHEDULE_DELAY: integer('Milliseconds between two batches of spans.', {
    minimum: 1,
    maximum: 600_000,
    default: 5_000,
  }),
  OTEL_BSP_MAX_QUEUE_SIZE: integer('Maximum number of spans that wait to be sent. Others are dropped.', {
    minimum: 1,
    maximum: 1_000_000,
    default: 2_048,
  }),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: integer('Maximum number of spans of a batch.', {
    minimum: 1,
    maximum: 100_000,
    default: 512,
  }),
  OTEL_TRACES_EXPORTER: oneOf(['otlp', 'none'], {
    default: 'otlp',
    description: 'Where spans go. `none` turns tracing off.',
  }),
  OTEL_SDK_DISABLED: flag('Turns tracing off.', false),
}
