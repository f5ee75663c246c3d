import type { ReactNode } from 'react'
import { useCursorQuery } from './cursor-query'
import { NewerEntries } from './newer-entries'
import { NextPage } from './next-page'
import { Loaded } from './page'

interface Listed {
  readonly next: { readonly cursor: string | null }
}

/** A list of the admin API, page by page. */
export function Paged<Reply extends Listed, Item>({
  queryKey,
  load,
  itemsOf,
  more,
  refetchInterval,
  children,
}: {
  queryKey: readonly unknown[]
  load: (cursor: string | undefined) => Promise<Reply>
  itemsOf: (reply: Reply) => readonly Item[]
  /** The text of the button for the next page. */
  more: string
  refetchInterval?: number
  children: (items: readonly Item[]) => ReactNode
}) {
  const query = useCursorQuery(
    queryKey,
    ({ cursor }) => load(cursor),
    ({ next }) => next.cursor,
    refetchInterval,
  )
  return (
    <>
      <NewerEntries query={query} />
      <Loaded query={query}>{({ pages }) => children(pages.flatMap(itemsOf))}</Loaded>
      <NextPage query={query}>{more}</NextPage>
    </>
  )
}
