import { Badge, Box, Code, Group, Stack, Table, Text } from '@mantine/core'
import { formatCount } from '../../parts/format'
import { WideTable } from '../../parts/wide-table'
import type { Answer } from './request'

/** Longer texts would make the page slow. */
const MAX_SHOWN_CHARACTERS = 200_000

/** Status, time, headers and JSON of an answer. */
export function AnswerView({ answer: { status, ms, headers, bytes, text } }: { answer: Answer }) {
  return (
    <Stack gap="xs" component="section" aria-label="Answer">
      <Group gap="xs" role="status">
        <Badge variant="dot" color={status < 300 ? 'green' : status < 500 ? 'yellow' : 'red'}>
          {`Status ${status}`}
        </Badge>
        <Text size="sm">{`${Math.round(ms)} ms`}</Text>
        <Text size="sm">{`${formatCount(bytes)} bytes`}</Text>
      </Group>
      <Box role="region" aria-label="JSON of the answer" tabIndex={0} mah={600} style={{ overflow: 'auto' }}>
        <Code block>{text.slice(0, MAX_SHOWN_CHARACTERS)}</Code>
      </Box>
      {text.length > MAX_SHOWN_CHARACTERS && (
        <Text size="sm">{`The first ${formatCount(MAX_SHOWN_CHARACTERS)} characters are shown.`}</Text>
      )}
      <WideTable label="Headers of the answer" minWidth={320}>
        <Table.Tbody>
          {headers.map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th w={220}>{name}</Table.Th>
              <Table.Td className="mono">{value}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </WideTable>
    </Stack>
  )
}
