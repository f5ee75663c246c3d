import { Anchor, Group, Stack, Tabs, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { api, dataOf, type Schemas } from '../../api'
import { useCursorQuery } from '../../parts/cursor-query'
import { formatCount } from '../../parts/format'
import { Empty, Loaded, Page } from '../../parts/page'
import { Time } from '../../parts/time'
import { UserLine, UserLink } from '../../parts/user-line'
import { VirtualList } from '../../parts/virtual-list'
import { NeedsApp } from '../../selected-app'
import { Activity } from './activity'
import { ChannelModeration } from './channel-moderation'
import { EditChannel } from './edit-channel'
import { Invites, Members } from './members'
import { NeedsSigner } from './needs-signer'

/** A channel: its activity, its people, and what can be changed. */
export function ChannelPage() {
  const { id } = useParams({ from: '/signed-in/channels/$id' })
  return <NeedsApp title="Channel">{(app) => <ChannelOf key={id} id={id} app={app} />}</NeedsApp>
}

function ChannelOf({ id, app }: { id: string; app: Schemas['App'] }) {
  const query = useQuery({
    queryKey: ['channels', id],
    queryFn: () => dataOf(api.GET('/v2/social/channel/', { params: { query: { id } } })),
  })
  return (
    <Page title={query.data?.channel.name ?? id}>
      <Loaded query={query}>
        {({ channel }) => (
          <>
            <Head channel={channel} />
            <ChannelTabs channel={channel} app={app} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Head({ channel }: { channel: Schemas['Channel'] }) {
  const { id, description, lead, parent_url, created_at, follower_count = 0, member_count = 0 } = channel
  return (
    <Stack gap={4}>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {description}
      </Text>
      <Group gap="xs">
        <Text size="sm">
          {id} · {formatCount(follower_count)} followers · {formatCount(member_count)} members
        </Text>
        {lead && (
          <Text size="sm">
            led by <UserLink user={lead} />
          </Text>
        )}
      </Group>
      <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        created <Time at={created_at} />
        {parent_url && (
          <>
            {' · '}
            {/^https?:/.test(parent_url) ? (
              <Anchor href={parent_url} target="_blank" rel="noreferrer noopener" size="sm">
                {parent_url}
              </Anchor>
            ) : (
              parent_url
            )}
          </>
        )}
      </Text>
    </Stack>
  )
}

const tabNames = ['activity', 'members', 'invites', 'followers', 'edit', 'moderation'] as const

function ChannelTabs({ channel, app }: { channel: Schemas['Channel']; app: Schemas['App'] }) {
  const { tab = 'activity', q: castHash } = useSearch({ from: '/signed-in/channels/$id' })
  const navigate = useNavigate()
  const { id, lead, moderator_fids = [] } = channel
  const governors = [...new Set([...(lead ? [lead.fid] : []), ...moderator_fids])]
  return (
    <Tabs
      value={tabNames.find((name) => name === tab) ?? 'activity'}
      onChange={(name) =>
        navigate({
          to: '/channels/$id',
          params: { id },
          search: name === null || name === 'activity' ? {} : { tab: name },
          replace: true,
        })
      }
      keepMounted={false}
      activateTabWithKeyboard={false}
    >
      <Tabs.List aria-label="What is shown of the channel">
        {tabNames.map((name) => (
          <Tabs.Tab key={name} value={name}>
            {name[0]!.toUpperCase() + name.slice(1)}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="activity" pt="md">
        <DailyActivity id={id} />
      </Tabs.Panel>
      <Tabs.Panel value="members" pt="md">
        <NeedsSigner app={app} fids={governors}>
          {(signer) => <Members channelId={id} signer={signer} />}
        </NeedsSigner>
      </Tabs.Panel>
      <Tabs.Panel value="invites" pt="md">
        <NeedsSigner app={app} fids={governors}>
          {(signer) => <Invites channelId={id} signer={signer} />}
        </NeedsSigner>
      </Tabs.Panel>
      <Tabs.Panel value="followers" pt="md">
        <Followers id={id} />
      </Tabs.Panel>
      <Tabs.Panel value="edit" pt="md">
        <NeedsSigner app={app} fids={governors}>
          {(signer) => <EditChannel key={id} channel={channel} signer={signer} />}
        </NeedsSigner>
      </Tabs.Panel>
      <Tabs.Panel value="moderation" pt="md">
        <NeedsSigner app={app} fids={governors}>
          {(signer) => <ChannelModeration channelId={id} signer={signer} castHash={castHash} />}
        </NeedsSigner>
      </Tabs.Panel>
    </Tabs>
  )
}

function DailyActivity({ id }: { id: string }) {
  const query = useQuery({
    queryKey: ['channels', id, 'activity'],
    queryFn: () =>
      dataOf(api.GET('/admin/channels/{id}/activity', { params: { path: { id }, query: { days: 28 } } })),
  })
  return (
    <Loaded query={query}>
      {({ days }) => (
        <Stack gap="xs">
          <Title order={2} size="h4">
            Casts and replies by day
          </Title>
          <Text size="sm">
            {formatCount(days.reduce((sum, { casts }) => sum + casts, 0))} in the last four weeks
          </Text>
          <Activity days={days} />
        </Stack>
      )}
    </Loaded>
  )
}

function Followers({ id }: { id: string }) {
  const query = useCursorQuery(
    ['channels', id, 'followers'],
    (page) =>
      dataOf(api.GET('/v2/social/channel/followers/', { params: { query: { id, limit: 100, ...page } } })),
    ({ next }) => next.cursor,
  )
  return (
    <VirtualList
      label="Followers"
      query={query}
      itemsOf={({ users }) => users}
      keyOf={({ fid }) => String(fid)}
      rowHeight={54}
      empty={
        <Empty title="Nobody follows this channel">Or its followers were imported as a number only.</Empty>
      }
    >
      {(user) => <UserLine user={user} />}
    </VirtualList>
  )
}
