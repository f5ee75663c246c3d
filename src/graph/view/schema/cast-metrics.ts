import { Type } from '@sinclair/typebox'
import { Count, DateTime } from './primitives.js'
import { namedObject } from './schema-type.js'

/** The number of casts in one interval. */
export const CastsMetrics = namedObject('CastsMetrics', {
  start: DateTime,
  resolution_in_seconds: { ...Count, examples: [86_400] },
  cast_count: Count,
})

export const CastsMetricsResponse = namedObject('CastsMetricsResponse', { metrics: Type.Array(CastsMetrics) })
