import { useDocumentVisibility } from '@mantine/hooks'
import { useState } from 'react'
import type { EventPages } from './use-event-log'

/** A page of fewer events is sparse: the filter leaves out nearly all that the server has read for it. */
const SPARSE_EVENTS = 50
/** Sparse pages in a row that are fetched by themselves: with a rare type the list is never full, and the log may have millions. */
const MAX_SPARSE_PAGES = 3

/** How older events are fetched: by themselves where the list ends, or on request. */
export interface LookBack {
  readonly isAutomatic: boolean
  readonly isOnRequest: boolean
  /** Fetches the next page, and goes on for as many sparse ones as before. */
  readonly fetchMore: () => void
}

/** Fetches nothing by itself while the list is paused, after an error, and in a tab that nobody sees. */
export function useLookBack(pages: EventPages, filter: object, isPaused: boolean): LookBack {
  const isVisible = useDocumentVisibility() !== 'hidden'
  const read = pages.data?.pages ?? []
  // A list that was fetched anew has another position, if the log has grown.
  const list = JSON.stringify([filter, read[0]?.position])
  const [asked, setAsked] = useState({ list, pages: 0 })
  const lastFull = read.findLastIndex(({ events }) => events.length >= SPARSE_EVENTS)
  const counted = Math.max(lastFull + 1, asked.list === list ? asked.pages : 0)
  const isOnRequest = isPaused || pages.error !== null || read.length - counted >= MAX_SPARSE_PAGES
  return {
    isAutomatic: pages.hasNextPage && !isOnRequest && isVisible && !pages.isFetchingNextPage,
    isOnRequest: pages.hasNextPage && isOnRequest,
    fetchMore: () => {
      setAsked({ list, pages: read.length })
      void pages.fetchNextPage()
    },
  }
}
