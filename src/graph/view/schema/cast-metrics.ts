import { type Static, Type } from '@sinclair/typebox'
import { Count, DateTime } from './primitives.js'

/** The number of casts in one interval. */
export const CastsMetrics = Type.Object(
  {
    start: DateTime,
    resolution_in_seconds: { ...Count, examples: [86_400] },
    cast_count: Count,
  },
  { $id: 'CastsMetrics' },
)
export type CastsMetrics = Static<typeof CastsMetrics>

export const CastsMetricsResponse = Type.Object(
  { metrics: Type.Array(CastsMetrics) },
  { $id: 'CastsMetricsResponse' },
)
export type CastsMetricsResponse = Static<typeof CastsMetricsResponse>
