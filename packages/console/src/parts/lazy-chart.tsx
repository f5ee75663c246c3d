import { Box, Text } from '@mantine/core'
import { lazy, Suspense } from 'react'
import type { ChartProps } from './chart'

/** A server that was upgraded does not have the code any more: the page stays. */
const Chart = lazy(() => import('./chart').catch(() => ({ default: ChartInWords })))

function ChartInWords({ label }: ChartProps) {
  return <Text size="sm">{label}</Text>
}

/** A chart that comes after the rest of the page: the numbers do not wait for its library. */
export function LazyChart(props: ChartProps) {
  return (
    <Suspense fallback={<Box h={200} />}>
      <Chart {...props} />
    </Suspense>
  )
}
