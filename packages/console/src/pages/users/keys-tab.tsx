import { Badge, Group, Paper, Stack, Text } from '@mantine/core'
import { api, dataOf, type Schemas } from '../../api'
import { useCursorQuery } from '../../parts/cursor-query'
import { Empty } from '../../parts/page'
import { Time } from '../../parts/time'
import { nameOf, UserLink } from '../../parts/user-line'
import { VirtualList } from '../../parts/virtual-list'

/** Keys of a user, also removed ones. */
export function KeysTab({ fid }: { fid: number }) {
  const query = useCursorQuery(
    ['users', fid, 'keys'],
    (page) =>
      dataOf(
        api.GET('/admin/users/{fid}/keys', { params: { path: { fid }, query: { limit: 100, ...page } } }),
      ),
    ({ next }) => next.cursor,
  )
  return (
    <VirtualList
      label="Keys"
      query={query}
      itemsOf={({ keys }) => keys}
      keyOf={({ key, use }) => `${key} ${use}`}
      rowHeight={110}
      empty={
        <Empty title="This user has no key">
          Without one, no app can write for it. An app asks for one with POST /v2/farcaster/signer.
        </Empty>
      }
    >
      {(key) => <Key userKey={key} />}
    </VirtualList>
  )
}

function Key({ userKey }: { userKey: Schemas['UserKey'] }) {
  const { key, use, source, active, changed_at, requested_by, app } = userKey
  return (
    <Paper withBorder p="sm" mb="xs">
      <Stack gap={4}>
        <Text className="mono" style={{ overflowWrap: 'anywhere' }}>
          {key}
        </Text>
        <Group gap="xs">
          <Badge variant="dot" color={active ? 'green' : 'gray'}>
            {active ? 'Active' : source === 'chain' ? 'Removed' : 'Expired'}
          </Badge>
          <Badge variant="default">{use}</Badge>
          {app && <Badge variant="default">of app {app.name}</Badge>}
        </Group>
        <Text size="sm" c="dimmed">
          {source === 'chain' ? (
            <>
              {active ? 'Added' : 'Removed'} <Time at={changed_at} />
            </>
          ) : (
            'Added by a message'
          )}
          {' · '}
          {requested_by ? (
            <>
              asked for by{' '}
              {requested_by.username === null ? (
                nameOf({ fid: requested_by.fid })
              ) : (
                <UserLink user={{ fid: requested_by.fid, username: requested_by.username }} />
              )}
            </>
          ) : (
            'the registry does not say which app asked for it'
          )}
        </Text>
      </Stack>
    </Paper>
  )
}
