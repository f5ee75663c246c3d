import { Alert, Badge, Group, Stack, Tabs, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, dataOf, type Schemas } from '../../api'
import { fidOf } from '../../parts/fid'
import { formatCount } from '../../parts/format'
import { AnchorLink } from '../../parts/link'
import { Empty, Loaded, Page } from '../../parts/page'
import { Time } from '../../parts/time'
import { nameOf, Picture } from '../../parts/user-line'
import { NeedsApp } from '../../selected-app'
import { BanButton, useBanEffect } from '../moderation/ban-button'
import { CastsTab, RepliesTab } from './casts-tab'
import { FollowersTab, FollowingTab } from './follows-tab'
import { InboxTab } from './inbox-tab'
import { KeysTab } from './keys-tab'
import { ScoreTab } from './score-tab'
import { StorageTab } from './storage-tab'

const tabs: readonly { name: string; label: string; content: (props: { fid: number }) => ReactNode }[] = [
  { name: 'casts', label: 'Casts', content: CastsTab },
  { name: 'replies', label: 'Replies and recasts', content: RepliesTab },
  { name: 'followers', label: 'Followers', content: FollowersTab },
  { name: 'following', label: 'Following', content: FollowingTab },
  { name: 'keys', label: 'Keys', content: KeysTab },
  { name: 'storage', label: 'Storage', content: StorageTab },
  { name: 'score', label: 'Score', content: ScoreTab },
  { name: 'inbox', label: 'Inbox', content: InboxTab },
]

/** A user with everything that the server knows of it. */
export function Profile() {
  const { fid: text } = useParams({ from: '/signed-in/users/$fid' })
  const fid = fidOf(text)
  if (fid === null)
    return (
      <Page title="User">
        <NoUser fid={text} />
      </Page>
    )
  return <NeedsApp title="User">{(app) => <ProfileOf key={fid} fid={fid} app={app} />}</NeedsApp>
}

function ProfileOf({ fid, app }: { fid: number; app: Schemas['App'] }) {
  const query = useQuery({
    queryKey: ['users', fid],
    queryFn: () => dataOf(api.GET('/v2/social/user/bulk/', { params: { query: { fids: [fid] } } })),
  })
  const user = query.data?.users[0]
  return (
    <Page
      title={user === undefined ? `fid ${fid}` : nameOf(user)}
      actions={user && <BanButton user={user} app={app} />}
    >
      <Loaded query={query}>
        {() =>
          user === undefined ? (
            <NoUser fid={String(fid)} />
          ) : (
            <>
              <BannedNote fid={fid} app={app} />
              <Head user={user} />
              <ProfileTabs fid={fid} />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

function NoUser({ fid }: { fid: string }) {
  return (
    <Empty title="There is no such user">
      No account with the fid {fid} is registered here.{' '}
      <AnchorLink to="/users" underline="always">
        Search
      </AnchorLink>
    </Empty>
  )
}

/** Lists leave out a banned user, also here: the console asks them as the app. */
function BannedNote({ fid, app }: { fid: number; app: Schemas['App'] }) {
  const { data } = useBanEffect(fid, app.id)
  if (!data?.effect.banned_at) return null
  return (
    <Alert color="yellow" title={`${app.name} bans this user`}>
      Lists leave out its casts and follows, also on this page. End the ban to see them, or select another
      app.
    </Alert>
  )
}

function Head({ user }: { user: Schemas['User'] }) {
  const { profile, verified_addresses: addresses } = user
  return (
    <Group align="start" wrap="nowrap">
      <Picture user={user} size={64} />
      <Stack gap={4} miw={0}>
        <Group gap="xs">
          <Text fw={600} className="wraps">
            {user.display_name ?? nameOf(user)}
          </Text>
          <Badge variant="default">fid {user.fid}</Badge>
          {user.score !== undefined && <Badge variant="default">score {user.score.toFixed(2)}</Badge>}
        </Group>
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {profile.bio.text}
        </Text>
        <Text size="sm" c="dimmed">
          {formatCount(user.follower_count)} followers · follows {formatCount(user.following_count)} ·
          registered <Time at={user.registered_at} />
        </Text>
        <Text size="sm" c="dimmed" className="mono" style={{ overflowWrap: 'anywhere' }}>
          {[user.custody_address, ...addresses.eth_addresses, ...addresses.sol_addresses].join(' ')}
        </Text>
      </Stack>
    </Group>
  )
}

function ProfileTabs({ fid }: { fid: number }) {
  const { tab = 'casts' } = useSearch({ from: '/signed-in/users/$fid' })
  const navigate = useNavigate()
  function select(name: string | null) {
    void navigate({
      to: '/users/$fid',
      params: { fid: String(fid) },
      search: name === null || name === 'casts' ? {} : { tab: name },
      replace: true,
    })
  }
  return (
    <Tabs
      value={tabs.some(({ name }) => name === tab) ? tab : 'casts'}
      onChange={select}
      keepMounted={false}
      activateTabWithKeyboard={false}
    >
      <Tabs.List aria-label="What is shown of the user">
        {tabs.map(({ name, label }) => (
          <Tabs.Tab key={name} value={name}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ name, content: Content }) => (
        <Tabs.Panel key={name} value={name} pt="md">
          <Content fid={fid} />
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
