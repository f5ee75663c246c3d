import { Box, Button, Group, Loader, Stack, Text } from '@mantine/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react'
import type { CursorQuery } from './cursor-query'
import { NewerEntries } from './newer-entries'
import { Loaded } from './page'
import { Problem } from './problem'

interface VirtualListProps<Page, Item> {
  /** Accessible name. */
  label: string
  query: CursorQuery<Page>
  itemsOf: (page: Page) => readonly Item[]
  keyOf: (item: Item) => string
  children: (item: Item) => ReactNode
  /** Content in place of an empty list. */
  empty: ReactNode
  /** Height of a row before it is measured, in pixels. */
  rowHeight?: number
}

/** A list of any length: only rows near what is seen are on the page, and further pages are loaded on the way. */
export function VirtualList<Page, Item>(props: VirtualListProps<Page, Item>) {
  const { query, itemsOf, empty } = props
  return (
    <Loaded query={query}>
      {({ pages }) => {
        const items = pages.flatMap(itemsOf)
        // A page may be empty although others follow: what is hidden is left out after it was read.
        if (items.length === 0 && !query.hasNextPage) return <>{empty}</>
        return <Rows {...props} items={items} />
      }}
    </Loaded>
  )
}

/** Rows beside those that are seen. */
const OVERSCAN = 6

function Rows<Page, Item>({
  label,
  query,
  items,
  keyOf,
  children,
  rowHeight = 64,
}: VirtualListProps<Page, Item> & { items: readonly Item[] }) {
  const scroller = useRef<HTMLDivElement>(null)
  const { hasNextPage, isFetching, isFetchingNextPage, isFetchNextPageError, fetchNextPage, error } = query
  const virtualizer = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => keyOf(items[index]!),
    overscan: OVERSCAN,
  })
  const rows = virtualizer.getVirtualItems()
  const isNearEnd = (rows.at(-1)?.index ?? -1) >= items.length - 1 - OVERSCAN
  useEffect(() => {
    if (isNearEnd && hasNextPage && !isFetching && !isFetchNextPageError) void fetchNextPage()
  }, [isNearEnd, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage])
  /** The browser's own way to the end is interrupted by rows that turn out higher or lower than they were thought. */
  function goToEnd(event: KeyboardEvent) {
    if (event.key !== 'End' && event.key !== 'Home') return
    // A dialog of a row is elsewhere in the document, but its events come here, too.
    if (!event.currentTarget.contains(event.target as Node)) return
    event.preventDefault()
    virtualizer.scrollToIndex(event.key === 'End' ? items.length - 1 : 0)
  }
  return (
    <Stack gap="xs">
      <NewerEntries query={query} onStartOver={() => virtualizer.scrollToOffset(0)} />
      <Box
        ref={scroller}
        onKeyDown={goToEnd}
        role="region"
        aria-label={label}
        tabIndex={0}
        mah="70vh"
        style={{ overflowY: 'auto', contain: 'content' }}
      >
        <Box role="list" pos="relative" h={virtualizer.getTotalSize()}>
          {rows.map((row) => (
            <Box
              key={row.key}
              ref={virtualizer.measureElement}
              data-index={row.index}
              role="listitem"
              aria-posinset={row.index + 1}
              aria-setsize={hasNextPage ? -1 : items.length}
              pos="absolute"
              top={0}
              left={0}
              w="100%"
              style={{ transform: `translateY(${row.start}px)` }}
            >
              {children(items[row.index]!)}
            </Box>
          ))}
        </Box>
      </Box>
      <Group gap="xs">
        <Text size="sm" c="dimmed" role="status">
          {items.length.toLocaleString('en')} {hasNextPage ? 'loaded, more follow' : 'in all'}
        </Text>
        {isFetchingNextPage && <Loader size="xs" aria-label="Loading more" />}
      </Group>
      {isFetchNextPageError && (
        <>
          <Problem error={error} isRead />
          <Button size="xs" variant="default" onClick={() => fetchNextPage()}>
            Try again
          </Button>
        </>
      )}
    </Stack>
  )
}
