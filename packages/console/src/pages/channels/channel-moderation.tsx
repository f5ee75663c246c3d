import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, dataOf } from '../../api'
import { Confirmation } from '../../parts/confirmation'
import { Empty } from '../../parts/page'
import type { ActingSigner } from './needs-signer'

const actions = {
  ban: {
    label: 'Ban a user from the channel',
    effect:
      'The user loses its membership and cannot become a member, and feeds and searches of the channel leave out its casts.',
  },
  unban: { label: 'End a ban from the channel', effect: 'The user may become a member again.' },
  hide: {
    label: 'Hide a cast',
    effect: 'Feeds and searches of the channel leave the cast out, in every app. Elsewhere it is shown.',
  },
  unhide: { label: 'Show a hidden cast', effect: 'Feeds of the channel show the cast again.' },
} as const

type Action = keyof typeof actions

/** Moderates a channel of the protocol with signed messages, which hold in every app. */
export function ChannelModeration({
  channelId,
  signer,
  castHash,
}: {
  channelId: string
  signer: ActingSigner | null
  /** The cast that the operator came to hide. */
  castHash?: string
}) {
  const [action, setAction] = useState<Action>(castHash === undefined ? 'ban' : 'hide')
  const [target, setTarget] = useState(castHash ?? '')
  const [isOpen, { open, close }] = useDisclosure()
  const queries = useQueryClient()
  const change = useMutation({
    mutationFn: () => moderate({ signerUuid: signer?.signer_uuid ?? '', channelId, action, target }),
    onSuccess: () => queries.invalidateQueries(),
  })
  if (signer === null)
    return (
      <Empty title="Nothing can be moderated here">
        Bans of the whole app are under Moderation, and need no signer.
      </Empty>
    )
  const isCast = action === 'hide' || action === 'unhide'
  function submit(event: FormEvent) {
    event.preventDefault()
    change.reset()
    open()
  }
  return (
    <form onSubmit={submit}>
      <Stack maw={560}>
        <Text size="sm">
          Only channels of the protocol have moderation. What is done here is a signed message of the chosen
          user, and holds in every app.
        </Text>
        <Select
          label="What to do"
          data={Object.entries(actions).map(([value, { label }]) => ({ value, label }))}
          value={action}
          onChange={(value) => setAction(value as Action)}
          allowDeselect={false}
        />
        <TextInput
          label={isCast ? 'Hash of the cast' : 'Fid of the user'}
          value={target}
          onChange={(event) => setTarget(event.currentTarget.value.trim())}
          pattern={isCast ? '(0x)?[0-9a-fA-F]{40}' : '[1-9][0-9]*'}
          required
        />
        <Group>
          <Button type="submit" color={action === 'ban' || action === 'hide' ? 'red.9' : undefined}>
            {actions[action].label}
          </Button>
          <Text size="sm" role="status">
            {change.isSuccess && 'Done'}
          </Text>
        </Group>
      </Stack>
      <Confirmation
        opened={isOpen}
        onClose={close}
        title={`${actions[action].label}?`}
        mutation={change}
        action="Publish it"
        stay="Leave it"
        isRed={false}
      >
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {isCast ? 'Cast' : 'User'} {target} in {channelId}: {actions[action].effect}
        </Text>
      </Confirmation>
    </form>
  )
}

interface Change {
  readonly signerUuid: string
  readonly channelId: string
  readonly action: Action
  readonly target: string
}

function moderate({ signerUuid, channelId, action, target }: Change): Promise<unknown> {
  const body = { signer_uuid: signerUuid, channel_id: channelId }
  const user = { body: { ...body, fid: Number(target) } }
  const cast = { body: { ...body, cast_hash: target } }
  switch (action) {
    case 'ban':
      return dataOf(api.POST('/v2/social/channel/ban/', user))
    case 'unban':
      return dataOf(api.DELETE('/v2/social/channel/ban/', user))
    case 'hide':
      return dataOf(api.POST('/v2/social/channel/hide/', cast))
    case 'unhide':
      return dataOf(api.DELETE('/v2/social/channel/hide/', cast))
  }
}
