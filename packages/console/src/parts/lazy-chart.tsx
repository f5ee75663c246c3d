import { Box } from '@mantine/core'
import { lazy, Suspense } from 'react'
import type { ChartProps } from './chart'

const Chart = lazy(() => import('./chart'))

/** A chart that comes after the rest of the page: the numbers do not wait for its library. */
export function LazyChart(props: ChartProps) {
  return (
    <Suspense fallback={<Box h={200} />}>
      <Chart {...props} />
    </Suspense>
  )
}
