import { Button, Stack, Table, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api, dataOf } from '../../api'
import { refresh } from '../../parts/cursor-query'
import { Dialog } from '../../parts/dialog'
import { AnchorLink } from '../../parts/link'
import { Empty, Loaded, Page } from '../../parts/page'
import { Problem } from '../../parts/problem'
import { Time } from '../../parts/time'
import { WideTable } from '../../parts/wide-table'
import { useApps } from '../../selected-app'

/** The apps of the server. */
export function Apps() {
  const [isCreating, creation] = useDisclosure()
  const query = useApps({ isFetchedAnew: true })
  return (
    <Page title="Apps and keys" actions={<Button onClick={creation.open}>Create an app</Button>}>
      <Loaded query={query}>
        {({ apps }) =>
          apps.length === 0 ? (
            <Empty title="There is no app yet">
              An app has keys, webhooks and mini app notifications of its own. Create the first one.
            </Empty>
          ) : (
            <WideTable label="Apps" minWidth={480}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Name</Table.Th>
                  <Table.Th>Fid</Table.Th>
                  <Table.Th>Active keys</Table.Th>
                  <Table.Th>Created</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {apps.map(({ id, name, fid, key_count, created_at }) => (
                  <Table.Tr key={id}>
                    <Table.Td>
                      <AnchorLink to="/apps/$id" params={{ id }}>
                        {name}
                      </AnchorLink>
                    </Table.Td>
                    <Table.Td>{fid ?? '–'}</Table.Td>
                    <Table.Td>{key_count}</Table.Td>
                    <Table.Td>
                      <Time at={created_at} />
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </WideTable>
          )
        }
      </Loaded>
      <Dialog opened={isCreating} onClose={creation.close} title="Create an app">
        <CreateApp />
      </Dialog>
    </Page>
  )
}

function CreateApp() {
  const [name, setName] = useState('')
  const queries = useQueryClient()
  const navigate = useNavigate()
  const creation = useMutation({
    mutationFn: () => dataOf(api.POST('/admin/apps', { body: { name } })),
    onSuccess: async ({ app }) => {
      // The new app is shown at once, not after all others were read again.
      refresh(queries, ['apps'])
      await navigate({ to: '/apps/$id', params: { id: app.id } })
    },
  })
  function submit(event: FormEvent) {
    event.preventDefault()
    creation.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Name"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          required
          data-autofocus
        />
        <Problem error={creation.error} />
        <Button type="submit" loading={creation.isPending}>
          Create
        </Button>
      </Stack>
    </form>
  )
}
