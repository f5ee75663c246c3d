import { Box, Table, VisuallyHidden } from '@mantine/core'
import type { Schemas } from '../../api'
import { formatTick } from '../../parts/format'
import { LazyChart } from '../../parts/lazy-chart'

/** Casts of a channel by days. Its numbers are also a table for screen readers. */
export function Activity({ days }: { days: readonly Schemas['ChannelDay'][] }) {
  return (
    <>
      <Box aria-hidden>
        <LazyChart
          label="Casts by day"
          kind="bars"
          times={days.map(({ day }) => Date.parse(day))}
          series={[{ name: 'Casts', color: 'indigo', values: days.map(({ casts }) => casts) }]}
          format={formatTick}
        />
      </Box>
      <VisuallyHidden>
        <Table>
          <Table.Caption>Casts by day</Table.Caption>
          <Table.Tbody>
            {days.map(({ day, casts }) => (
              <Table.Tr key={day}>
                <Table.Th scope="row">{day}</Table.Th>
                <Table.Td>{casts}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </VisuallyHidden>
    </>
  )
}
