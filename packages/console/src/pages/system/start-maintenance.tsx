import { Button, Group, Select, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, dataOf, type Schemas } from '../../api'
import { Confirmation } from '../../parts/confirmation'
import { refreshAfterAction } from '../../parts/cursor-query'

type Kind = Schemas['MaintenanceRun']['kind']

/** Effect and cost of each kind. */
const kinds: Readonly<Record<Kind, { readonly title: string; readonly text: string }>> = {
  replay: {
    title: 'Rebuild the read model',
    text: 'Builds users, casts, reactions and follows again from stored messages, beside those that are served, and then replaces them. It needs their size on the disk once more, and takes hours on a whole network. A cancelled replay changes nothing.',
  },
  recount: {
    title: 'Recount',
    text: 'Compares threads and counters with stored rows and repairs what is wrong. Merges wait for 25 to 75 ms at a time. What was repaired stays when it is cancelled.',
  },
  reconcile: {
    title: 'Compare with the upstream',
    text: 'Compares all users with the upstream, both ways, and fetches what is missing. It asks the upstream for everything. What was repaired stays when it is cancelled.',
  },
}

const extras = [
  { value: 'keep', label: 'keep them' },
  { value: 'remove', label: 'delete them here' },
  { value: 'send', label: 'send them to the upstream' },
]

/** Starts maintenance, after it said what that does. */
export function StartMaintenance() {
  return (
    <Group gap="xs">
      {(Object.keys(kinds) as Kind[]).map((kind) => (
        <Start key={kind} kind={kind} />
      ))}
    </Group>
  )
}

function Start({ kind }: { kind: Kind }) {
  const [isOpen, { open, close }] = useDisclosure()
  const [extra, setExtra] = useState('keep')
  const queries = useQueryClient()
  const starting = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/admin/maintenance', {
          body: kind === 'reconcile' ? { kind, extra: extra as 'keep' | 'remove' | 'send' } : { kind },
        }),
      ),
    onSuccess: () => refreshAfterAction(queries, ['maintenance'], ['maintenance']),
  })
  function ask() {
    setExtra('keep')
    open()
  }
  const { title, text } = kinds[kind]
  return (
    <>
      <Button variant="default" onClick={ask}>
        {title}
      </Button>
      <Confirmation
        opened={isOpen}
        onClose={close}
        title={`${title}?`}
        mutation={starting}
        action={extra === 'remove' ? 'Start, and delete what only this server has' : 'Start'}
        stay="Do not start"
        isRed={extra === 'remove'}
      >
        <Text size="sm">{text}</Text>
        {kind === 'reconcile' && (
          <Select
            label="Messages that only this server has"
            description="They may be newer than what the upstream has."
            data={extras}
            value={extra}
            onChange={(chosen) => chosen && setExtra(chosen)}
            allowDeselect={false}
          />
        )}
      </Confirmation>
    </>
  )
}
