import { Button, Stack, Tabs, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { api, dataOf, type Schemas } from '../../api'
import { CastCard } from '../../parts/cast-card'
import { CopyButton } from '../../parts/copy-button'
import { useCursorQuery } from '../../parts/cursor-query'
import { Json } from '../../parts/json'
import { Empty, Loaded, Page } from '../../parts/page'
import { UserLine } from '../../parts/user-line'
import { VirtualList } from '../../parts/virtual-list'
import { NeedsApp } from '../../selected-app'
import { BanButton } from '../moderation/ban-button'

/** A cast in its thread. */
export function CastPage() {
  const { hash } = useParams({ from: '/signed-in/casts/$hash' })
  return <NeedsApp title="Cast">{(app) => <Thread key={hash} hash={hash} app={app} />}</NeedsApp>
}

function Thread({ hash, app }: { hash: string; app: Schemas['App'] }) {
  const query = useCursorQuery(
    ['casts', hash, 'thread'],
    (page) =>
      dataOf(
        api.GET('/v2/social/cast/conversation/', {
          params: {
            query: {
              identifier: hash,
              type: 'hash',
              reply_depth: 5,
              include_chronological_parent_casts: true,
              limit: 50,
              ...page,
            },
          },
        }),
      ),
    ({ next }) => next?.cursor,
  )
  const shown = query.data?.pages[0]?.conversation.cast
  return (
    <Page
      title="Cast"
      actions={
        shown && (
          <>
            {shown.channel && (
              <Button
                variant="default"
                renderRoot={(props) => (
                  <Link
                    to="/channels/$id"
                    params={{ id: shown.channel!.id! }}
                    search={{ tab: 'moderation', q: hash }}
                    {...props}
                  />
                )}
              >
                Hide in {shown.channel.id}
              </Button>
            )}
            <BanButton user={shown.author} app={app} />
          </>
        )
      }
    >
      <Loaded query={query}>
        {({ pages }) => {
          const { cast, chronological_parent_casts: ancestors = [] } = pages[0]!.conversation
          return (
            <>
              {ancestors.length > 0 && (
                <Stack component="section" gap={0} aria-label="Casts that it answers">
                  {ancestors.map((ancestor) => (
                    <CastCard key={ancestor.hash} cast={ancestor} />
                  ))}
                </Stack>
              )}
              <CastCard cast={cast} isShown />
            </>
          )
        }}
      </Loaded>
      {query.data && (
        <Tabs defaultValue="replies" keepMounted={false} activateTabWithKeyboard={false}>
          <Tabs.List aria-label="What is shown of the cast">
            <Tabs.Tab value="replies">Replies</Tabs.Tab>
            <Tabs.Tab value="reactions">Reactions</Tabs.Tab>
            <Tabs.Tab value="message">Raw message</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="replies" pt="md">
            <VirtualList
              label="Replies"
              query={query}
              itemsOf={({ conversation }) => repliesOf(conversation.cast, 0)}
              keyOf={({ cast }) => cast.hash}
              rowHeight={150}
              empty={
                <Empty title="Nobody has answered">Replies are listed here, each below its parent.</Empty>
              }
            >
              {({ cast, depth }) => <CastCard cast={cast} depth={depth} />}
            </VirtualList>
          </Tabs.Panel>
          <Tabs.Panel value="reactions" pt="md">
            <Reactions hash={hash} />
          </Tabs.Panel>
          <Tabs.Panel value="message" pt="md">
            <RawMessage hash={hash} />
          </Tabs.Panel>
        </Tabs>
      )}
    </Page>
  )
}

interface Reply {
  readonly cast: Schemas['Cast']
  readonly depth: number
}

/** Replies of a cast, each followed by its own. */
function repliesOf({ direct_replies: replies }: Schemas['CastAndConversations'], depth: number): Reply[] {
  return replies.flatMap((cast) => [
    { cast, depth },
    ...repliesOf(cast as Schemas['CastAndConversations'], depth + 1),
  ])
}

function Reactions({ hash }: { hash: string }) {
  const query = useCursorQuery(
    ['casts', hash, 'reactions'],
    (page) =>
      dataOf(
        api.GET('/v2/social/reactions/cast/', {
          params: { query: { hash, types: ['all'], limit: 100, ...page } },
        }),
      ),
    ({ next }) => next.cursor,
  )
  return (
    <VirtualList
      label="Reactions"
      query={query}
      itemsOf={({ reactions }) => reactions}
      keyOf={({ user, reaction_type }) => `${user.fid} ${reaction_type}`}
      rowHeight={54}
      empty={<Empty title="Nobody has reacted">Likes and recasts are listed here, the newest first.</Empty>}
    >
      {({ user, reaction_type }) => (
        <UserLine user={user}>
          <Text size="sm">{reaction_type === 'like' ? 'likes it' : 'recast it'}</Text>
        </UserLine>
      )}
    </VirtualList>
  )
}

function RawMessage({ hash }: { hash: string }) {
  const query = useQuery({
    queryKey: ['casts', hash, 'message'],
    queryFn: () => dataOf(api.GET('/admin/casts/{hash}/message', { params: { path: { hash } } })),
  })
  return (
    <Loaded query={query}>
      {({ message, bytes }) => (
        <Stack align="start">
          <Title order={2} size="h4">
            Signed message
          </Title>
          <Json label="Message in JSON" value={message} />
          <CopyButton text={bytes}>{`Copy its ${bytes.length / 2} bytes as hex`}</CopyButton>
        </Stack>
      )}
    </Loaded>
  )
}
