import { Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api, dataOf } from '../../api'
import { formatBytes, formatCount } from '../../parts/format'
import { Empty, Loaded } from '../../parts/page'
import { WideTable } from '../../parts/wide-table'

/** Caches of the process that replies. */
export function Caches() {
  const query = useQuery({
    queryKey: ['system'],
    queryFn: () => dataOf(api.GET('/admin/system')),
    refetchInterval: 5_000,
  })
  return (
    <Stack>
      <Text size="sm">Of the process that replies, since its start.</Text>
      <Loaded query={query}>
        {({ caches }) =>
          caches.length === 0 ? (
            <Empty title="No caches">This process has none: VIEW_CACHE_ENTRIES sets their size.</Empty>
          ) : (
            <WideTable label="Caches" minWidth={480}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Cache</Table.Th>
                  <Table.Th ta="right">Lookups</Table.Th>
                  <Table.Th ta="right">Hits</Table.Th>
                  <Table.Th ta="right">Entries</Table.Th>
                  <Table.Th ta="right">Size</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {caches.map(({ name, lookups, hit_share, entries, bytes }) => (
                  <Table.Tr key={name}>
                    <Table.Td>{name}</Table.Td>
                    <Table.Td ta="right">{formatCount(lookups)}</Table.Td>
                    <Table.Td ta="right">
                      {hit_share === null ? '–' : `${(hit_share * 100).toFixed(1)} %`}
                    </Table.Td>
                    <Table.Td ta="right">{entries === null ? '–' : formatCount(entries)}</Table.Td>
                    <Table.Td ta="right">{bytes === null ? '–' : formatBytes(bytes)}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </WideTable>
          )
        }
      </Loaded>
    </Stack>
  )
}
