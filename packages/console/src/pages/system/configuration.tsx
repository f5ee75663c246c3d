import { Badge, Stack, Table, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, dataOf, type Schemas } from '../../api'
import { Loaded } from '../../parts/page'
import { Section } from '../../parts/section'
import { WideTable } from '../../parts/wide-table'

type Variable = Schemas['ConfigurationEntry']

/** Every environment variable as the process that replies has read it. */
export function Configuration() {
  const [search, setSearch] = useState('')
  const query = useQuery({
    queryKey: ['configuration'],
    queryFn: () => dataOf(api.GET('/admin/configuration')),
  })
  return (
    <Stack>
      <Text size="sm">
        As the process that replies has read it when it started. Change the environment and start it again.
      </Text>
      <TextInput
        label="Search variables"
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        placeholder="RATE_LIMIT"
      />
      <Loaded query={query}>
        {({ variables }) => {
          const found = variables.filter(({ name, description }) =>
            `${name} ${description}`.toLowerCase().includes(search.trim().toLowerCase()),
          )
          if (found.length === 0)
            return <Text size="sm">No variable has this in its name or description.</Text>
          return [...new Set(found.map(({ task }) => task))].map((task) => (
            <Section key={task} title={task}>
              <VariableTable task={task} variables={found.filter((each) => each.task === task)} />
            </Section>
          ))
        }}
      </Loaded>
    </Stack>
  )
}

const colors = { environment: 'blue', default: 'gray', 'not set': 'gray' } as const

function VariableTable({ task, variables }: { task: string; variables: readonly Variable[] }) {
  return (
    <WideTable label={task} minWidth={640}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th w="35%">Variable</Table.Th>
          <Table.Th>Value</Table.Th>
          <Table.Th>From</Table.Th>
          <Table.Th>Default</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {variables.map((variable) => (
          <Table.Tr key={variable.name}>
            <Table.Td>
              <Text className="mono">{variable.name}</Text>
              <Text size="sm" c="dimmed">
                {variable.description}
              </Text>
            </Table.Td>
            <Table.Td className="mono" style={{ overflowWrap: 'anywhere' }}>
              {valueText(variable)}
            </Table.Td>
            <Table.Td>
              <Badge variant="dot" color={colors[variable.source]}>
                {variable.source}
              </Badge>
            </Table.Td>
            <Table.Td className="mono">{variable.default ?? '–'}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  )
}

function valueText({ is_secret, source, value }: Variable): string {
  if (is_secret) return source === 'not set' ? '–' : 'set, not shown'
  return value ?? '–'
}
