import { Badge, Box, Code, Group, Text } from '@mantine/core'
import { api, dataOf, type Schemas } from '../api'
import { useLive } from '../live'
import { useCursorQuery } from '../parts/cursor-query'
import { Empty, Page } from '../parts/page'
import { Time } from '../parts/time'
import { VirtualList } from '../parts/virtual-list'

/** The audit log: what was changed through the admin API. */
export function AuditLog() {
  const query = useCursorQuery(
    ['audit_log'],
    (page) => dataOf(api.GET('/admin/audit_log', { params: { query: { limit: 100, ...page } } })),
    ({ next }) => next.cursor,
  )
  useLive('audit', ['audit_log'])
  return (
    <Page title="Audit log">
      <VirtualList
        label="Audit log"
        query={query}
        itemsOf={({ entries }) => entries}
        keyOf={({ id }) => String(id)}
        rowHeight={76}
        empty={
          <Empty title="Nothing was changed yet">
            Changes by this console and by the admin token are listed here.
          </Empty>
        }
      >
        {(entry) => <Entry entry={entry} />}
      </VirtualList>
    </Page>
  )
}

function Entry({ entry }: { entry: Schemas['AuditEntry'] }) {
  return (
    <Box className="list-row">
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={600} className="wraps">
          {entry.operation}
        </Text>
        <Outcome status={entry.status} error={entry.error} />
      </Group>
      <Text size="sm" c="dimmed" className="wraps">
        <Time at={entry.at} />
        {` · ${entry.session_id === null ? 'admin token' : `session ${entry.session_id}`}, ${entry.address}`}
      </Text>
      <Code className="wraps">{JSON.stringify({ ...entry.params, ...entry.body })}</Code>
    </Box>
  )
}

function Outcome({ status, error }: Pick<Schemas['AuditEntry'], 'status' | 'error'>) {
  if (status === null)
    return (
      <Badge variant="dot" color="yellow">
        not known
      </Badge>
    )
  return error === null ? (
    <Badge variant="dot" color="green">
      {status}
    </Badge>
  ) : (
    <Badge variant="dot" color="red">{`${status} ${error}`}</Badge>
  )
}
