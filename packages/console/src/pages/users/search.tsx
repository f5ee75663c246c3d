import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ApiError, api, dataOf, type Schemas } from '../../api'
import { CastCard } from '../../parts/cast-card'
import { useCursorQuery } from '../../parts/cursor-query'
import { Empty, Loaded, Page } from '../../parts/page'
import { SearchForm } from '../../parts/search-form'
import { Section } from '../../parts/section'
import { UserLine } from '../../parts/user-line'
import { VirtualList } from '../../parts/virtual-list'
import { NeedsApp } from '../../selected-app'
import { exactQuery } from './exact-query'

/** Finds users and casts by anything that names them. */
export function UserSearch() {
  const { q = '' } = useSearch({ from: '/signed-in/users' })
  const navigate = useNavigate()
  return (
    <Page title="Users and casts">
      <SearchForm
        label="User name, fid, address, cast hash or text"
        value={q}
        onSearch={(text) => navigate({ to: '/users', search: text ? { q: text } : {} })}
      />
      <NeedsApp>{() => (q === '' ? <Hint /> : <Results key={q} q={q} />)}</NeedsApp>
    </Page>
  )
}

function Hint() {
  return (
    <Empty title="Search for a user or a cast">
      A name or a text finds many; an fid, an address (0x… or of Solana) or the hash of a cast finds one.
    </Empty>
  )
}

function Results({ q }: { q: string }) {
  const exact = exactQuery(q)
  if (exact?.kind === 'hash or address') return <Exact users={exact.address} casts={exact.hash} />
  if (exact?.kind === 'address') return <Exact users={exact.address} />
  return (
    <>
      {exact?.kind === 'fid' && <UserByFid fid={exact.fid} />}
      <FoundUsers q={q.replace(/^@/, '')} />
      {exact === null && <FoundCasts q={q} />}
    </>
  )
}

function UserByFid({ fid }: { fid: number }) {
  const query = useQuery({
    queryKey: ['users', fid],
    queryFn: () => dataOf(api.GET('/v2/social/user/bulk/', { params: { query: { fids: [fid] } } })),
  })
  return (
    <Section title={`The user with fid ${fid}`}>
      <Loaded query={query}>{({ users }) => <Users users={users} />}</Loaded>
    </Section>
  )
}

/** Twenty bytes are an address or a hash. */
function Exact({ users: address, casts: hash }: { users: string; casts?: string }) {
  const users = useQuery({ queryKey: ['users', 'address', address], queryFn: () => usersByAddress(address) })
  const casts = useQuery({
    queryKey: ['casts', hash],
    queryFn: () => dataOf(api.GET('/v2/social/casts/', { params: { query: { casts: [hash!] } } })),
    enabled: hash !== undefined,
  })
  return (
    <>
      {hash !== undefined && (
        <Section title="The cast with this hash">
          <Loaded query={casts}>
            {({ result }) =>
              result.casts.length === 0 ? (
                <Empty title="No such cast">No cast with this hash is stored.</Empty>
              ) : (
                <CastCard cast={result.casts[0]!} />
              )
            }
          </Loaded>
        </Section>
      )}
      <Section title="Users with this address">
        <Loaded query={users}>{(found) => <Users users={found} />}</Loaded>
      </Section>
    </>
  )
}

/** Users who have verified an address or hold their account with it. No user is a 404 of the operation. */
async function usersByAddress(address: string): Promise<Schemas['User'][]> {
  const query = { addresses: [address] }
  try {
    const found = await dataOf(api.GET('/v2/social/user/bulk-by-address/', { params: { query } }))
    return Object.values(found).flat()
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return []
    throw error
  }
}

function Users({ users }: { users: readonly Schemas['User'][] }) {
  if (users.length === 0) return <Empty title="No such user">Nobody has it.</Empty>
  return users.map((user) => <UserLine key={user.fid} user={user} />)
}

function FoundUsers({ q }: { q: string }) {
  const query = useCursorQuery(
    ['users', 'search', q],
    (page) =>
      dataOf(api.GET('/v2/social/user/search/', { params: { query: { q, limit: 10, ...page } } })).then(
        ({ result }) => result,
      ),
    ({ next }) => next?.cursor,
  )
  return (
    <Section title="Users">
      <VirtualList
        label="Users"
        query={query}
        itemsOf={({ users }) => users}
        keyOf={({ fid }) => String(fid)}
        empty={<Empty title="No user was found">Names are compared from their beginning.</Empty>}
      >
        {(user) => <UserLine user={user} />}
      </VirtualList>
    </Section>
  )
}

function FoundCasts({ q }: { q: string }) {
  const query = useCursorQuery(
    ['casts', 'search', q],
    (page) =>
      dataOf(api.GET('/v2/social/cast/search/', { params: { query: { q, limit: 25, ...page } } })).then(
        ({ result }) => result,
      ),
    ({ next }) => next.cursor,
  )
  return (
    <Section title="Casts">
      <VirtualList
        label="Casts"
        query={query}
        itemsOf={({ casts }) => casts}
        keyOf={({ hash }) => hash}
        rowHeight={150}
        empty={<Empty title="No cast was found">The search looks for whole words.</Empty>}
      >
        {(cast) => <CastCard cast={cast} />}
      </VirtualList>
    </Section>
  )
}
