import { Badge, Group, Progress, Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api, dataOf } from '../../api'
import { formatCount, formatDuration } from '../../parts/format'
import { Section } from '../../parts/section'
import { WideTable } from '../../parts/wide-table'
import type { OverviewData } from './overview-data'

/** How far the server is behind its upstream. */
export function Sync({ sync }: { sync: OverviewData['sync'] }) {
  if (sync === null) return <NothingSynced />
  const { shards, backfill, seconds_left: left } = sync
  const users = backfill.fetched + backfill.remaining
  return (
    <Section title="Sync">
      <Group gap="xs">
        {shards.map(({ upstream, shard, behind_seconds: behind }) => (
          <Badge key={`${upstream} ${shard}`} variant="dot" color={behind > 60 ? 'yellow' : 'green'}>
            {`${upstream}, shard ${shard}: newest block ${formatDuration(behind * 1_000)} old`}
          </Badge>
        ))}
      </Group>
      {left !== null && left > 0 && (
        <Text size="sm">
          At this pace it reaches the end of the upstream in {formatDuration(left * 1_000)}.
        </Text>
      )}
      {backfill.remaining > 0 && (
        <Stack gap={4}>
          <Progress
            value={(100 * backfill.fetched) / users}
            aria-label={`Backfill: ${backfill.fetched} of ${users} users`}
          />
          <Text size="sm">
            {`Backfill: ${formatCount(backfill.fetched)} of ${formatCount(users)} users, `}
            {backfill.seconds_left === null
              ? 'not running: `plaza backfill` continues it'
              : `${formatDuration(backfill.seconds_left * 1_000)} left`}
          </Text>
        </Stack>
      )}
    </Section>
  )
}

/** Whether there is an upstream at all. */
function NothingSynced() {
  const { data } = useQuery({
    queryKey: ['configuration'],
    queryFn: () => dataOf(api.GET('/admin/configuration')),
  })
  if (data === undefined) return null
  const isSet = data.variables.some(({ name, source }) => name === 'UPSTREAM_HUB' && source !== 'not set')
  return (
    <Section title="Sync">
      <Text size="sm">
        {isSet
          ? 'Nothing was fetched from the upstream in UPSTREAM_HUB yet.'
          : 'No upstream is set: this server has only what is sent to it. UPSTREAM_HUB names nodes of the network to sync from.'}
      </Text>
    </Section>
  )
}

/** How far consumers are behind the log, and how much queues hold. */
export function Waiting({ overview: { consumers, queues } }: { overview: OverviewData }) {
  return (
    <Section title="What waits">
      <WideTable label="Consumers and queues" minWidth={420}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Consumer or queue</Table.Th>
            <Table.Th>Part</Table.Th>
            <Table.Th ta="right">Waiting</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {consumers.map(({ name, shard, blocks_behind: blocks }) => (
            <Row key={`${name} ${shard}`} name={name} part={`shard ${shard}`} count={blocks} unit="blocks" />
          ))}
          {queues.map(({ name, state, count }) => (
            <Row key={`${name} ${state}`} name={name} part={state} count={count} unit="" />
          ))}
        </Table.Tbody>
      </WideTable>
    </Section>
  )
}

function Row({ name, part, count, unit }: { name: string; part: string; count: number; unit: string }) {
  return (
    <Table.Tr>
      <Table.Td>{name}</Table.Td>
      <Table.Td>{part}</Table.Td>
      <Table.Td ta="right" fw={count > 0 ? 600 : undefined}>
        {`${formatCount(count)} ${unit}`}
      </Table.Td>
    </Table.Tr>
  )
}
