import {
  type FetchNextPageOptions,
  hashKey,
  type InfiniteData,
  type Query,
  type QueryClient,
  type QueryKey,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'

/** A list in pages. */
export type CursorQuery<Page> = UseInfiniteQueryResult<InfiniteData<Page>> & {
  /** Fetches the first page again, and forgets the others. */
  readonly startOver: () => void
  /** Lets live changes wait while `isHeld` says so, as they do with several pages. Ends with what is returned. */
  readonly holdWhile: (isHeld: () => boolean) => () => void
  /** Fetches a single page again for changes that have waited, unless they still have to. */
  readonly catchUp: () => void
}

/**
 * A list in pages: `cursorOf` names the cursor of the page after this one, null or nothing behind the last. Only the first
 * page is ever fetched again by itself: fetching all that were read would be a request for each, at every change. A list of
 * several pages is stale instead (`isStale`), which `NewerEntries` tells.
 */
export function useCursorQuery<Page>(
  queryKey: QueryKey,
  load: (cursor: { cursor?: string }) => Promise<Page>,
  cursorOf: (page: Page) => string | null | undefined,
  refetchMs?: number,
): CursorQuery<Page> {
  const queries = useQueryClient()
  const key = JSON.stringify(queryKey)
  // A list that is opened again begins with the first page.
  useEffect(
    () => () => {
      keepFirstPage(queries, JSON.parse(key) as QueryKey)
      void queries.invalidateQueries({ queryKey: JSON.parse(key), exact: true, refetchType: 'none' })
    },
    [queries, key],
  )
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => load(pageParam === null ? {} : { cursor: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => cursorOf(page) ?? null,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    refetchInterval: ({ state }) =>
      refetchMs === undefined || (state.data?.pages.length ?? 0) > 1 ? false : refetchMs,
  })
  const { fetchNextPage: fetchNext } = query
  const fetchNextPage = useCallback(
    async (options?: FetchNextPageOptions) => {
      const keyNow = JSON.parse(key) as QueryKey
      const before = queries.getQueryState(keyNow)
      // A page that did not come makes the others stale, too.
      const isOutdated = before?.isInvalidated === true && before.error === null
      const result = await fetchNext(options)
      // The page counts as a newer state of the whole list, whose first page is as old as before.
      if (isOutdated && result.isSuccess) {
        void queries.invalidateQueries({ queryKey: keyNow, exact: true, refetchType: 'none' })
      }
      return result
    },
    [queries, key, fetchNext],
  )
  function startOver(): void {
    keepFirstPage(queries, queryKey)
    void queries.invalidateQueries({ queryKey, exact: true })
  }
  const holdWhile = useCallback(
    (isHeld: () => boolean) => {
      const hash = hashKey(JSON.parse(key) as QueryKey)
      holds.set(hash, isHeld)
      return () => {
        if (holds.get(hash) === isHeld) holds.delete(hash)
      }
    },
    [key],
  )
  const catchUp = useCallback(() => {
    const found = queries.getQueryCache().find({ queryKey: JSON.parse(key) as QueryKey, exact: true })
    const isWaiting = found?.state.isInvalidated && found.state.fetchStatus === 'idle'
    if (isWaiting && found.state.error === null) refreshOne(queries, found, isHeld(found))
  }, [queries, key])
  return { ...query, fetchNextPage, startOver, holdWhile, catchUp }
}

/** By hash of its key: whether a list must stay as it is for now. */
const holds = new Map<string, () => boolean>()

function isHeld({ queryHash }: Query): boolean {
  return holds.get(queryHash)?.() === true
}

/** Ends a fetch that is under way, too: its reply would bring the other pages back, and count as new. */
function keepFirstPage(queries: QueryClient, queryKey: QueryKey): void {
  // First: it puts back, at once, what was there when the fetch began.
  void queries.cancelQueries({ queryKey, exact: true })
  const updatedAt = queries.getQueryState(queryKey)?.dataUpdatedAt
  queries.setQueryData<InfiniteData<unknown>>(
    queryKey,
    (data) => data && { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) },
    { ...(updatedAt !== undefined && { updatedAt }) },
  )
}

/** Queries that are fetched again when what they fetch now has come. */
const waiting = new WeakSet<Query>()

/**
 * Marks what was fetched for a key as old, and fetches what is shown again, but for lists of several pages. A fetch that is under
 * way ends first: changes that come faster than replies would end each before its reply.
 */
export function refresh(queries: QueryClient, queryKey: QueryKey): void {
  refreshAll(queries, queryKey, () => false)
}

/** Does what `refresh` does for a change that somebody else has made: a list that is held only becomes stale. */
export function refreshUnlessHeld(queries: QueryClient, queryKey: QueryKey): void {
  refreshAll(queries, queryKey, isHeld)
}

function refreshAll(queries: QueryClient, queryKey: QueryKey, waits: (query: Query) => boolean): void {
  for (const query of queries.getQueryCache().findAll({ queryKey })) {
    if (query.state.fetchStatus === 'idle') refreshOne(queries, query, waits(query))
    else if (!waiting.has(query)) void refreshAfterFetch(queries, query, waits)
  }
}

/**
 * Does what `refresh` does after an action on an entry of a list. The list begins again, however long it is: its old pages would
 * show as if nothing had happened.
 */
export function refreshAfterAction(queries: QueryClient, queryKey: QueryKey, listKey: QueryKey): void {
  keepFirstPage(queries, listKey)
  refresh(queries, queryKey)
}

async function refreshAfterFetch(
  queries: QueryClient,
  query: Query,
  waits: (query: Query) => boolean,
): Promise<void> {
  waiting.add(query)
  await query.promise?.catch(() => {})
  waiting.delete(query)
  refreshOne(queries, query, waits(query))
}

function refreshOne(queries: QueryClient, { queryKey, state }: Query, waits: boolean): void {
  const data = state.data as Partial<InfiniteData<unknown>> | undefined
  const isLong = Array.isArray(data?.pages) && data.pages.length > 1
  void queries.invalidateQueries({ queryKey, exact: true, ...((isLong || waits) && { refetchType: 'none' }) })
}
