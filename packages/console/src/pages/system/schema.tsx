import { Badge, Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api, dataOf } from '../../api'
import { formatBytes, formatCount } from '../../parts/format'
import { Loaded } from '../../parts/page'
import { Section } from '../../parts/section'
import { Time } from '../../parts/time'
import { WideTable } from '../../parts/wide-table'

const colors = { applied: 'green', pending: 'red', newer: 'yellow' } as const

/** Migrations and partitions of the database. */
export function Schema() {
  const query = useQuery({ queryKey: ['system'], queryFn: () => dataOf(api.GET('/admin/system')) })
  return (
    <Loaded query={query}>
      {({ partitions, migrations }) => (
        <Stack gap="lg">
          <Section title="Partitions">
            {partitions.length === 0 ? (
              <Text size="sm">None yet: the first event of a day makes one.</Text>
            ) : (
              <WideTable label="Partitions" minWidth={640}>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Partition</Table.Th>
                    <Table.Th>Bounds</Table.Th>
                    <Table.Th ta="right">Rows, about</Table.Th>
                    <Table.Th ta="right">Size</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {partitions.map(({ name, bounds, rows, bytes }) => (
                    <Table.Tr key={name}>
                      <Table.Td className="mono">{name}</Table.Td>
                      <Table.Td className="mono">{bounds}</Table.Td>
                      <Table.Td ta="right">{formatCount(rows)}</Table.Td>
                      <Table.Td ta="right">{formatBytes(bytes)}</Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </WideTable>
            )}
          </Section>
          <Section title="Migrations">
            <WideTable label="Migrations" minWidth={480}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Migration</Table.Th>
                  <Table.Th>State</Table.Th>
                  <Table.Th>Applied</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {migrations.map(({ name, state, applied_at }) => (
                  <Table.Tr key={name}>
                    <Table.Td className="mono">{name}</Table.Td>
                    <Table.Td>
                      <Badge variant="dot" color={colors[state]}>
                        {state === 'newer' ? 'by a newer version' : state}
                      </Badge>
                    </Table.Td>
                    <Table.Td>
                      <Time at={applied_at} />
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </WideTable>
          </Section>
        </Stack>
      )}
    </Loaded>
  )
}
