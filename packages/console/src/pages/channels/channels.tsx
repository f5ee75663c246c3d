import { Avatar, Box, Group, Text } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { api, dataOf, type Schemas } from '../../api'
import { useCursorQuery } from '../../parts/cursor-query'
import { formatCount } from '../../parts/format'
import { AnchorLink } from '../../parts/link'
import { Empty, Page } from '../../parts/page'
import { SearchForm } from '../../parts/search-form'
import { secureUrl, UserLink } from '../../parts/user-line'
import { VirtualList } from '../../parts/virtual-list'
import { NeedsApp } from '../../selected-app'

/** The channels of the network. */
export function Channels() {
  const { q = '' } = useSearch({ from: '/signed-in/channels' })
  const navigate = useNavigate()
  return (
    <Page title="Channels">
      <SearchForm
        label="Id or name"
        value={q}
        onSearch={(text) => navigate({ to: '/channels', search: text ? { q: text } : {} })}
      />
      <NeedsApp>{() => <ChannelList q={q} />}</NeedsApp>
    </Page>
  )
}

function ChannelList({ q }: { q: string }) {
  const query = useCursorQuery(
    ['channels', 'list', q],
    (page) => {
      const paging = { limit: 50, ...page }
      return q === ''
        ? dataOf(api.GET('/v2/social/channel/list/', { params: { query: paging } }))
        : dataOf(api.GET('/v2/social/channel/search/', { params: { query: { q, ...paging } } }))
    },
    ({ next }) => next?.cursor,
  )
  return (
    <VirtualList
      label="Channels"
      query={query}
      itemsOf={({ channels }) => channels}
      keyOf={({ id }) => id}
      rowHeight={60}
      empty={
        q === '' ? (
          <Empty title="There are no channels yet">
            plaza channel create gardens --name Gardens --lead 3 creates one; plaza channel import takes many.
          </Empty>
        ) : (
          <Empty title="No channel was found">The text is looked for in ids and names.</Empty>
        )
      }
    >
      {(channel) => <ChannelLine channel={channel} />}
    </VirtualList>
  )
}

function ChannelLine({ channel }: { channel: Schemas['Channel'] }) {
  const { id, name, image_url, follower_count = 0, member_count = 0, lead } = channel
  return (
    <Group wrap="nowrap" gap="sm" py={6}>
      <Avatar
        src={secureUrl(image_url)}
        alt=""
        radius="sm"
        aria-hidden
        imageProps={{ loading: 'lazy', referrerPolicy: 'no-referrer' }}
      >
        {id.slice(0, 1).toUpperCase()}
      </Avatar>
      <Box miw={0}>
        <Text size="sm" truncate>
          <AnchorLink to="/channels/$id" params={{ id }} size="sm">
            {name ?? id}
          </AnchorLink>{' '}
          {id}
        </Text>
        <Text size="xs" c="dimmed" truncate>
          {formatCount(follower_count)} followers · {formatCount(member_count)} members
          {lead && (
            <>
              {' · led by '}
              <UserLink user={lead} />
            </>
          )}
        </Text>
      </Box>
    </Group>
  )
}
