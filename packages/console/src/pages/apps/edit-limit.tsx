import { Button, Group, NumberInput, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, dataOf, type Schemas } from '../../api'
import { refreshAfterAction } from '../../parts/cursor-query'
import { Dialog } from '../../parts/dialog'
import { enteredNumber } from '../../parts/format'
import { Problem } from '../../parts/problem'

interface EditLimitProps {
  readonly apiKey: Schemas['ApiKey']
  readonly appId: string
}

/** Changes how many requests a minute a key may send. */
export function EditLimit(props: EditLimitProps) {
  const [isOpen, { open, close }] = useDisclosure()
  const { prefix } = props.apiKey
  return (
    <>
      <Button size="xs" variant="default" onClick={open} aria-label={`Change the limit of ${prefix}`}>
        Change the limit
      </Button>
      <Dialog opened={isOpen} onClose={close} title={`Limit of ${prefix}…`}>
        <LimitForm {...props} onDone={close} />
      </Dialog>
    </>
  )
}

/** Begins with the stored limit whenever the dialog is opened. */
function LimitForm({ apiKey: { id, rate_limit }, appId, onDone }: EditLimitProps & { onDone: () => void }) {
  const [limit, setLimit] = useState<number | string>(rate_limit ?? '')
  const queries = useQueryClient()
  const change = useMutation({
    mutationFn: () =>
      dataOf(
        api.PATCH('/admin/keys/{id}', {
          params: { path: { id } },
          body: { rate_limit: enteredNumber(limit) },
        }),
      ),
    onSuccess: async () => {
      const queryKey = ['apps', appId, 'keys']
      refreshAfterAction(queries, ['apps', appId], queryKey)
      // Opened again, the form begins with the limit of the list.
      await queries.refetchQueries({ queryKey }, { cancelRefetch: false })
      onDone()
    },
  })
  function submit(event: FormEvent) {
    event.preventDefault()
    change.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <NumberInput
          label="Requests a minute"
          description="0 is no limit. Empty: as the server says (API_RATE_LIMIT). Servers apply it within a second."
          value={limit}
          onChange={setLimit}
          min={0}
          allowDecimal={false}
          allowNegative={false}
          data-autofocus
        />
        <Problem error={change.error} />
        <Group>
          <Button type="submit" loading={change.isPending}>
            Save
          </Button>
          <Button variant="default" onClick={onDone}>
            Keep it
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
