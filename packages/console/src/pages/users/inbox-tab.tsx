import { Badge, Group, Paper, Text } from '@mantine/core'
import { api, dataOf, type Schemas } from '../../api'
import { useCursorQuery } from '../../parts/cursor-query'
import { AnchorLink } from '../../parts/link'
import { Empty } from '../../parts/page'
import { Time } from '../../parts/time'
import { UserLink } from '../../parts/user-line'
import { VirtualList } from '../../parts/virtual-list'

/** Notifications of a user, as its apps see them. */
export function InboxTab({ fid }: { fid: number }) {
  const query = useCursorQuery(
    ['users', fid, 'inbox'],
    (page) =>
      dataOf(api.GET('/v2/social/notifications/', { params: { query: { fid, limit: 25, ...page } } })),
    ({ next }) => next.cursor,
  )
  return (
    <>
      {query.data && (
        <Text size="sm" mb="xs">
          {query.data.pages[0]?.unseen_notifications_count ?? 0} unseen
        </Text>
      )}
      <VirtualList
        label="Inbox"
        query={query}
        itemsOf={({ notifications }) => notifications}
        keyOf={keyOf}
        rowHeight={100}
        empty={
          <Empty title="The inbox is empty">
            Follows, mentions, replies, quotes, likes and recasts by others come here.
          </Empty>
        }
      >
        {(notification) => <Notification notification={notification} />}
      </VirtualList>
    </>
  )
}

function keyOf({ type, most_recent_timestamp, cast, reactions }: Schemas['Notification']): string {
  return [type, most_recent_timestamp, cast?.hash ?? reactions?.[0]?.cast.hash ?? ''].join(' ')
}

function Notification({ notification }: { notification: Schemas['Notification'] }) {
  const { type, most_recent_timestamp, seen, cast, follows = [], reactions = [], count = 1 } = notification
  const users =
    cast && reactions.length === 0 ? [cast.author] : [...follows, ...reactions].map(({ user }) => user)
  return (
    <Paper withBorder p="sm" mb="xs">
      <Group gap="xs">
        <Badge variant="default">{type}</Badge>
        {!seen && <Badge variant="dot">Unseen</Badge>}
        {users.slice(0, 3).map((user) => (
          <UserLink key={user.fid} user={user} />
        ))}
        {count > 3 && <Text size="sm">and {count - 3} more</Text>}
        <Text size="xs" c="dimmed">
          <Time at={most_recent_timestamp} />
        </Text>
      </Group>
      {cast && (
        <Text size="sm" lineClamp={2} style={{ overflowWrap: 'anywhere' }}>
          <AnchorLink to="/casts/$hash" params={{ hash: cast.hash }} size="sm">
            {cast.text || 'A cast without text'}
          </AnchorLink>
        </Text>
      )}
    </Paper>
  )
}
