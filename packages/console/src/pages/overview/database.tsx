import { Table, Text } from '@mantine/core'
import { formatBytes, formatCount } from '../../parts/format'
import { LazyChart } from '../../parts/lazy-chart'
import { Section } from '../../parts/section'
import { WideTable } from '../../parts/wide-table'
import type { OverviewData } from './overview-data'

/** The size of the database, how it grows, and its largest tables. */
export function Database({ database }: { database: OverviewData['database'] }) {
  const { bytes, growth_bytes_per_day: growth, history, tables } = database
  return (
    <Section title="Database">
      <Text size="sm">
        {formatBytes(bytes)},{' '}
        {growth === null
          ? 'growth is known an hour after the first start'
          : `${growth < 0 ? 'shrinking' : 'growing'} by ${formatBytes(Math.abs(growth))} a day`}
      </Text>
      {history.length > 1 && (
        <LazyChart
          label={`Size of the database by day, from ${formatBytes(history[0]!.bytes)} to ${formatBytes(bytes)}`}
          kind="areas"
          isDaily
          times={history.map(({ at }) => Date.parse(at))}
          series={[{ name: 'Size', color: 'indigo', values: history.map(({ bytes: size }) => size) }]}
          format={formatBytes}
        />
      )}
      <WideTable label="Largest tables" minWidth={420}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Table</Table.Th>
            <Table.Th ta="right">Size with indexes</Table.Th>
            <Table.Th ta="right">Rows, about</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {tables.map(({ name, bytes: size, rows }) => (
            <Table.Tr key={name}>
              <Table.Td className="mono">{name}</Table.Td>
              <Table.Td ta="right">{formatBytes(size)}</Table.Td>
              <Table.Td ta="right">{formatCount(rows)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </WideTable>
    </Section>
  )
}
