import { Stack, Table, Text } from '@mantine/core'
import { formatCount } from '../../parts/format'
import { Section } from '../../parts/section'
import { Time } from '../../parts/time'
import { WideTable } from '../../parts/wide-table'
import { clockTime, hourTitle, isWithinHour } from './activity'
import type { OverviewData } from './overview-data'

/**
 * Failures of the last hour, of all processes. Each has its own in memory: those of a process that has crashed are lost, so the
 * hour is whole only since the newest process was started.
 */
export function Errors({ overview }: { overview: OverviewData }) {
  const { last_hour: counts, recent } = overview.errors
  const starts = overview.processes.map(({ started_at }) => Date.parse(started_at))
  const until = Date.parse(overview.at)
  const [oldest, newest] = starts.length === 0 ? [0, 0] : [Math.min(...starts), Math.max(...starts)]
  const title = hourTitle('Errors', oldest, until)
  const lost = newest > oldest && isWithinHour(newest, until) && (
    <Text size="sm" c="dimmed">
      Those of processes that ended before {clockTime(newest)} are lost.
    </Text>
  )
  if (counts.length === 0)
    return (
      <Section title={title}>
        <Text size="sm">None: no reply was 500 or above, and no job failed.</Text>
        {lost}
      </Section>
    )
  return (
    <Section title={title}>
      <Stack gap="md">
        <WideTable label="Errors by kind" minWidth={420}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Kind</Table.Th>
              <Table.Th ta="right">Count</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {counts.map(({ kind, count }) => (
              <Table.Tr key={kind}>
                <Table.Td>{kind}</Table.Td>
                <Table.Td ta="right">{formatCount(count)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </WideTable>
        <WideTable label="Last errors" minWidth={560}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>When</Table.Th>
              <Table.Th>Kind</Table.Th>
              <Table.Th>Message</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {recent.map(({ at, kind, message, trace_id: traceId }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two may be equal, and rows have no state
              <Table.Tr key={`${at} ${index}`}>
                <Table.Td>
                  <Time at={at} />
                </Table.Td>
                <Table.Td>{kind}</Table.Td>
                <Table.Td>
                  {message}
                  {traceId !== undefined && (
                    <Text size="xs" c="dimmed" className="mono">
                      Trace {traceId}
                    </Text>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </WideTable>
        {lost}
      </Stack>
    </Section>
  )
}
