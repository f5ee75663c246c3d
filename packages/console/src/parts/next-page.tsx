import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import type { CursorQuery } from './cursor-query'
import { Problem } from './problem'

/** The button for the next page of a list, and why that page did not come. Nothing behind the last page. */
export function NextPage<Page>({ query, children }: { query: CursorQuery<Page>; children: ReactNode }) {
  const { hasNextPage, isFetching, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query
  if (!hasNextPage) return null
  return (
    <>
      {isFetchNextPageError && <Problem error={query.error} isRead />}
      <Button
        variant="default"
        style={{ alignSelf: 'start' }}
        loading={isFetchingNextPage}
        // It would end a fetch of the first page, which then stays old.
        disabled={isFetching}
        onClick={() => fetchNextPage()}
      >
        {children}
      </Button>
    </>
  )
}
