import { api, dataOf, type Schemas } from '../../api'
import { CastCard } from '../../parts/cast-card'
import { type CursorQuery, useCursorQuery } from '../../parts/cursor-query'
import { Empty } from '../../parts/page'
import { VirtualList } from '../../parts/virtual-list'

/** Casts of a user that are no replies, newest first. */
export function CastsTab({ fid }: { fid: number }) {
  const query = useCursorQuery(
    ['users', fid, 'casts'],
    (page) =>
      dataOf(
        api.GET('/v2/social/feed/user/casts/', {
          params: { query: { fid, limit: 50, include_replies: false, ...page } },
        }),
      ),
    ({ next }) => next.cursor,
  )
  return <Casts label="Casts" query={query} empty="This user has written nothing but replies, or nothing." />
}

/** Replies and recasts of a user, newest first. */
export function RepliesTab({ fid }: { fid: number }) {
  const query = useCursorQuery(
    ['users', fid, 'replies'],
    (page) =>
      dataOf(
        api.GET('/v2/social/feed/user/replies_and_recasts/', {
          params: { query: { fid, limit: 50, ...page } },
        }),
      ),
    ({ next }) => next.cursor,
  )
  return (
    <Casts label="Replies and recasts" query={query} empty="This user has answered and recast nothing." />
  )
}

function Casts({
  label,
  query,
  empty,
}: {
  label: string
  query: CursorQuery<Schemas['FeedResponse']>
  empty: string
}) {
  return (
    <VirtualList
      label={label}
      query={query}
      itemsOf={({ casts }) => casts}
      keyOf={({ hash }) => hash}
      rowHeight={150}
      empty={<Empty title="There are no casts">{empty}</Empty>}
    >
      {(cast) => <CastCard cast={cast} />}
    </VirtualList>
  )
}
