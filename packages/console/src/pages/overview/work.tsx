import { Button, Table, Text } from '@mantine/core'
import { useState } from 'react'
import { formatCount } from '../../parts/format'
import { Empty } from '../../parts/page'
import { Section } from '../../parts/section'
import { Time } from '../../parts/time'
import { WideTable } from '../../parts/wide-table'
import type { OverviewData } from './overview-data'

/** The live processes and their roles. */
export function Processes({ processes }: { processes: OverviewData['processes'] }) {
  return (
    <Section title="Processes">
      <WideTable label="Processes" minWidth={560}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Host</Table.Th>
            <Table.Th>Roles</Table.Th>
            <Table.Th>Version</Table.Th>
            <Table.Th>Connections</Table.Th>
            <Table.Th>Started</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {processes.map(({ id, host, pid, roles, version, connections, started_at }) => (
            <Table.Tr key={id}>
              <Table.Td>
                {host}{' '}
                <Text span c="dimmed">
                  {pid}
                </Text>
              </Table.Td>
              <Table.Td>{roles.join(', ')}</Table.Td>
              <Table.Td>{version}</Table.Td>
              <Table.Td>{connections}</Table.Td>
              <Table.Td>
                <Time at={started_at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </WideTable>
    </Section>
  )
}

const FIRST_OPERATIONS = 20

/** How long operations took, in all processes. */
export function Operations({ operations }: { operations: OverviewData['operations'] }) {
  const [showsAll, setShowsAll] = useState(false)
  if (operations.length === 0) return <Empty title="No requests yet">Their times are shown here.</Empty>
  const shown = showsAll ? operations : operations.slice(0, FIRST_OPERATIONS)
  return (
    <Section title="Operations of all processes, since their start">
      <WideTable label="Operations" minWidth={560}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Operation</Table.Th>
            <Table.Th ta="right">Requests</Table.Th>
            <Table.Th ta="right">Failures</Table.Th>
            <Table.Th ta="right">p50</Table.Th>
            <Table.Th ta="right">p99</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {shown.map(({ operation, requests, failures, p50_ms, p99_ms }) => (
            <Table.Tr key={operation}>
              <Table.Td className="mono">{operation}</Table.Td>
              <Table.Td ta="right">{formatCount(requests)}</Table.Td>
              <Table.Td ta="right">{formatCount(failures)}</Table.Td>
              <Table.Td ta="right">{formatMs(p50_ms)}</Table.Td>
              <Table.Td ta="right">{formatMs(p99_ms)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </WideTable>
      {operations.length > FIRST_OPERATIONS && (
        <Button variant="default" size="xs" w="fit-content" onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? 'Fewer operations' : `All ${operations.length} operations`}
        </Button>
      )}
    </Section>
  )
}

function formatMs(ms: number): string {
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
}
