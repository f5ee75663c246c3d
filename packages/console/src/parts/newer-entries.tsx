import { Button } from '@mantine/core'
import type { CursorQuery } from './cursor-query'

/** Tells that a list which is not fetched again by itself is not the newest any more, and begins it again. */
export function NewerEntries<Page>({
  query,
  onStartOver,
}: {
  query: CursorQuery<Page>
  onStartOver?: () => void
}) {
  // A page that did not come makes the others stale, too.
  if (!query.isStale || query.isError || query.fetchStatus !== 'idle' || query.data === undefined) return null
  return (
    <Button
      size="xs"
      variant="default"
      style={{ alignSelf: 'start' }}
      // A row would lose the focus, so that the list is fetched, and the button gone before the click.
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => {
        onStartOver?.()
        query.startOver()
      }}
    >
      There are changes: show the newest
    </Button>
  )
}
