import { Badge } from '@mantine/core'
import { type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { requestSession } from './api'
import { type EventFilter, LiveConnection, type LiveTopic } from './live-connection'
import { refreshUnlessHeld } from './parts/cursor-query'

/** One stream for the whole console: its topics are those of the mounted pages. */
const connection = new LiveConnection()

/** Shortest time between two fetches of the same, which may change many times a second. */
const REFRESH_MS = 1_000
/** By key: when it was fetched, or is going to be. */
const refreshes = new Map<string, number>()

/** Fetches again at once, and after that at most once a second; the last change counts. */
function refreshSoon(queries: QueryClient, key: string): void {
  const now = Date.now()
  const at = Math.max(now, (refreshes.get(key) ?? 0) + REFRESH_MS)
  // It is going to be fetched.
  if ((refreshes.get(key) ?? 0) > now) return
  refreshes.set(key, at)
  if (at === now) refreshUnlessHeld(queries, JSON.parse(key) as QueryKey)
  else setTimeout(() => refreshUnlessHeld(queries, JSON.parse(key) as QueryKey), at - now)
}

/** Fetches the queries whose key begins with `queryKey` again, when what a topic tells of has changed. */
export function useLive(topic: LiveTopic, queryKey: QueryKey): void {
  const queries = useQueryClient()
  const key = JSON.stringify(queryKey)
  useEffect(
    () =>
      connection.listen({
        topic,
        receive: () => refreshSoon(queries, key),
      }),
    [queries, topic, key],
  )
}

/** The newest value of the overview; undefined until the first. */
export function useLiveOverview<Value>(): Value | undefined {
  const [value, setValue] = useState<Value>()
  useEffect(
    () =>
      connection.listen({ topic: 'overview', receive: ({ data }) => setValue(JSON.parse(data) as Value) }),
    [],
  )
  return value
}

/** Reader of the log as it grows. */
export interface EventReader<Event> {
  /** Where the reading begins; undefined: nothing is read yet. */
  readonly after: string | undefined
  readonly filter: EventFilter
  readonly onEvent: (event: Event) => void
  /** Too much was written while the stream was broken: events between the last one and the next were left out. */
  readonly onGap: () => void
}

/** Gets every event of the log behind a position once, also across breaks of the stream. */
export function useLiveEvents<Event>({ after, filter, onEvent, onGap }: EventReader<Event>): void {
  const { types, fid, shard } = filter
  const handlers = useRef({ onEvent, onGap })
  useEffect(() => {
    handlers.current = { onEvent, onGap }
  })
  useEffect(() => {
    if (after === undefined) return
    return connection.listen({
      topic: 'events',
      events: { after, types, fid, shard },
      receive: ({ type, data }) => {
        if (type === 'events') handlers.current.onEvent(JSON.parse(data) as Event)
        else handlers.current.onGap()
      },
    })
  }, [after, types, fid, shard])
}

/** Queries have values: that nobody is signed in is an error. */
async function checkSession(): Promise<true> {
  await requestSession('GET')
  return true
}

/** Tells that the stream is broken, while it is; a session that has ended leads to the sign-in page. */
export function LiveStatus() {
  const queries = useQueryClient()
  const state = useSyncExternalStore(connection.onState, connection.state)
  useEffect(
    () =>
      // At each, as the session may end while the server cannot be reached. One that has ended leads to the sign-in page, as
      // for every query.
      connection.onFailure(() => {
        void queries
          .fetchQuery({ queryKey: ['session'], queryFn: checkSession, retry: false, staleTime: 0 })
          .catch(() => {})
      }),
    [queries],
  )
  return (
    <span role="status">
      {state === 'lost' && (
        <Badge
          variant="dot"
          color="red"
          title="What is shown may be old: the console tries to connect again."
        >
          Disconnected
        </Badge>
      )}
    </span>
  )
}
