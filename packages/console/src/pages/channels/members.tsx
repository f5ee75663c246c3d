import { Badge, Button, Group, NumberInput, Select, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, dataOf } from '../../api'
import { Confirmation } from '../../parts/confirmation'
import { refreshAfterAction, useCursorQuery } from '../../parts/cursor-query'
import { Empty } from '../../parts/page'
import { Problem } from '../../parts/problem'
import { nameOf, type ShownUser, UserLine } from '../../parts/user-line'
import { VirtualList } from '../../parts/virtual-list'
import type { ActingSigner } from './needs-signer'

interface ChannelProps {
  channelId: string
  /** Null: nothing can be changed. */
  signer: ActingSigner | null
}

type Role = 'member' | 'moderator' | 'owner'

/** Members of a channel, the newest first. */
export function Members({ channelId, signer }: ChannelProps) {
  const query = useCursorQuery(
    ['channels', channelId, 'members'],
    (page) =>
      dataOf(
        api.GET('/v2/social/channel/member/list/', {
          params: { query: { channel_id: channelId, limit: 100, ...page } },
        }),
      ),
    ({ next }) => next.cursor,
  )
  return (
    <VirtualList
      label="Members"
      query={query}
      itemsOf={({ members }) => members}
      keyOf={({ user, role }) => `${user.fid} ${role}`}
      rowHeight={54}
      empty={<Empty title="The channel has no members">Invite users under Invites.</Empty>}
    >
      {({ user, role }) => (
        <UserLine user={user}>
          <Badge variant="default">{role}</Badge>
          {signer !== null && role !== 'owner' && (
            <Remove list="members" user={user} role={role} channelId={channelId} signer={signer} />
          )}
        </UserLine>
      )}
    </VirtualList>
  )
}

/** Open invites of a channel, and a form for another. */
export function Invites({ channelId, signer }: ChannelProps) {
  const query = useCursorQuery(
    ['channels', channelId, 'invites'],
    (page) =>
      dataOf(
        api.GET('/v2/social/channel/member/invite/list/', {
          params: { query: { channel_id: channelId, limit: 100, ...page } },
        }),
      ),
    ({ next }) => next?.cursor,
  )
  return (
    <Stack>
      {signer !== null && <Invite channelId={channelId} signer={signer} />}
      <VirtualList
        label="Invites"
        query={query}
        itemsOf={({ invites }) => invites}
        keyOf={({ invited, role }) => `${invited.fid} ${role}`}
        rowHeight={54}
        empty={
          <Empty title="No invite is open">Users who follow the channel or the inviter can be invited.</Empty>
        }
      >
        {({ invited, inviter, role }) => (
          <UserLine user={invited}>
            <Text size="sm" c="dimmed" visibleFrom="sm">
              as {role} by {nameOf(inviter)}
            </Text>
            {signer !== null && (
              <Remove list="invites" user={invited} role={role} channelId={channelId} signer={signer} />
            )}
          </UserLine>
        )}
      </VirtualList>
    </Stack>
  )
}

function Invite({ channelId, signer }: { channelId: string; signer: ActingSigner }) {
  const [fid, setFid] = useState<number | string>('')
  const [role, setRole] = useState<Role>('member')
  const queries = useQueryClient()
  const invite = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/v2/social/channel/member/invite/', {
          body: { signer_uuid: signer.signer_uuid, channel_id: channelId, fid: Number(fid), role },
        }),
      ),
    onSuccess: () => refreshAfterAction(queries, ['channels', channelId], ['channels', channelId, 'invites']),
  })
  function submit(event: FormEvent) {
    event.preventDefault()
    invite.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        <Group align="end">
          <NumberInput
            label="Fid"
            value={fid}
            onChange={setFid}
            min={1}
            allowDecimal={false}
            allowNegative={false}
            required
            w={140}
          />
          <Select
            label="Role"
            data={['member', 'moderator']}
            value={role}
            onChange={(value) => setRole(value as Role)}
            allowDeselect={false}
            w={160}
          />
          <Button type="submit" loading={invite.isPending} disabled={fid === ''}>
            Invite
          </Button>
        </Group>
        <Problem error={invite.error} />
      </Stack>
    </form>
  )
}

function Remove({
  list,
  user,
  role,
  channelId,
  signer,
}: {
  list: 'members' | 'invites'
  user: ShownUser
  role: Role
  channelId: string
  signer: ActingSigner
}) {
  const [isOpen, { open, close }] = useDisclosure()
  const queries = useQueryClient()
  const removal = useMutation({
    mutationFn: () =>
      dataOf(
        api.DELETE('/v2/social/channel/member/', {
          body: { signer_uuid: signer.signer_uuid, channel_id: channelId, fid: user.fid, role },
        }),
      ),
    onSuccess: () => refreshAfterAction(queries, ['channels', channelId], ['channels', channelId, list]),
  })
  return (
    <>
      <Button size="xs" variant="default" onClick={open} aria-label={`Remove ${nameOf(user)} as ${role}`}>
        Remove
      </Button>
      <Confirmation
        opened={isOpen}
        onClose={close}
        title={`Remove ${nameOf(user)}?`}
        mutation={removal}
        action={`Remove the ${role}`}
        stay="Leave it"
      >
        <Text size="sm">
          The user is no {role} of {channelId} any more, or its invite is withdrawn. Only a new invite lets it
          in again. Its casts stay.
        </Text>
      </Confirmation>
    </>
  )
}
