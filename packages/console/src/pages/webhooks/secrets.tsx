import { Alert, Button, Group, Select, Stack, Table, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { CopiedCode } from '../../parts/copied-code'
import { Dialog } from '../../parts/dialog'
import { Problem } from '../../parts/problem'
import { Time } from '../../parts/time'
import { WideTable } from '../../parts/wide-table'
import { useRotateSecret, type Webhook } from './requests'

const SHOWN_LENGTH = 10

/** The API says so for no end. */
const isEndless = (expiresAt: string) => expiresAt.startsWith('9999')

/** The secrets that sign, without their values. */
export function Secrets({ webhook }: { webhook: Webhook }) {
  return (
    <Stack align="flex-start">
      <WideTable label="Secrets" minWidth={420}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Secret</Table.Th>
            <Table.Th>Created</Table.Th>
            <Table.Th>Ends</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {webhook.secrets.map(({ uid, value, created_at, expires_at }) => (
            <Table.Tr key={uid}>
              <Table.Td className="mono">{value.slice(0, SHOWN_LENGTH)}…</Table.Td>
              <Table.Td>
                <Time at={created_at} />
              </Table.Td>
              <Table.Td>{isEndless(expires_at) ? 'never' : <Time at={expires_at} />}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </WideTable>
      <RotateSecret webhook={webhook} />
    </Stack>
  )
}

const graceTimes = [
  { value: '86400', label: 'in a day' },
  { value: '604800', label: 'in a week' },
  { value: '3600', label: 'in an hour' },
  { value: '0', label: 'now, as after a leak' },
]

function RotateSecret({ webhook: { webhook_id, title } }: { webhook: Webhook }) {
  const [isOpen, { open, close }] = useDisclosure()
  const [grace, setGrace] = useState(graceTimes[0]!.value)
  // From the click on: `isPending` is rendered a moment after the request has left, in which Escape would lose the secret.
  const [isBegun, setIsBegun] = useState(false)
  const rotation = useRotateSecret(webhook_id)
  const secret = rotation.data?.secrets[0]?.value
  function rotate() {
    setIsBegun(true)
    rotation.mutate(Number(grace), { onError: () => setIsBegun(false) })
  }
  function finish() {
    close()
    setIsBegun(false)
    rotation.reset()
  }
  return (
    <>
      <Button variant="default" onClick={open}>
        Rotate the secret
      </Button>
      <Dialog opened={isOpen} onClose={finish} title={`Rotate the secret of ${title}`} hasOwnEnd={isBegun}>
        {secret === undefined ? (
          <Stack>
            <Text size="sm">
              Until the old secret ends, both sign. After that, its signatures are no more.
            </Text>
            <Select
              label="The old secret ends"
              data={graceTimes}
              value={grace}
              allowDeselect={false}
              onChange={(value) => setGrace(value ?? grace)}
            />
            <Problem error={rotation.error} />
            <Button loading={isBegun} onClick={rotate}>
              Create a new secret
            </Button>
          </Stack>
        ) : (
          <NewSecret secret={secret} doneLabel="Done" onDone={finish} />
        )}
      </Dialog>
    </>
  )
}

/** A secret that the console shows this once. */
export function NewSecret({
  secret,
  doneLabel,
  onDone,
}: {
  secret: string
  doneLabel: string
  onDone: () => void
}) {
  return (
    <Stack>
      <Alert color="yellow" title="Copy the secret now">
        The receiver verifies signatures with it. The console does not show it again; the app’s key reads it
        with GET webhook.
      </Alert>
      <CopiedCode label="Secret" code={secret} />
      <Group>
        <Button onClick={onDone}>{doneLabel}</Button>
      </Group>
    </Stack>
  )
}
