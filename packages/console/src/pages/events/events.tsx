import { Button, Group, NumberInput, Select, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo, useRef, useState } from 'react'
import { enteredNumber, formatCount } from '../../parts/format'
import { Empty, Loaded, Page } from '../../parts/page'
import { Problem } from '../../parts/problem'
import { EventDetails } from './event-details'
import { EventList } from './event-list'
import { useEventLog } from './use-event-log'
import { useLookBack } from './use-look-back'

const eventTypes = [
  'MERGE_MESSAGE',
  'PRUNE_MESSAGE',
  'REVOKE_MESSAGE',
  'MERGE_USERNAME_PROOF',
  'MERGE_ON_CHAIN_EVENT',
  'MERGE_FAILURE',
  'CHANNEL_OWNER_CHANGE_HINT',
  'BLOCK_CONFIRMED',
]
const ALL = 'all'
const BUT_BLOCKS = eventTypes.filter((type) => type !== 'BLOCK_CONFIRMED').join(',')
const typeOptions = [
  { value: BUT_BLOCKS, label: 'All but blocks' },
  { value: ALL, label: 'All' },
  ...eventTypes.map((type) => ({ value: type, label: type.toLowerCase().replaceAll('_', ' ') })),
]
const DEBOUNCE_MS = 300
const route = getRouteApi('/signed-in/events')

/** The log of the hub as it grows, and backwards as far as it is kept. */
export function Events() {
  const { types: type = BUT_BLOCKS, fid, shard, event: opened = null } = route.useSearch()
  const navigate = route.useNavigate()
  const [isPaused, setIsPaused] = useState(false)
  const show = (event: string | undefined) => void navigate({ search: (before) => ({ ...before, event }) })
  const entered = useMemo(() => ({ types: type === ALL ? undefined : type, fid, shard }), [type, fid, shard])
  const [filter] = useDebouncedValue(entered, DEBOUNCE_MS)
  // New events above would move what is read, and much of it would have the log listed again.
  const [isScrolled, setScrolled] = useState(false)
  // They would also take the row with the focus off the page.
  const [isFocused, setFocused] = useState(false)
  const isHeld = isPaused || isScrolled || isFocused || opened !== null
  const scroller = useRef<HTMLDivElement>(null)
  const { pages, events, waiting } = useEventLog(filter, isHeld)
  const { isAutomatic, isOnRequest, fetchMore } = useLookBack(pages, filter, isPaused)
  function pauseOrContinue() {
    setIsPaused(!isHeld)
    setFocused(false)
    if (isHeld) scroller.current?.scrollTo(0, 0)
  }
  return (
    <Page
      title="Events"
      actions={
        <Button
          variant="default"
          aria-pressed={isHeld}
          // A row would lose the focus, so that the list goes on, and the click would pause it.
          onMouseDown={(event) => event.preventDefault()}
          onClick={pauseOrContinue}
        >
          {isHeld ? `Continue${waiting > 0 ? ` with ${formatCount(waiting)} new` : ''}` : 'Pause'}
        </Button>
      }
    >
      <Filters />
      <Loaded query={pages}>
        {() =>
          events.length === 0 && !pages.hasNextPage ? (
            <Empty title="There are no such events">
              New ones appear here by themselves. The log is kept for EVENT_RETENTION_DAYS.
            </Empty>
          ) : (
            <EventList
              scroller={scroller}
              events={events}
              fetchesMore={isAutomatic}
              onEnd={() => void pages.fetchNextPage()}
              isDialogOpen={opened !== null}
              onOpen={show}
              onScrolled={setScrolled}
              onFocused={setFocused}
            />
          )
        }
      </Loaded>
      {pages.data !== undefined && <Problem error={pages.error} isRead />}
      {isOnRequest && (
        <Button
          variant="default"
          style={{ alignSelf: 'start' }}
          loading={pages.isFetchingNextPage}
          onClick={fetchMore}
        >
          Look further back
        </Button>
      )}
      <Text size="sm" c="dimmed" role="status">
        {pages.isFetchingNextPage
          ? 'Older events are fetched'
          : `${formatCount(events.length)} events loaded`}
        {pages.data !== undefined && !pages.hasNextPage && ', from the oldest that is kept'}
      </Text>
      <EventDetails id={opened} onClose={() => show(undefined)} />
    </Page>
  )
}

/** The address has the filter: a link to it, and a page that is loaded again, show the same. */
function Filters() {
  const { types = BUT_BLOCKS, fid, shard } = route.useSearch()
  const navigate = route.useNavigate()
  const change = (changed: { types?: string; fid?: number | undefined; shard?: number | undefined }) =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true })
  return (
    <Group align="end">
      <Select
        label="Type"
        data={typeOptions}
        value={types}
        allowDeselect={false}
        onChange={(value) => change({ types: value ?? BUT_BLOCKS })}
      />
      <FilterNumber label="User (fid)" value={fid} onChange={(value) => change({ fid: value })} />
      <FilterNumber label="Shard" value={shard} onChange={(value) => change({ shard: value })} />
    </Group>
  )
}

function FilterNumber({
  label,
  value,
  onChange,
}: {
  label: string
  value: number | undefined
  onChange: (value: number | undefined) => void
}) {
  return (
    <NumberInput
      label={label}
      value={value ?? ''}
      min={1}
      max={Number.MAX_SAFE_INTEGER}
      allowDecimal={false}
      hideControls
      w={130}
      allowNegative={false}
      onChange={(entered) => onChange(enteredNumber(entered) || undefined)}
    />
  )
}
