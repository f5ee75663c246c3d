import { Select, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Fragment, type ReactNode, useSyncExternalStore } from 'react'
import { api, dataOf, type Schemas } from './api'
import { AnchorLink } from './parts/link'
import { Empty, Loaded, Page } from './parts/page'

const STORAGE_KEY = 'plaza-app'

/**
 * The id of the app in whose name this tab uses the main API; null when none was selected yet. Another tab has its own: what
 * was confirmed for one app must not be done as another. A new tab begins with the app that was selected last.
 */
let selectedId = window.sessionStorage.getItem(STORAGE_KEY) ?? window.localStorage.getItem(STORAGE_KEY)
const watchers = new Set<() => void>()

function selectApp(id: string): void {
  selectedId = id
  window.sessionStorage.setItem(STORAGE_KEY, id)
  window.localStorage.setItem(STORAGE_KEY, id)
  for (const watch of watchers) watch()
}

function watchSelection(watch: () => void): () => void {
  watchers.add(watch)
  return () => watchers.delete(watch)
}

// The main API is used as this app, without a key: webhooks, bans and campaigns belong to apps.
api.use({
  onRequest({ request, schemaPath }) {
    if (schemaPath.startsWith('/v') && selectedId !== null) request.headers.set('x-plaza-app', selectedId)
    return request
  },
})

/** All apps of the server. There may be many: they are not fetched again at every change of the page. */
export function useApps({ isFetchedAnew = false }: { isFetchedAnew?: boolean } = {}) {
  return useQuery({
    queryKey: ['apps'],
    queryFn: loadApps,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: isFetchedAnew ? 'always' : true,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
}

const APPS_IN_PAGE = 1_000

/** By the signal of a fetch, which its retries share: what has come so far. */
const begun = new WeakMap<AbortSignal, { readonly apps: Schemas['App'][]; cursor: string | null }>()

/** Fetches one page after the other. A retry goes on with the page that did not come. */
async function loadApps({
  signal,
}: {
  signal: AbortSignal
}): Promise<{ readonly apps: readonly Schemas['App'][] }> {
  const read = begun.get(signal) ?? { apps: [], cursor: null }
  begun.set(signal, read)
  do {
    const query = { limit: APPS_IN_PAGE, ...(read.cursor !== null && { cursor: read.cursor }) }
    const page = await dataOf(api.GET('/admin/apps', { params: { query }, signal }))
    read.apps.push(...page.apps)
    read.cursor = page.next.cursor
  } while (read.cursor !== null)
  return { apps: read.apps }
}

/** The app that is selected, or the first of all; undefined while they are loaded, null without any. */
function useSelectedApp(): Schemas['App'] | null | undefined {
  const { data } = useApps()
  const id = useSyncExternalStore(watchSelection, () => selectedId)
  if (data === undefined) return undefined
  const app = data.apps.find((each) => each.id === id) ?? data.apps[0] ?? null
  // Requests of the same render already need it.
  if (app !== null && app.id !== selectedId) {
    selectedId = app.id
    window.sessionStorage.setItem(STORAGE_KEY, app.id)
  }
  return app
}

/** From this number on the name of an app is searched for. */
const SEARCH_APPS = 10
/** Most names that are offered at once: a longer list would be slow. */
const MAX_OFFERED = 100

/** Lets the operator select the app whose webhooks, campaigns and bans the pages show. */
export function AppSelect({ width }: { width: number | string }) {
  const apps = useApps()
  const queries = useQueryClient()
  const selected = useSelectedApp()
  if (!apps.data || !selected) return null
  return (
    <Select
      aria-label="App"
      size="xs"
      w={width}
      data={apps.data.apps.map(({ id, name }) => ({ value: id, label: name }))}
      value={selected.id}
      allowDeselect={false}
      searchable={apps.data.apps.length >= SEARCH_APPS}
      limit={MAX_OFFERED}
      onChange={(id) => {
        if (id === null || id === selected.id) return
        selectApp(id)
        // What another app has must not be shown as this one's. The apps stay: without them this field would lose the focus.
        void queries.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'apps' })
      }}
    />
  )
}

/** Shows content of an app, or how to create the first one. `title` is of a page that `children` are the whole of. */
export function NeedsApp({
  title,
  children,
}: {
  title?: string
  children: (app: Schemas['App']) => ReactNode
}) {
  const apps = useApps()
  const selected = useSelectedApp()
  const noApp = (
    <Empty title="There is no app yet">
      <Text size="sm">
        This belongs to an app.{' '}
        <AnchorLink to="/apps" underline="always">
          Create the first one
        </AnchorLink>
        .
      </Text>
    </Empty>
  )
  return (
    <Loaded query={apps}>
      {() =>
        // What was entered for one app is not kept for another.
        selected ? (
          <Fragment key={selected.id}>{children(selected)}</Fragment>
        ) : title === undefined ? (
          noApp
        ) : (
          <Page title={title}>{noApp}</Page>
        )
      }
    </Loaded>
  )
}
