import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api, dataOf, type Schemas } from '../../api'
import { fidOf } from '../../parts/fid'
import { Empty, Loaded } from '../../parts/page'
import { SearchForm } from '../../parts/search-form'
import { UserLine } from '../../parts/user-line'

const MOST_FOUND = 5

/** Finds users to do something with. */
export function FindUser({
  label,
  children,
}: {
  label: string
  children: (user: Schemas['User']) => ReactNode
}) {
  const [q, setQ] = useState('')
  const query = useQuery({
    queryKey: ['users', 'find', q],
    queryFn: () => findUsers(q),
    enabled: q !== '',
  })
  return (
    <Stack gap="xs">
      <SearchForm label={label} value="" action="Find" onSearch={setQ} />
      {q !== '' && (
        <Loaded query={query}>
          {(users) =>
            users.length === 0 ? (
              <Empty title="No user was found">Names are compared from their beginning.</Empty>
            ) : (
              users.map((user) => (
                <UserLine key={user.fid} user={user}>
                  {children(user)}
                </UserLine>
              ))
            )
          }
        </Loaded>
      )}
    </Stack>
  )
}

async function findUsers(q: string): Promise<Schemas['User'][]> {
  const fid = fidOf(q)
  if (fid !== null) {
    const byFid = { params: { query: { fids: [fid] } } }
    return (await dataOf(api.GET('/v2/social/user/bulk/', byFid))).users
  }
  const byName = { params: { query: { q: q.replace(/^@/, ''), limit: MOST_FOUND } } }
  return (await dataOf(api.GET('/v2/social/user/search/', byName))).result.users
}
