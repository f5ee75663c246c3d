import { api, dataOf, type Schemas } from '../../api'
import { type CursorQuery, useCursorQuery } from '../../parts/cursor-query'
import { Empty } from '../../parts/page'
import { UserLine } from '../../parts/user-line'
import { VirtualList } from '../../parts/virtual-list'

/** Followers of a user, the newest first. */
export function FollowersTab({ fid }: { fid: number }) {
  const query = useCursorQuery(
    ['users', fid, 'followers'],
    (page) => dataOf(api.GET('/v2/social/followers/', { params: { query: { fid, limit: 100, ...page } } })),
    ({ next }) => next.cursor,
  )
  return <Follows label="Followers" query={query} empty="Nobody follows this user." />
}

/** Users that a user follows, the newest first. */
export function FollowingTab({ fid }: { fid: number }) {
  const query = useCursorQuery(
    ['users', fid, 'following'],
    (page) => dataOf(api.GET('/v2/social/following/', { params: { query: { fid, limit: 100, ...page } } })),
    ({ next }) => next.cursor,
  )
  return <Follows label="Following" query={query} empty="This user follows nobody." />
}

function Follows({
  label,
  query,
  empty,
}: {
  label: string
  query: CursorQuery<Schemas['FollowersResponse']>
  empty: string
}) {
  return (
    <VirtualList
      label={label}
      query={query}
      itemsOf={({ users }) => users}
      keyOf={({ user }) => String(user.fid)}
      rowHeight={54}
      empty={<Empty title="The list is empty">{empty}</Empty>}
    >
      {({ user }) => <UserLine user={user} />}
    </VirtualList>
  )
}
