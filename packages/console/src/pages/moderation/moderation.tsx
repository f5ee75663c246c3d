import { Group, Stack, Tabs, Text, Title } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { api, dataOf, type Schemas } from '../../api'
import { useCursorQuery } from '../../parts/cursor-query'
import { fidOf } from '../../parts/fid'
import { Empty, Page } from '../../parts/page'
import { SearchForm } from '../../parts/search-form'
import { Time } from '../../parts/time'
import { UserLine } from '../../parts/user-line'
import { VirtualList } from '../../parts/virtual-list'
import { NeedsApp } from '../../selected-app'
import { BanButton } from './ban-button'
import { FindUser } from './find-user'

/** Bans of the selected app, and mutes and blocks of users. */
export function Moderation() {
  const { tab = 'bans' } = useSearch({ from: '/signed-in/moderation' })
  const navigate = useNavigate()
  return (
    <Page title="Moderation">
      <NeedsApp>
        {(app) => (
          <Tabs
            value={tab}
            onChange={(name) =>
              navigate({ to: '/moderation', search: name === 'hidden' ? { tab: name } : {} })
            }
            keepMounted={false}
            activateTabWithKeyboard={false}
          >
            <Tabs.List aria-label="What is moderated">
              <Tabs.Tab value="bans">Bans</Tabs.Tab>
              <Tabs.Tab value="hidden">Mutes and blocks</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="bans" pt="md">
              <Bans app={app} />
            </Tabs.Panel>
            <Tabs.Panel value="hidden" pt="md">
              <MutesAndBlocks />
            </Tabs.Panel>
          </Tabs>
        )}
      </NeedsApp>
    </Page>
  )
}

function Bans({ app }: { app: Schemas['App'] }) {
  const query = useCursorQuery(
    ['bans', app.id, 'list'],
    (page) => dataOf(api.GET('/v2/social/ban/list/', { params: { query: { limit: 100, ...page } } })),
    ({ next }) => next.cursor,
  )
  return (
    <Stack>
      <FindUser label="User to ban: fid or user name">
        {(user) => <BanButton user={user} app={app} />}
      </FindUser>
      <Title order={2} size="h4">
        Users whom {app.name} bans
      </Title>
      <VirtualList
        label="Bans"
        query={query}
        itemsOf={({ bans }) => bans.flatMap(({ banned, banned_at }) => (banned ? { banned, banned_at } : []))}
        keyOf={({ banned }) => String(banned.fid)}
        empty={
          <Empty title="This app bans nobody">
            Find a user above: before a ban you see what it leaves out. Every ban is in the audit log.
          </Empty>
        }
      >
        {({ banned, banned_at }) => (
          <UserLine user={banned}>
            <Text size="sm" c="dimmed" visibleFrom="sm">
              <Time at={banned_at} />
            </Text>
            <BanButton user={banned} app={app} isKnown />
          </UserLine>
        )}
      </VirtualList>
    </Stack>
  )
}

function MutesAndBlocks() {
  const { fid } = useSearch({ from: '/signed-in/moderation' })
  const navigate = useNavigate()
  return (
    <Stack>
      <SearchForm
        label="Fid of a user"
        value={fid === undefined ? '' : String(fid)}
        action="Show"
        onSearch={(text) =>
          navigate({ to: '/moderation', search: { tab: 'hidden', fid: fidOf(text) ?? undefined } })
        }
      />
      {fid === undefined ? (
        <Empty title="Whose mutes and blocks?">
          Users mute and block, and apps do it for them. They hold in every app, for this user.
        </Empty>
      ) : (
        <Relations key={fid} fid={fid} />
      )}
    </Stack>
  )
}

function Relations({ fid }: { fid: number }) {
  const mutes = useCursorQuery(
    ['mutes', fid],
    (page) => dataOf(api.GET('/v2/social/mute/list/', { params: { query: { fid, limit: 100, ...page } } })),
    ({ next }) => next.cursor,
  )
  return (
    <Group align="start" grow preventGrowOverflow={false}>
      <Stack miw={260} gap="xs">
        <Title order={2} size="h4">
          Mutes
        </Title>
        <VirtualList
          label="Mutes"
          query={mutes}
          itemsOf={({ mutes: rows }) => rows.flatMap(({ muted }) => muted ?? [])}
          keyOf={(user) => String(user.fid)}
          empty={<Empty title="Mutes nobody">Only the user notices a mute.</Empty>}
        >
          {(user) => <UserLine user={user} />}
        </VirtualList>
      </Stack>
      <Blocks title="Blocks" side="blocked" query={{ blocker_fid: fid }} empty="Blocks nobody" />
      <Blocks
        title="Is blocked by"
        side="blocker"
        query={{ blocked_fid: fid }}
        empty="Nobody blocks this user"
      />
    </Group>
  )
}

function Blocks({
  title,
  side,
  query,
  empty,
}: {
  title: string
  side: 'blocker' | 'blocked'
  query: { blocker_fid?: number; blocked_fid?: number }
  empty: string
}) {
  const blocks = useCursorQuery(
    ['blocks', query],
    (page) =>
      dataOf(api.GET('/v2/social/block/list/', { params: { query: { limit: 100, ...query, ...page } } })),
    ({ next }) => next.cursor,
  )
  return (
    <Stack miw={260} gap="xs">
      <Title order={2} size="h4">
        {title}
      </Title>
      <VirtualList
        label={title}
        query={blocks}
        itemsOf={({ blocks: rows }) => rows.flatMap((row) => row[side] ?? [])}
        keyOf={(user) => String(user.fid)}
        empty={<Empty title={empty}>A block is a signed message, which everybody can read.</Empty>}
      >
        {(user) => <UserLine user={user} />}
      </VirtualList>
    </Stack>
  )
}
