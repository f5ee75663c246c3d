import { Alert, Badge, Card, Group, List, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api, dataOf, type Schemas } from '../api'
import { Empty, Loaded, Page } from '../parts/page'
import { Time } from '../parts/time'
import { WideTable } from '../parts/wide-table'

type Overview = Schemas['OverviewResponse']

const INTERVAL_MS = 2_000
/** Points of the rate that are shown: two minutes. */
const MAX_POINTS = 60

/** What runs: readiness, processes, what waits, how long operations take. */
export function Overview() {
  const query = useQuery({
    queryKey: ['overview'],
    queryFn: () => dataOf(api.GET('/admin/overview')),
    refetchInterval: INTERVAL_MS,
  })
  const rates = useRates(query.data)
  return (
    <Page title="Overview">
      <Loaded query={query}>
        {(overview) => (
          <Stack gap="lg">
            <Readiness overview={overview} />
            <Sizes overview={overview} rates={rates} />
            <Processes processes={overview.processes} />
            <Waiting overview={overview} />
            <Operations operations={overview.operations} />
          </Stack>
        )}
      </Loaded>
    </Page>
  )
}

/** Messages a second, from the differences of the counter. */
function useRates(overview: Overview | undefined): readonly number[] {
  const [points, setPoints] = useState<readonly { readonly atMs: number; readonly messages: number }[]>([])
  useEffect(() => {
    if (!overview) return
    const point = { atMs: Date.parse(overview.at), messages: overview.counters.messages }
    setPoints((earlier) => [...earlier, point].slice(-MAX_POINTS - 1))
  }, [overview])
  return points.slice(1).map(({ atMs, messages }, index) => {
    const before = points[index]!
    return Math.max(0, ((messages - before.messages) * 1000) / Math.max(1, atMs - before.atMs))
  })
}

function Readiness({ overview: { ready, problems } }: { overview: Overview }) {
  if (ready && problems.length === 0)
    return (
      <Badge variant="dot" color="green">
        Ready
      </Badge>
    )
  return (
    <Alert
      color={ready ? 'yellow' : 'red'}
      role="status"
      title={ready ? 'Ready, but not complete' : 'Not ready'}
    >
      <List size="sm">
        {problems.map((problem) => (
          <List.Item key={problem}>{problem}</List.Item>
        ))}
      </List>
    </Alert>
  )
}

function Sizes({
  overview: { counters, database, version },
  rates,
}: {
  overview: Overview
  rates: readonly number[]
}) {
  const rate = rates.at(-1)
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }}>
      <Figure label="Messages a second" value={rate === undefined ? '…' : rate.toFixed(rate < 10 ? 1 : 0)}>
        <Sparkline values={rates} />
      </Figure>
      <Figure label="Users, about" value={counters.users.toLocaleString()} />
      <Figure label="Casts, about" value={counters.casts.toLocaleString()} />
      <Figure label={`PostgreSQL ${database.version}`} value={formatBytes(database.bytes)} />
      <Figure label="Plaza" value={version} />
    </SimpleGrid>
  )
}

function Figure({ label, value, children }: { label: string; value: string; children?: React.ReactNode }) {
  return (
    <Card withBorder padding="sm">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text size="xl" fw={600}>
        {value}
      </Text>
      {children}
    </Card>
  )
}

const SPARK = { width: 120, height: 24 }

function Sparkline({ values }: { values: readonly number[] }) {
  if (values.length < 2) return null
  const most = Math.max(...values, 1)
  const points = values.map(
    (value, index) =>
      `${((index * SPARK.width) / (values.length - 1)).toFixed(1)},${(SPARK.height - (value / most) * SPARK.height).toFixed(1)}`,
  )
  return (
    <svg
      viewBox={`0 0 ${SPARK.width} ${SPARK.height}`}
      height={SPARK.height}
      role="img"
      aria-label={`Messages a second, at most ${Math.round(most)}`}
      preserveAspectRatio="none"
    >
      <polyline points={points.join(' ')} fill="none" stroke="currentColor" strokeWidth="1.5" />
    </svg>
  )
}

function Processes({ processes }: { processes: Overview['processes'] }) {
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

function Waiting({ overview: { consumers, queues } }: { overview: Overview }) {
  const behind = consumers.filter(({ blocks_behind }) => blocks_behind > 0)
  const waiting = queues.filter(({ count }) => count > 0)
  return (
    <Section title="What waits">
      <Group gap="xs">
        {behind.map(({ name, shard, blocks_behind }) => (
          <Badge key={`${name} ${shard}`} variant="default">
            {`${name}, shard ${shard}: ${blocks_behind.toLocaleString()} blocks behind`}
          </Badge>
        ))}
        {waiting.map(({ name, state, count }) => (
          <Badge key={`${name} ${state}`} variant="default">
            {`${name} ${state}: ${count.toLocaleString()}`}
          </Badge>
        ))}
        {behind.length + waiting.length === 0 && (
          <Text size="sm">
            Nothing: {consumers.length} consumers are at the end of the log, and no queue has work.
          </Text>
        )}
      </Group>
    </Section>
  )
}

const SHOWN_OPERATIONS = 20

function Operations({ operations }: { operations: Overview['operations'] }) {
  if (operations.length === 0) return <Empty title="No requests yet">Their times are shown here.</Empty>
  return (
    <Section title="Operations of this process">
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
          {operations.slice(0, SHOWN_OPERATIONS).map(({ operation, requests, failures, p50_ms, p99_ms }) => (
            <Table.Tr key={operation}>
              <Table.Td className="mono">{operation}</Table.Td>
              <Table.Td ta="right">{requests.toLocaleString()}</Table.Td>
              <Table.Td ta="right">{failures.toLocaleString()}</Table.Td>
              <Table.Td ta="right">{formatMs(p50_ms)}</Table.Td>
              <Table.Td ta="right">{formatMs(p99_ms)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </WideTable>
    </Section>
  )
}

function Section({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <Stack gap="xs" component="section">
      <Title order={2} size="h4">
        {title}
      </Title>
      {children}
    </Stack>
  )
}

function formatMs(ms: number): string {
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
}

const KILO = 1024

function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const power = Math.min(units.length - 1, Math.floor(Math.log(Math.max(bytes, 1)) / Math.log(KILO)))
  return `${(bytes / KILO ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`
}
