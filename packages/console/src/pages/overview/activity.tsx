import { SimpleGrid, Text } from '@mantine/core'
import { NamedFigure } from '../../parts/figure'
import { formatBytes, formatCount } from '../../parts/format'
import { LazyChart } from '../../parts/lazy-chart'
import { Section } from '../../parts/section'
import type { OverviewData } from './overview-data'

/** The newest rates and the sizes. */
export function Figures({ overview: { activity, counters, database, version } }: { overview: OverviewData }) {
  const rateOf = (values: readonly number[]) => (values.length === 0 ? '…' : formatRate(values.at(-1)!))
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }}>
      <NamedFigure label="Messages a second" value={rateOf(activity.messages_per_second)} />
      <NamedFigure label="Events a second" value={rateOf(activity.events_per_second)} />
      <NamedFigure label="Users, about" value={formatCount(counters.users)} />
      <NamedFigure label="Casts, about" value={formatCount(counters.casts)} />
      <NamedFigure label={`PostgreSQL ${database.version}`} value={formatBytes(database.bytes)} />
      <NamedFigure label="Plaza" value={version} />
    </SimpleGrid>
  )
}

const HOUR_MS = 3_600_000

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })

/** A part of a page about the last hour; `knownSince` is when what it is known from was started, in Unix milliseconds. */
export function hourTitle(what: string, knownSince: number, until: number): string {
  return isWithinHour(knownSince, until)
    ? `${what} since ${clockTime(knownSince)}`
    : `${what} of the last hour`
}

export function isWithinHour(ms: number, until: number): boolean {
  return until - ms < HOUR_MS
}

export function clockTime(ms: number): string {
  return clock.format(ms)
}

/** Messages and events a second in the last hour. */
export function Activity({ activity }: { activity: OverviewData['activity'] }) {
  const { messages_per_second: messages, events_per_second: events, until, every_seconds } = activity
  const endMs = Date.parse(until ?? '')
  const everyMs = every_seconds * 1000
  const times = messages.map((_, index) => endMs - (messages.length - 1 - index) * everyMs)
  if (times.length < 2)
    return (
      <Section title="Rates">
        <Text size="sm">
          The rates are measured every {every_seconds} seconds, and shown here from the second on.
        </Text>
      </Section>
    )
  const label =
    `Messages and events a second since ${clock.format(times[0]!)}: ` +
    `at most ${formatRate(Math.max(...messages))} and ${formatRate(Math.max(...events))}`
  return (
    // A rate is of the time before it.
    <Section title={hourTitle('Rates', times[0]! - everyMs, endMs)}>
      <LazyChart
        label={label}
        kind="areas"
        times={times}
        spanMs={HOUR_MS}
        series={[
          { name: 'Messages', color: 'indigo', values: messages },
          { name: 'Events', color: 'teal', values: events },
        ]}
        format={formatRate}
      />
    </Section>
  )
}

function formatRate(rate: number): string {
  return rate.toLocaleString('en', { maximumFractionDigits: rate < 10 ? 1 : 0 })
}
