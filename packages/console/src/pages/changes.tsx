import { Badge, Button, Code, Table, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { api, dataOf, type Schemas } from '../api'
import { Empty, Loaded, Page } from '../parts/page'
import { Time } from '../parts/time'
import { WideTable } from '../parts/wide-table'

/** The audit log: what was changed through the admin API. */
export function Changes() {
  const query = useInfiniteQuery({
    queryKey: ['audit_log'],
    queryFn: ({ pageParam }) =>
      dataOf(
        api.GET('/admin/audit_log', {
          params: { query: { limit: 100, ...(pageParam && { cursor: pageParam }) } },
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next.cursor,
    refetchInterval: 10_000,
  })
  return (
    <Page title="Changes">
      <Loaded query={query}>
        {({ pages }) => {
          const entries = pages.flatMap((page) => page.entries)
          if (entries.length === 0)
            return (
              <Empty title="Nothing was changed yet">
                Changes by this console and by the admin token are listed here.
              </Empty>
            )
          return <Entries entries={entries} />
        }}
      </Loaded>
      {query.hasNextPage && (
        <Button variant="default" loading={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
          Older changes
        </Button>
      )}
    </Page>
  )
}

function Entries({ entries }: { entries: readonly Schemas['AuditEntry'][] }) {
  return (
    <WideTable label="Changes" minWidth={720}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>When</Table.Th>
          <Table.Th>What</Table.Th>
          <Table.Th>Who</Table.Th>
          <Table.Th>Outcome</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {entries.map((entry) => (
          <Table.Tr key={entry.id}>
            <Table.Td>
              <Time at={entry.at} />
            </Table.Td>
            <Table.Td>
              <Text size="sm">{entry.operation}</Text>
              <Code>{JSON.stringify({ ...entry.params, ...entry.body })}</Code>
            </Table.Td>
            <Table.Td>
              {entry.session_id === null ? 'admin token' : `session ${entry.session_id}`}, {entry.address}
            </Table.Td>
            <Table.Td>
              <Outcome status={entry.status} error={entry.error} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
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
