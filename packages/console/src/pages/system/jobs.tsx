import { Badge, Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api, dataOf } from '../../api'
import { useLive } from '../../live'
import { formatCount, formatDuration } from '../../parts/format'
import { Empty, Loaded } from '../../parts/page'
import { Section } from '../../parts/section'
import { Time } from '../../parts/time'
import { WideTable } from '../../parts/wide-table'

/** Scheduled jobs and consumers of the event log. */
export function Jobs() {
  useLive('jobs', ['jobs'])
  useLive('jobs', ['overview'])
  return (
    <Stack>
      <ScheduledJobs />
      <Consumers />
    </Stack>
  )
}

function ScheduledJobs() {
  const query = useQuery({
    queryKey: ['jobs'],
    queryFn: () => dataOf(api.GET('/admin/jobs')),
  })
  return (
    <Section title="Scheduled jobs">
      <Loaded query={query}>
        {({ jobs }) =>
          jobs.length === 0 ? (
            <Empty title="No process has run a job yet">
              A process with the role worker runs them: plaza serve.
            </Empty>
          ) : (
            <WideTable label="Scheduled jobs" minWidth={820}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Job</Table.Th>
                  <Table.Th>Process</Table.Th>
                  <Table.Th>Every</Table.Th>
                  <Table.Th>Last run</Table.Th>
                  <Table.Th ta="right">Took</Table.Th>
                  <Table.Th>Next run</Table.Th>
                  <Table.Th>Failures</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {jobs.map((job) => (
                  <Table.Tr key={`${job.name} ${job.process_id}`}>
                    <Table.Td>{job.name}</Table.Td>
                    <Table.Td>{`${job.host} ${job.pid}`}</Table.Td>
                    <Table.Td>{formatDuration(job.every_ms)}</Table.Td>
                    <Table.Td>
                      <Time at={job.started_at} />
                    </Table.Td>
                    <Table.Td ta="right">
                      {job.duration_ms === null ? '–' : formatDuration(job.duration_ms)}
                    </Table.Td>
                    <Table.Td>{job.next_at === null ? 'runs now' : <Time at={job.next_at} />}</Table.Td>
                    <Table.Td>
                      {job.failures === 0 ? (
                        'none'
                      ) : (
                        <>
                          <Badge variant="dot" color="red">{`${job.failures} of ${job.runs}`}</Badge>
                          <Text size="sm">
                            {job.error}, <Time at={job.failed_at} />
                          </Text>
                        </>
                      )}
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </WideTable>
          )
        }
      </Loaded>
    </Section>
  )
}

function Consumers() {
  const query = useQuery({
    queryKey: ['overview'],
    queryFn: () => dataOf(api.GET('/admin/overview')),
  })
  return (
    <Section title="Consumers of the event log">
      <Loaded query={query}>
        {({ consumers }) => (
          <WideTable label="Consumers" minWidth={320}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Consumer</Table.Th>
                <Table.Th ta="right">Shard</Table.Th>
                <Table.Th ta="right">Blocks behind</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {consumers.map(({ name, shard, blocks_behind }) => (
                <Table.Tr key={`${name} ${shard}`}>
                  <Table.Td>{name}</Table.Td>
                  <Table.Td ta="right">{shard}</Table.Td>
                  <Table.Td ta="right">{formatCount(blocks_behind)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </WideTable>
        )}
      </Loaded>
    </Section>
  )
}
