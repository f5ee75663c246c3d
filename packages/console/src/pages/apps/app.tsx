import { Alert, Badge, Button, Group, NumberInput, Stack, Table, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api, dataOf, isMissing, isRefusal, type Schemas } from '../../api'
import { Confirmation } from '../../parts/confirmation'
import { CopiedCode } from '../../parts/copied-code'
import { refresh, refreshAfterAction } from '../../parts/cursor-query'
import { Dialog } from '../../parts/dialog'
import { Facts, Verbatim } from '../../parts/facts'
import { enteredNumber, formatCount } from '../../parts/format'
import { AnchorLink } from '../../parts/link'
import { Empty, Loaded, Page } from '../../parts/page'
import { Paged } from '../../parts/paged'
import { Problem } from '../../parts/problem'
import { Time } from '../../parts/time'
import { WideTable } from '../../parts/wide-table'
import { EditLimit } from './edit-limit'
import { AppSigners } from './signers'
import { AppUsage } from './usage'

/** An app with its keys. */
export function AppPage() {
  const { id } = useParams({ from: '/signed-in/apps/$id' })
  const path = { params: { path: { id } } }
  const app = useQuery({ queryKey: ['apps', id], queryFn: () => dataOf(api.GET('/admin/apps/{id}', path)) })
  if (app.data === undefined)
    return (
      <Page title="App">
        {isMissing(app.error) ? (
          <Empty title="There is no such app">
            <AnchorLink to="/apps" underline="always">
              All apps
            </AnchorLink>
          </Empty>
        ) : (
          <Loaded query={app}>{() => null}</Loaded>
        )}
      </Page>
    )
  return (
    <Page title={app.data.app.name} actions={<CreateKey appId={id} />}>
      <Loaded query={app}>
        {({ app: { fid, mini_app_domain, events_url, developer_uuid } }) => (
          <Facts
            facts={{
              Id: <Verbatim value={id} />,
              Fid: <Verbatim value={fid} />,
              'Mini app domain': <Verbatim value={mini_app_domain} />,
              'URL for mini app events': <Verbatim value={events_url} />,
              Developer: <Verbatim value={developer_uuid} />,
            }}
          />
        )}
      </Loaded>
      <Title order={2} size="h4">
        Keys
      </Title>
      <Paged
        queryKey={['apps', id, 'keys']}
        load={(cursor) =>
          dataOf(
            api.GET('/admin/apps/{id}/keys', { params: { path: { id }, query: { limit: 100, cursor } } }),
          )
        }
        itemsOf={({ api_keys }) => api_keys}
        more="Newer keys"
      >
        {(keys) =>
          keys.length === 0 ? (
            <Empty title="This app has no key">Without one it can ask for nothing. Create one above.</Empty>
          ) : (
            <Keys keys={keys} appId={id} />
          )
        }
      </Paged>
      <AppUsage appId={id} />
      <AppSigners appId={id} />
    </Page>
  )
}

function Keys({ keys, appId }: { keys: readonly Schemas['ApiKey'][]; appId: string }) {
  return (
    <WideTable label="Keys" minWidth={640}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Key</Table.Th>
          <Table.Th>Requests a minute</Table.Th>
          <Table.Th>Created</Table.Th>
          <Table.Th>Last used</Table.Th>
          <Table.Th>
            <Text span fw="inherit" size="sm">
              State
            </Text>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {keys.map((key) => (
          <Table.Tr key={key.id}>
            <Table.Td className="mono">{key.prefix}…</Table.Td>
            <Table.Td>{limitText(key.rate_limit)}</Table.Td>
            <Table.Td>
              <Time at={key.created_at} />
            </Table.Td>
            <Table.Td>
              <Time at={key.last_used_at} />
            </Table.Td>
            <Table.Td>
              {key.revoked_at === null ? (
                <Group gap="xs" wrap="nowrap">
                  <EditLimit apiKey={key} appId={appId} />
                  <RevokeKey apiKey={key} appId={appId} />
                </Group>
              ) : (
                <Badge variant="dot" color="gray">
                  Revoked
                </Badge>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  )
}

function limitText(limit: number | null): string {
  if (limit === null) return 'as the server says'
  return limit === 0 ? 'no limit' : formatCount(limit)
}

function CreateKey({ appId }: { appId: string }) {
  const [isOpen, { open, close }] = useDisclosure()
  const [limit, setLimit] = useState<number | string>('')
  // From the click on: `isPending` is rendered a moment after the request has left, in which Escape would lose the key.
  const [isBegun, setIsBegun] = useState(false)
  const queries = useQueryClient()
  const rateLimit = enteredNumber(limit)
  const creation = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/admin/apps/{id}/keys', {
          params: { path: { id: appId } },
          body: rateLimit === null ? {} : { rate_limit: rateLimit },
        }),
      ),
    // The key is shown at once, not after the lists were read again. After a lost reply they show whether there is a new one.
    onSettled: (_key, error) => {
      if (!isRefusal(error)) refresh(queries, ['apps'])
    },
  })
  function submit(event: FormEvent) {
    event.preventDefault()
    setIsBegun(true)
    creation.mutate(undefined, { onError: () => setIsBegun(false) })
  }
  function finish() {
    close()
    setIsBegun(false)
    creation.reset()
  }
  const key = creation.data?.key
  return (
    <>
      <Button onClick={open}>Create a key</Button>
      <Dialog opened={isOpen} onClose={finish} title="Create a key" hasOwnEnd={isBegun}>
        {key === undefined ? (
          <form onSubmit={submit}>
            <Stack>
              <NumberInput
                label="Requests a minute"
                description="0 is no limit. Empty: as the server says (API_RATE_LIMIT)."
                value={limit}
                onChange={setLimit}
                min={0}
                allowDecimal={false}
                allowNegative={false}
              />
              <Problem error={creation.error} />
              <Button type="submit" loading={isBegun}>
                Create
              </Button>
            </Stack>
          </form>
        ) : (
          <NewKey apiKey={key} onDone={finish} />
        )}
      </Dialog>
    </>
  )
}

function NewKey({ apiKey, onDone }: { apiKey: string; onDone: () => void }) {
  return (
    <Stack>
      <Alert color="yellow" title="Copy it now">
        Only its hash is stored: it is never shown again.
      </Alert>
      <CopiedCode label="Key" code={apiKey} />
      <Group>
        <Button onClick={onDone}>Done</Button>
      </Group>
    </Stack>
  )
}

function RevokeKey({ apiKey: { id, prefix }, appId }: { apiKey: Schemas['ApiKey']; appId: string }) {
  const [isOpen, { open, close }] = useDisclosure()
  const queries = useQueryClient()
  const revocation = useMutation({
    mutationFn: () => dataOf(api.DELETE('/admin/keys/{id}', { params: { path: { id } } })),
    onSuccess: () => refreshAfterAction(queries, ['apps', appId], ['apps', appId, 'keys']),
  })
  return (
    <>
      <Button size="xs" color="red" variant="outline" onClick={open} aria-label={`Revoke ${prefix}`}>
        Revoke
      </Button>
      <Confirmation
        opened={isOpen}
        onClose={close}
        title={`Revoke ${prefix}…?`}
        mutation={revocation}
        action="Revoke the key"
        stay="Keep it"
      >
        <Text size="sm">
          Every request with this key is refused from the next second on. It cannot be made valid again.
        </Text>
      </Confirmation>
    </>
  )
}
