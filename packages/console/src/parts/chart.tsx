import 'uplot/dist/uPlot.min.css'
import { Box, useComputedColorScheme } from '@mantine/core'
import { useElementSize, useMergedRef } from '@mantine/hooks'
import { useEffect, useRef } from 'react'
import UPlot from 'uplot'

/** A chart over time. */
export interface ChartProps {
  /** Text alternative for readers who cannot see it. */
  readonly label: string
  /** Bars stand for UTC days. */
  readonly kind: 'areas' | 'bars'
  /** Whether areas have one value a day, whose time does not matter. */
  readonly isDaily?: boolean
  /** Unix milliseconds, oldest first. */
  readonly times: readonly number[]
  /** How long the time axis is, up to the last time; undefined: it begins at the first. */
  readonly spanMs?: number
  /** Bars are stacked from the first to the last. */
  readonly series: readonly ChartSeries[]
  readonly format: (value: number) => string
}

interface Line {
  readonly name: string
  readonly color: 'indigo' | 'teal' | 'red'
}

export interface ChartSeries extends Line {
  readonly values: readonly number[]
}

/** Pixels. The place of a chart has it before the chart is there. */
const CHART_HEIGHT = 200
const LEGEND_HEIGHT = 28
const AXIS_WIDTH = 76
const BAR_SHARE = 0.7

/** Draws on a canvas by a library that is a tenth of those of elements: the first page stays small. */
export default function Chart({ label, kind, isDaily = false, times, spanMs, series, format }: ChartProps) {
  const place = useRef<HTMLDivElement>(null)
  const chart = useRef<UPlot>(null)
  const data = useRef<UPlot.AlignedData>([[]])
  const { ref, width } = useElementSize()
  const scheme = useComputedColorScheme('light')
  const lines = JSON.stringify(series.map(({ name, color }) => ({ name, color })))
  // Newer values come into the chart that is there: what is pointed at stays pointed at.
  useEffect(() => {
    data.current = [times.map((time) => time / 1000), ...stacked(kind, series)]
    chart.current?.setData(data.current)
  }, [kind, times, series])
  useEffect(() => {
    const parent = place.current
    if (parent === null || width === 0) return
    // The colors of the scheme are read when it is drawn.
    const drawn = new UPlot(
      optionsOf(
        { kind, isDaily, spanMs, lines: JSON.parse(lines) as Line[], format },
        { width, scheme, style: getComputedStyle(parent) },
      ),
      data.current,
      parent,
    )
    chart.current = drawn
    return () => {
      chart.current = null
      drawn.destroy()
    }
  }, [width, scheme, kind, isDaily, spanMs, lines, format])
  return (
    <Box
      ref={useMergedRef(place, ref)}
      role="img"
      aria-label={label}
      h={CHART_HEIGHT}
      style={{ overflow: 'hidden' }}
    />
  )
}

/** Bars are drawn over each other, the whole first. */
function stacked(kind: ChartProps['kind'], series: readonly ChartSeries[]): number[][] {
  if (kind === 'areas') return series.map(({ values }) => [...values])
  return inDrawingOrder(kind, series).map((drawn) => {
    const below = series.slice(0, series.indexOf(drawn) + 1)
    return drawn.values.map((_, at) => below.reduce((sum, { values }) => sum + (values[at] ?? 0), 0))
  })
}

function inDrawingOrder<Each>(kind: ChartProps['kind'], lines: readonly Each[]): readonly Each[] {
  return kind === 'bars' ? [...lines].reverse() : lines
}

/** The value of a line at a place, or its newest: what a bar is made of, not where it ends. */
function valueAt(kind: ChartProps['kind'], { data }: UPlot, line: number, at: number | null): number {
  const ends = data[line] ?? []
  const index = at ?? ends.length - 1
  const below = kind === 'bars' ? data[line + 1]?.[index] : null
  return (ends[index] ?? 0) - (below ?? 0)
}

function optionsOf(
  {
    kind,
    isDaily,
    spanMs,
    lines,
    format,
  }: Omit<ChartProps, 'label' | 'times' | 'series'> & { lines: readonly Line[] },
  { width, scheme, style }: { width: number; scheme: 'light' | 'dark'; style: CSSStyleDeclaration },
): UPlot.Options {
  const color = (name: string) => style.getPropertyValue(`--mantine-color-${name}`)
  const axis = {
    stroke: color('text'),
    grid: { stroke: color('default-border'), width: 1 },
    ticks: { show: false },
  }
  return {
    width,
    height: CHART_HEIGHT - LEGEND_HEIGHT,
    cursor: { drag: { x: false, y: false } },
    ...(kind === 'bars' && {
      tzDate: (seconds: number) => UPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    }),
    scales: {
      ...(spanMs !== undefined && { x: { range: (_chart, _first, last) => [last - spanMs / 1000, last] } }),
      y: { range: (_chart, _least, most) => [0, most > 0 ? most * 1.05 : 1] },
    },
    axes: [
      { ...axis, grid: { show: false } },
      { ...axis, size: AXIS_WIDTH, values: (_chart, values) => values.map(format) },
    ],
    series: [
      { value: (_chart, seconds) => (seconds === null ? '' : timeText(kind, isDaily, seconds)) },
      ...inDrawingOrder(kind, lines).map(({ name, color: shade }) => ({
        label: name,
        stroke: color(`${shade}-${scheme === 'dark' ? 4 : 7}`),
        fill: `${color(`${shade}-${scheme === 'dark' ? 4 : 7}`)}${kind === 'bars' ? '' : '26'}`,
        width: kind === 'bars' ? 0 : 2,
        points: { show: false },
        value: (chart: UPlot, _value: number | null, line: number, at: number | null) =>
          format(valueAt(kind, chart, line, at)),
        ...(kind === 'bars' && { paths: UPlot.paths.bars!({ size: [BAR_SHARE] }) }),
      })),
    ],
  }
}

function timeText(kind: ChartProps['kind'], isDaily: boolean | undefined, seconds: number): string {
  const date = new Date(seconds * 1000)
  if (kind === 'bars') return date.toISOString().slice(0, 10)
  return isDaily ? date.toLocaleDateString() : date.toLocaleTimeString()
}
