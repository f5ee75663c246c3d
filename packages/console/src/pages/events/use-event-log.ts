import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { api, dataOf, type Schemas } from '../../api'
import { useLiveEvents } from '../../live'
import type { EventFilter } from '../../live-connection'

export type LoggedEvent = Schemas['LoggedEvent']

const PAGE_EVENTS = 1_000
/** More new events than this are not kept beside those of the pages: the log is listed again. */
const MAX_NEW = 10_000

/** The pages of the log that were read. */
export type EventPages = ReturnType<typeof useEventLog>['pages']

/** The log, newest first: what came since the page was opened, and before that the pages that were read backwards. */
export function useEventLog(filter: EventFilter, isHeld: boolean) {
  const queries = useQueryClient()
  const { types, fid, shard } = filter
  const queryKey = ['events', types, fid, shard]
  const pages = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) =>
      dataOf(
        api.GET('/admin/events', {
          params: {
            query: {
              limit: PAGE_EVENTS,
              ...(types !== undefined && { types }),
              ...(fid !== undefined && { fid }),
              ...(shard !== undefined && { shard }),
              ...(pageParam !== null && { cursor: pageParam }),
            },
          },
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next.cursor,
    // A page that was read stays as it is: the stream has what came since.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  const position = pages.data?.pages[0]?.position
  const listAgain = () => void queries.resetQueries({ queryKey })
  const { fresh, waiting } = useNewEvents({ filter, position, isHeld, listAgain })
  const older = pages.data?.pages.flatMap(({ events }) => events) ?? []
  return { pages, events: fresh.length === 0 ? older : [...fresh, ...older], waiting }
}

interface NewEvents {
  readonly filter: EventFilter
  readonly position: string | undefined
  readonly isHeld: boolean
  readonly listAgain: () => void
}

/** Events behind a position, newest first. While they are held they wait. */
function useNewEvents({ filter, position, isHeld, listAgain }: NewEvents) {
  const [shown, setShown] = useState<{ position?: string; events: readonly LoggedEvent[] }>({ events: [] })
  const [waiting, setWaiting] = useState(0)
  const buffer = useRef<LoggedEvent[]>([])
  const held = useRef(isHeld)
  const hasLost = useRef(false)
  const frame = useRef(0)

  const list = useRef(listAgain)
  useEffect(() => {
    list.current = listAgain
  })

  const flush = useCallback(() => {
    frame.current = 0
    if (held.current) return setWaiting(buffer.current.length)
    if (hasLost.current) return list.current()
    const added = buffer.current.splice(0).reverse()
    setWaiting(0)
    if (added.length === 0) return
    setShown((before) => ({
      position,
      events: before.position === position ? [...added, ...before.events] : added,
    }))
  }, [position])

  // Many events come in the time of one picture.
  const flushSoon = useCallback(() => {
    frame.current ||= requestAnimationFrame(flush)
  }, [flush])

  // biome-ignore lint/correctness/useExhaustiveDependencies: what waits belongs to the position before
  useEffect(() => {
    buffer.current = []
    hasLost.current = false
    return () => {
      cancelAnimationFrame(frame.current)
      frame.current = 0
    }
  }, [position])

  useEffect(() => {
    held.current = isHeld
    flushSoon()
  }, [isHeld, flushSoon])

  const fresh = shown.position === position ? shown.events : []
  const isTooMuch = fresh.length > MAX_NEW
  useEffect(() => {
    if (isTooMuch) listAgain()
  })

  useLiveEvents<LoggedEvent>({
    after: position,
    filter,
    onEvent: (event) => {
      // After a long pause the log is listed again.
      if (buffer.current.length < MAX_NEW) buffer.current.push(event)
      else hasLost.current = true
      flushSoon()
    },
    onGap: () => {
      hasLost.current = true
      flushSoon()
    },
  })
  return { fresh, waiting }
}
