import { Button, List, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, dataOf, type Schemas } from '../../api'
import { Confirmation } from '../../parts/confirmation'
import { refreshAfterAction } from '../../parts/cursor-query'
import { formatCount } from '../../parts/format'
import { Loaded } from '../../parts/page'
import { nameOf, type ShownUser } from '../../parts/user-line'

/** Reads the effect of a ban of a user, and whether the app bans the user. */
export function useBanEffect(fid: number, appId: string, enabled = true) {
  return useQuery({
    enabled,
    queryKey: ['bans', appId, fid],
    queryFn: () => dataOf(api.GET('/admin/apps/{id}/bans/{fid}', { params: { path: { id: appId, fid } } })),
  })
}

/** Bans a user for the app, or ends the ban; first it tells what that affects. */
export function BanButton({
  user,
  app,
  isKnown = false,
}: {
  user: ShownUser
  app: Schemas['App']
  /** Whether the user is in the list of bans, which need not be asked for then. */
  isKnown?: boolean
}) {
  const [isOpen, { open, close }] = useDisclosure()
  const effect = useBanEffect(user.fid, app.id, !isKnown)
  const { data, error, refetch } = effect
  const isBanned = isKnown || (data !== undefined && data.effect.banned_at !== null)
  const change = useBan(user.fid, isBanned, app.id)
  function ask() {
    void refetch()
    open()
  }
  if (data === undefined && !isKnown) {
    if (error === null) return null
    return (
      <Button variant="default" title={error.message} onClick={() => refetch()}>
        {`Try again whether ${nameOf(user)} is banned`}
      </Button>
    )
  }
  const title = isBanned ? `End the ban of ${nameOf(user)}` : `Ban ${nameOf(user)}`
  return (
    <>
      <Button variant="default" onClick={ask}>
        {title}
      </Button>
      <Confirmation
        opened={isOpen}
        onClose={close}
        title={`${title} for ${app.name}?`}
        mutation={change}
        action={isBanned ? 'End the ban' : 'Ban the user'}
        stay="Leave it"
        isRed={!isBanned}
        disabled={data === undefined}
      >
        <Loaded query={effect}>{(loaded) => <Effect effect={loaded.effect} isBanned={isBanned} />}</Loaded>
      </Confirmation>
    </>
  )
}

/** Bans a user, or ends the ban. Every list of the app may have the user then, or has it again. */
function useBan(fid: number, isBanned: boolean, appId: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => {
      const body = { fids: [fid] }
      return dataOf(
        isBanned ? api.DELETE('/v2/social/ban/', { body }) : api.POST('/v2/social/ban/', { body }),
      )
    },
    // The dialog does not wait for the lists: it would ask for the opposite meanwhile.
    onSuccess: () => refreshAfterAction(queries, [], ['bans', appId, 'list']),
  })
}

function Effect({ effect, isBanned }: { effect: Schemas['BanEffect']; isBanned: boolean }) {
  const number = (count: number) =>
    count === effect.counted_to ? `${formatCount(count)} or more` : formatCount(count)
  return (
    <>
      <Text size="sm">
        {isBanned
          ? 'Feeds, lists and searches of this app show it again, at once:'
          : 'Feeds, lists and searches of this app leave it out, at once:'}
      </Text>
      <List size="sm" aria-label="What it affects">
        <List.Item>
          {number(effect.casts)} casts, of which {number(effect.replies)} are replies in conversations
        </List.Item>
        <List.Item>
          {number(effect.recasts)} recasts and {number(effect.likes)} likes
        </List.Item>
        <List.Item>following feeds of {formatCount(effect.followers)} followers</List.Item>
        <List.Item>lists of followers of the {formatCount(effect.following)} users that it follows</List.Item>
      </List>
      <Text size="sm" c="dimmed">
        Other apps do not notice. What is looked up by its identifier stays visible, counters do not change,
        and it stays a member of {number(effect.memberships)} channels and the lead of{' '}
        {number(effect.led_channels)}. The app bans {formatCount(effect.bans)} of at most{' '}
        {formatCount(effect.max_bans)} users. It can be undone.
      </Text>
    </>
  )
}
