import { Select, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Loaded, Page } from '../../parts/page'
import { NeedsApp } from '../../selected-app'
import { type ApiOperation, loadOperations, nameOf } from './operations'
import { RequestForm } from './request-form'

/** Sends any operation of the main API as the selected app. */
export function Query() {
  const query = useQuery({
    queryKey: ['openapi'],
    queryFn: loadOperations,
    // It changes with the server.
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <Page title="Query">
      <NeedsApp>
        {(app) => (
          <Loaded query={query}>{(operations) => <Chooser operations={operations} appId={app.id} />}</Loaded>
        )}
      </NeedsApp>
    </Page>
  )
}

const FIRST = 'GET /v2/social/user/bulk/'

function Chooser({ operations, appId }: { operations: readonly ApiOperation[]; appId: string }) {
  const [name, setName] = useState(FIRST)
  const operation = operations.find((each) => nameOf(each) === name) ?? operations[0]
  if (!operation) return <Text>The document of this server has no operations.</Text>
  const tags = [...new Set(operations.map(({ tag }) => tag))]
  const data = tags.map((tag) => ({
    group: tag,
    items: operations
      .filter((each) => each.tag === tag)
      .map((each) => ({ value: nameOf(each), label: `${nameOf(each)} · ${each.summary}` })),
  }))
  return (
    <Stack>
      <Select
        label="Operation"
        description="Search by path or by name"
        data={data}
        value={nameOf(operation)}
        onChange={(chosen) => chosen && setName(chosen)}
        searchable
        allowDeselect={false}
        nothingFoundMessage="No operation has this name"
        maxDropdownHeight={400}
      />
      <Text size="sm" style={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>
        {operation.description}
      </Text>
      <RequestForm key={nameOf(operation)} operation={operation} appId={appId} />
    </Stack>
  )
}
