import { Button, Group, Select, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, dataOf, type Schemas } from '../../api'
import { Dialog } from '../../parts/dialog'
import { Problem } from '../../parts/problem'

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
  const [kind, setKind] = useState<Kind | null>(null)
  return (
    <>
      <Group gap="xs">
        {(Object.keys(kinds) as Kind[]).map((each) => (
          <Button key={each} variant="default" onClick={() => setKind(each)}>
            {kinds[each].title}
          </Button>
        ))}
      </Group>
      <Dialog
        opened={kind !== null}
        onClose={() => setKind(null)}
        title={kind === null ? '' : `${kinds[kind].title}?`}
      >
        {kind !== null && <Confirmation key={kind} kind={kind} onDone={() => setKind(null)} />}
      </Dialog>
    </>
  )
}

function Confirmation({ kind, onDone }: { kind: Kind; onDone: () => void }) {
  const [extra, setExtra] = useState('keep')
  const queries = useQueryClient()
  const starting = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/admin/maintenance', {
          body: kind === 'reconcile' ? { kind, extra: extra as 'keep' | 'remove' | 'send' } : { kind },
        }),
      ),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['maintenance'] })
      onDone()
    },
  })
  return (
    <Stack>
      <Text size="sm">{kinds[kind].text}</Text>
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
      <Problem error={starting.error} />
      <Group>
        <Button
          loading={starting.isPending}
          color={extra === 'remove' ? 'red.9' : undefined}
          onClick={() => starting.mutate()}
        >
          {extra === 'remove' ? 'Start, and delete what only this server has' : 'Start'}
        </Button>
        <Button variant="default" onClick={onDone} data-autofocus>
          Do not start
        </Button>
      </Group>
    </Stack>
  )
}
