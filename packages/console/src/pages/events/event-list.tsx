import { Box, Text, UnstyledButton } from '@mantine/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useEffect } from 'react'
import type { LoggedEvent } from './use-event-log'

const ROW_HEIGHT = 36
/** Rows before the end at which the next page is fetched. */
const FETCH_AHEAD = 200
const columns = '9rem 11rem 9rem 5rem minmax(10rem, 1fr)'
/** The same width everywhere: with am and pm it would not fit. */
const clockFormat = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const
const clock = new Intl.DateTimeFormat(undefined, clockFormat)
const dayAndClock = new Intl.DateTimeFormat(undefined, { month: 'short', day: '2-digit', ...clockFormat })

interface EventListProps {
  readonly scroller: RefObject<HTMLDivElement | null>
  readonly events: readonly LoggedEvent[]
  /** Whether older events are fetched where the list ends. */
  readonly fetchesMore: boolean
  readonly onEnd: () => void
  /** Whether the dialog of an event is open, which returns the focus to the row of the event. */
  readonly isDialogOpen: boolean
  readonly onOpen: (id: string) => void
  /** Called when the list leaves its top, and when it is at the top again. */
  readonly onScrolled: (isScrolled: boolean) => void
  /** Called when a row gets the focus, and when none has it. */
  readonly onFocused: (isFocused: boolean) => void
}

function rowsWithFocus(list: Element): boolean {
  return document.activeElement !== list && list.contains(document.activeElement)
}

/** The rows that can be seen, of any number. */
export function EventList(props: EventListProps) {
  const { scroller, events, fetchesMore, onEnd, isDialogOpen, onOpen, onScrolled, onFocused } = props
  const rows = useVirtualizer({
    count: events.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (index) => events[index]!.id,
    overscan: 12,
  })
  const visible = rows.getVirtualItems()
  const last = visible.at(-1)?.index ?? 0
  const isAtEnd = last >= events.length - FETCH_AHEAD
  useEffect(() => {
    if (isAtEnd && fetchesMore) onEnd()
  })
  // Another list begins at its top.
  useEffect(
    () => () => {
      onScrolled(false)
      onFocused(false)
    },
    [onScrolled, onFocused],
  )
  return (
    <Box
      ref={scroller}
      onScroll={({ currentTarget }) => {
        const isAtTop = currentTarget.scrollTop === 0
        onScrolled(!isAtTop)
        // Nothing tells that a row with the focus has left the page, as one far away does.
        if (isAtTop) onFocused(rowsWithFocus(currentTarget))
      }}
      role="region"
      aria-label="Events"
      tabIndex={0}
      h="70dvh"
      style={{ overflow: 'auto', border: '1px solid var(--mantine-color-default-border)' }}
    >
      <Box role="table" aria-label="Events" aria-rowcount={events.length + 1} style={{ minWidth: '47.5rem' }}>
        <Box role="rowgroup" className="events-head">
          <Box role="row" aria-rowindex={1} style={{ display: 'grid', gridTemplateColumns: columns }}>
            {['Time', 'Event', 'Message', 'User', 'About'].map((title) => (
              <Text key={title} role="columnheader" size="sm" fw={700} p={8}>
                {title}
              </Text>
            ))}
          </Box>
        </Box>
        <Box
          role="rowgroup"
          onFocus={() => onFocused(true)}
          // A window that is left keeps its focus.
          onBlur={({ target }) => !isDialogOpen && target !== document.activeElement && onFocused(false)}
          style={{ height: rows.getTotalSize(), position: 'relative' }}
        >
          {visible.map(({ index, key, start }) => (
            <Box
              key={key}
              role="row"
              aria-rowindex={index + 2}
              className="events-row"
              style={{
                gridTemplateColumns: columns,
                height: ROW_HEIGHT,
                transform: `translateY(${start}px)`,
              }}
            >
              <Row event={events[index]!} onOpen={onOpen} />
            </Box>
          ))}
        </Box>
      </Box>
    </Box>
  )
}

/** The time of an event, with its day unless that is today. */
function EventTime({ at }: { at: string }) {
  const time = new Date(at)
  const isToday = time.toDateString() === new Date().toDateString()
  return (
    <time dateTime={at} title={at}>
      {isToday ? clock.format(time) : dayAndClock.format(time)}
    </time>
  )
}

function Row({ event, onOpen }: { event: LoggedEvent; onOpen: (id: string) => void }) {
  return (
    <>
      <Box component="span" role="cell">
        {event.at === null ? '–' : <EventTime at={event.at} />}
      </Box>
      <Box component="span" role="cell">
        <UnstyledButton
          className="events-open"
          aria-label={`Open ${event.type} ${event.id}`}
          onClick={() => onOpen(event.id)}
        >
          {readable(event.type)}
        </UnstyledButton>
      </Box>
      <Box component="span" role="cell">
        {event.message_type === null ? '' : readable(event.message_type)}
      </Box>
      <Box component="span" role="cell">
        {event.fid ?? ''}
      </Box>
      <Box component="span" role="cell">
        {event.summary}
      </Box>
    </>
  )
}

/** `MERGE_MESSAGE` as `merge message`. */
function readable(name: string): string {
  return name.toLowerCase().replaceAll('_', ' ')
}
