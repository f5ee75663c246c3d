import { Box, Button, Group, Loader, Stack, Text } from '@mantine/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import {
  type FocusEvent,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  type UIEvent,
  useEffect,
  useRef,
  useState,
} from 'react'
import type { CursorQuery } from './cursor-query'
import { formatCount } from './format'
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
  /** Whether live changes wait, as they do while the list is scrolled or a row has the focus: something of a row is open. */
  isHeld?: boolean
}

/** A list of any length: only rows near what is seen are on the page, and further pages are loaded on the way. */
export function VirtualList<Page, Item>(props: VirtualListProps<Page, Item>) {
  const { query, itemsOf, empty } = props
  return (
    <Loaded query={query}>
      {({ pages }) => {
        const items = pages.flatMap(itemsOf)
        // A page may be empty although others follow: what is hidden is left out after it was read.
        if (items.length === 0 && !query.hasNextPage) {
          return (
            <>
              <NewerEntries query={query} />
              {empty}
            </>
          )
        }
        return <Rows {...props} items={items} />
      }}
    </Loaded>
  )
}

/** Rows beside those that are seen. */
const OVERSCAN = 6
/** Pages without rows in a row that are fetched by themselves: a rare state is never enough for the list, and there may be millions. */
const MAX_EMPTY_PAGES = 3

/** Whether the next page is fetched on request only, and what does that. */
function useLookFurther<Page, Item>({ query, itemsOf }: VirtualListProps<Page, Item>) {
  const pages = query.data?.pages ?? []
  // The first page is another one in a list that has begun again.
  const [asked, setAsked] = useState<{ first: Page | undefined; pages: number }>({
    first: pages[0],
    pages: 0,
  })
  const lastFull = pages.findLastIndex((page) => itemsOf(page).length > 0)
  const counted = Math.max(lastFull + 1, asked.first === pages[0] ? asked.pages : 0)
  return {
    isOnRequest: query.hasNextPage && pages.length - counted >= MAX_EMPTY_PAGES,
    lookFurther: async () => {
      await query.fetchNextPage()
      // Not before: the list would ask for the same page by itself.
      setAsked({ first: pages[0], pages: pages.length })
    },
  }
}

function isInRow(element: EventTarget | null, scroller: Element): boolean {
  return element instanceof Element && element !== scroller && scroller.contains(element)
}

/**
 * Lets live changes wait while rows would move away from what is read or has the focus. Returns the handlers of the list that tell
 * when that may be over; a dialog that is closed returns the focus to a row first.
 */
function useHold<Page>(
  { holdWhile, catchUp }: CursorQuery<Page>,
  scroller: RefObject<HTMLDivElement | null>,
  isOpen: boolean,
) {
  useEffect(
    () =>
      holdWhile(() => {
        const list = scroller.current
        return isOpen || (list !== null && (list.scrollTop > 0 || isInRow(document.activeElement, list)))
      }),
    [holdWhile, scroller, isOpen],
  )
  return {
    onScroll: ({ currentTarget }: UIEvent) => {
      if (currentTarget.scrollTop === 0) catchUp()
    },
    onBlur: ({ target, relatedTarget, currentTarget }: FocusEvent) => {
      // A window that is left keeps its focus.
      if (target !== document.activeElement && !isInRow(relatedTarget, currentTarget)) catchUp()
    },
  }
}

function Rows<Page, Item>(props: VirtualListProps<Page, Item> & { items: readonly Item[] }) {
  const { label, query, items, keyOf, children, rowHeight = 64, isHeld = false } = props
  const scroller = useRef<HTMLDivElement>(null)
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = query
  const virtualizer = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => keyOf(items[index]!),
    overscan: OVERSCAN,
  })
  const rows = virtualizer.getVirtualItems()
  const isNearEnd = (rows.at(-1)?.index ?? -1) >= items.length - 1 - OVERSCAN
  const { isOnRequest, lookFurther } = useLookFurther(props)
  const fetchesMore = isNearEnd && hasNextPage && !isOnRequest && !isFetching && !isFetchNextPageError
  useEffect(() => {
    if (fetchesMore) void fetchNextPage()
  }, [fetchesMore, fetchNextPage])
  const holdHandlers = useHold(query, scroller, isHeld)
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
        {...holdHandlers}
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
      <End query={query} count={items.length} onLookFurther={isOnRequest ? lookFurther : null} />
    </Stack>
  )
}

/** How much of a list is there, and what fetches more if it does not come by itself. */
function End<Page>({
  query,
  count,
  onLookFurther,
}: {
  query: CursorQuery<Page>
  count: number
  onLookFurther: (() => Promise<void>) | null
}) {
  const { hasNextPage, isFetching, isFetchingNextPage, isFetchNextPageError, fetchNextPage, error } = query
  return (
    <>
      {onLookFurther !== null && !isFetchNextPageError && (
        <Button
          variant="default"
          style={{ alignSelf: 'start' }}
          loading={isFetchingNextPage}
          // It would end a fetch of the first page, which then stays old.
          disabled={isFetching}
          onClick={() => void onLookFurther()}
        >
          Look further back
        </Button>
      )}
      <Group gap="xs">
        <Text size="sm" c="dimmed" role="status">
          {formatCount(count)} {hasNextPage ? 'loaded, more follow' : 'in all'}
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
    </>
  )
}
