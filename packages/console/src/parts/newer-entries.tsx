import { Button } from '@mantine/core'
import type { CursorQuery } from './cursor-query'

/** Tells that a list of several pages is not the newest any more, and begins it again. */
export function NewerEntries<Page>({
  query,
  onStartOver,
}: {
  query: CursorQuery<Page>
  onStartOver?: () => void
}) {
  // A page that did not come makes the others stale, too.
  if (!query.isStale || query.isError || query.isFetching || (query.data?.pages.length ?? 0) < 2) return null
  return (
    <Button
      size="xs"
      variant="default"
      style={{ alignSelf: 'start' }}
      onClick={() => {
        onStartOver?.()
        query.startOver()
      }}
    >
      There are changes: show the newest
    </Button>
  )
}
