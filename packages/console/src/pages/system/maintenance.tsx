import { Alert, Badge, Button, Card, Group, List, Progress, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, dataOf, type Schemas } from '../../api'
import { useLive } from '../../live'
import { Confirmation } from '../../parts/confirmation'
import { refreshAfterAction } from '../../parts/cursor-query'
import { formatCount } from '../../parts/format'
import { Empty } from '../../parts/page'
import { Paged } from '../../parts/paged'
import { Time } from '../../parts/time'
import { timeLeft } from '../../parts/time-left'
import { StartMaintenance } from './start-maintenance'

type Run = Schemas['MaintenanceRun']

/** Replays, recounts and comparisons with the upstream, with their progress. */
export function Maintenance() {
  useLive('jobs', ['maintenance'])
  return (
    <Stack>
      <StartMaintenance />
      <Paged
        queryKey={['maintenance']}
        load={(cursor) => dataOf(api.GET('/admin/maintenance', { params: { query: { limit: 10, cursor } } }))}
        itemsOf={({ runs }) => runs}
        more="Older runs"
      >
        {(runs) =>
          runs.length === 0 ? (
            <Empty title="Nothing was maintained from here yet">
              What is started above is shown with its progress. Commands (plaza replay, recount, reconcile)
              are not listed.
            </Empty>
          ) : (
            runs.map((run) => <RunCard key={run.id} run={run} />)
          )
        }
      </Paged>
    </Stack>
  )
}

const colors = {
  waiting: 'yellow',
  running: 'blue',
  done: 'green',
  failed: 'red',
  cancelled: 'gray',
  interrupted: 'orange',
} as const

function RunCard({ run }: { run: Run }) {
  const isOpen = run.state === 'waiting' || run.state === 'running'
  return (
    <Card withBorder padding="sm">
      <Stack gap="xs">
        <Group justify="space-between">
          <Group gap="xs">
            <Text fw={600}>{run.extra === null ? run.kind : `${run.kind}, extra: ${run.extra}`}</Text>
            <Badge variant="dot" color={colors[run.state]}>
              {run.is_cancelling ? 'is cancelled' : run.state}
            </Badge>
          </Group>
          {isOpen && !run.is_cancelling && <CancelRun run={run} />}
        </Group>
        <Text size="sm">
          Asked for <Time at={run.requested_at} />
          {run.finished_at !== null && (
            <>
              , ended <Time at={run.finished_at} />
            </>
          )}
        </Text>
        {run.state === 'waiting' && (
          <Text size="sm">
            {`A process with the role ${run.kind === 'reconcile' ? 'sync' : 'worker'} takes it within some seconds. The overview shows whether there is one.`}
          </Text>
        )}
        {run.state === 'running' && <RunProgress run={run} />}
        {run.state === 'interrupted' && (
          <Text size="sm">Its process ended. Start it again: what was repaired stays.</Text>
        )}
        {run.error !== null && <Alert color="red">{run.error}</Alert>}
        {run.report.length > 0 && (
          <List size="sm">
            {run.report.map((line) => (
              <List.Item key={line}>{line}</List.Item>
            ))}
          </List>
        )}
      </Stack>
    </Card>
  )
}

function RunProgress({ run: { kind, step, done, total, unit, started_at } }: { run: Run }) {
  const share = total === null || total === 0 ? null : Math.min(1, done / total)
  const elapsedMs = started_at === null ? 0 : Date.now() - Date.parse(started_at)
  const left = share === null ? null : timeLeft({ elapsedMs, done: share, rest: 1 - share })
  const counted = `${formatCount(done)}${total === null ? '' : ` of about ${formatCount(total)}`} ${unit}`
  return (
    <Stack gap={4}>
      {share !== null && <Progress value={share * 100} aria-label={`Progress of ${kind}`} />}
      <Text size="sm" role="status">
        {[step, counted, left === null ? null : `about ${left} left`].filter(Boolean).join(' · ')}
      </Text>
    </Stack>
  )
}

function CancelRun({ run: { id, kind, started_at } }: { run: Run }) {
  const [isOpen, { open, close }] = useDisclosure()
  const queries = useQueryClient()
  const cancelling = useMutation({
    mutationFn: () => dataOf(api.DELETE('/admin/maintenance/{id}', { params: { path: { id } } })),
    onSuccess: () => refreshAfterAction(queries, ['maintenance'], ['maintenance']),
  })
  return (
    <>
      <Button size="xs" variant="default" aria-label={`Cancel ${kind}`} onClick={open}>
        Cancel
      </Button>
      <Confirmation
        opened={isOpen}
        onClose={close}
        title={`Cancel ${kind}?`}
        mutation={cancelling}
        action={`Cancel the ${kind}`}
        stay="Go on"
      >
        <Text size="sm">
          {started_at === null ? (
            'It has not begun yet.'
          ) : (
            <>
              It runs since <Time at={started_at} />.{' '}
              {kind === 'replay'
                ? 'What it has built so far is lost: the next one begins at the start.'
                : 'What it has repaired stays.'}
            </>
          )}
        </Text>
      </Confirmation>
    </>
  )
}
