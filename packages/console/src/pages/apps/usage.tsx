import { SegmentedControl, SimpleGrid, Stack, Table } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, dataOf, type Schemas } from '../../api'
import { NamedFigure } from '../../parts/figure'
import { formatCount, formatTick } from '../../parts/format'
import { LazyChart } from '../../parts/lazy-chart'
import { Empty, Loaded } from '../../parts/page'
import { Section } from '../../parts/section'
import { WideTable } from '../../parts/wide-table'

type Usage = Schemas['AppUsageResponse']

/** The requests of an app by day, key and operation. */
export function AppUsage({ appId }: { appId: string }) {
  const [days, setDays] = useState('7')
  const query = useQuery({
    queryKey: ['apps', appId, 'usage', days],
    queryFn: () =>
      dataOf(
        api.GET('/admin/apps/{id}/usage', {
          params: { path: { id: appId }, query: { days: Number(days) } },
        }),
      ),
    refetchInterval: 5_000,
  })
  const choice = (
    <SegmentedControl
      aria-label="Period"
      data={[
        { value: '1', label: 'Today' },
        { value: '7', label: '7 days' },
        { value: '30', label: '30 days' },
      ]}
      value={days}
      onChange={setDays}
    />
  )
  return (
    <Section title="Requests" actions={choice}>
      <Loaded query={query}>
        {(usage) =>
          usage.operations.length === 0 ? (
            <Empty title="No requests in this time">
              Requests with a key of this app are counted by UTC day, and shown some seconds later.
            </Empty>
          ) : (
            <Stack>
              <Totals usage={usage} />
              {usage.days.length > 1 && <UsageChart usage={usage} />}
              <Operations usage={usage} />
            </Stack>
          )
        }
      </Loaded>
    </Section>
  )
}

/** Requests by day, answered and refused. */
function UsageChart({ usage }: { usage: Usage }) {
  const { days } = usage
  const { requests, refusals } = totalsOf(usage)
  return (
    <LazyChart
      label={`${requests} requests by day, of which ${refusals} were refused`}
      kind="bars"
      times={days.map(({ day }) => Date.parse(day))}
      series={[
        { name: 'Answered', color: 'indigo', values: days.map((day) => day.requests - day.refusals) },
        { name: 'Refused', color: 'red', values: days.map((day) => day.refusals) },
      ]}
      format={formatTick}
    />
  )
}

function totalsOf({ days }: Usage) {
  return {
    requests: days.reduce((sum, day) => sum + day.requests, 0),
    refusals: days.reduce((sum, day) => sum + day.refusals, 0),
  }
}

function Totals({ usage }: { usage: Usage }) {
  const { requests, refusals } = totalsOf(usage)
  return (
    <SimpleGrid cols={2}>
      <NamedFigure label="Requests" value={formatCount(requests)} />
      <NamedFigure label="Of these refused" value={formatCount(refusals)} />
    </SimpleGrid>
  )
}

function Operations({ usage: { operations, complete } }: { usage: Usage }) {
  return (
    <WideTable label="Requests by key and operation" minWidth={560}>
      {!complete && (
        <Table.Caption>{`The ${formatCount(operations.length)} with most requests`}</Table.Caption>
      )}
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Operation</Table.Th>
          <Table.Th>Key</Table.Th>
          <Table.Th ta="right">Requests</Table.Th>
          <Table.Th ta="right">Refused</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {operations.map(({ operation, api_key_id, prefix, requests, refusals }) => (
          <Table.Tr key={`${api_key_id} ${operation}`}>
            <Table.Td className="mono">{operation}</Table.Td>
            <Table.Td className="mono">{prefix}…</Table.Td>
            <Table.Td ta="right">{formatCount(requests)}</Table.Td>
            <Table.Td ta="right">{formatCount(refusals)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  )
}
