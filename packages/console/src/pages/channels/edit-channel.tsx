import { Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, dataOf, type Schemas } from '../../api'
import { Problem } from '../../parts/problem'
import type { ActingSigner } from './needs-signer'

/** Edits what the lead of a channel may set. Only what was changed is sent. */
export function EditChannel({
  channel,
  signer,
}: {
  channel: Schemas['Channel']
  signer: ActingSigner | null
}) {
  const stored = {
    name: channel.name ?? '',
    description: channel.description ?? '',
    image_url: channel.image_url ?? '',
    url: channel.url,
    pinned_cast_hash: channel.pinned_cast_hash ?? '',
  }
  // The other members follow what is stored, which others may change meanwhile.
  const [edits, setEdits] = useState<Partial<Values>>({})
  const values = { ...stored, ...edits }
  const queries = useQueryClient()
  const edit = useMutation({
    mutationFn: ({ signerUuid, sent }: Submission) =>
      dataOf(
        api.PATCH('/v2/social/channel/', {
          body: {
            signer_uuid: signerUuid,
            channel_id: channel.id,
            ...changesOf(stored, { ...stored, ...sent }),
          },
        }),
      ),
    onSuccess: async (_, { sent }) => {
      await queries.invalidateQueries({ queryKey: ['channels'] })
      // What was written since then stays. `edits` would be those of the latest render.
      setEdits((now) => (now === sent ? {} : now))
    },
  })
  const field = (name: keyof typeof stored) => ({
    value: values[name],
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      setEdits({ ...edits, [name]: currentTarget.value }),
    disabled: signer === null,
  })
  const hasChanged = Object.keys(changesOf(stored, values)).length > 0
  function submit(event: FormEvent) {
    event.preventDefault()
    if (signer !== null) edit.mutate({ signerUuid: signer.signer_uuid, sent: edits })
  }
  return (
    <form onSubmit={submit}>
      <Stack maw={560}>
        <TextInput label="Name" required maxLength={256} {...field('name')} />
        <Textarea
          label="Description"
          description="@name mentions a user"
          autosize
          minRows={3}
          maxLength={4096}
          {...field('description')}
        />
        <TextInput label="Picture" description="https://… or empty" {...field('image_url')} />
        <TextInput label="Page" {...field('url')} />
        <TextInput
          label="Pinned cast"
          description="Hash of a cast in this channel, or empty"
          {...field('pinned_cast_hash')}
        />
        <Problem error={edit.error} />
        <Group>
          <Button type="submit" loading={edit.isPending} disabled={signer === null || !hasChanged}>
            Save
          </Button>
          <Text size="sm" role="status">
            {edit.isSuccess && !hasChanged && 'Saved'}
          </Text>
        </Group>
      </Stack>
    </form>
  )
}

interface Submission {
  readonly signerUuid: string
  readonly sent: Partial<Values>
}

type Values = Record<'name' | 'description' | 'image_url' | 'url' | 'pinned_cast_hash', string>

/** Members that differ; an emptied one is removed. */
function changesOf(stored: Values, values: Values) {
  const changed = (name: keyof Values) => values[name] !== stored[name]
  return {
    ...(changed('name') && { name: values.name }),
    ...(changed('description') && { description: values.description }),
    ...(changed('url') && { url: values.url }),
    ...(changed('image_url') && { image_url: values.image_url || null }),
    ...(changed('pinned_cast_hash') && { pinned_cast_hash: values.pinned_cast_hash || null }),
  }
}
