import { Alert, Button, Group, Loader, Stack, Text, Title } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'

/** The frame of a page: its title, what can be done, its content. */
export function Page({
  title,
  actions,
  children,
}: {
  title: string
  actions?: ReactNode
  children: ReactNode
}) {
  useEffect(() => {
    document.title = `${title} · Plaza console`
  }, [title])
  return (
    <Stack gap="lg">
      <Group justify="space-between">
        <Title order={1} size="h2">
          {title}
        </Title>
        <Group gap="xs">{actions}</Group>
      </Group>
      {children}
    </Stack>
  )
}

/**
 * Shows the data of a query; until then progress, or the error and a button to try again. Both stand above data that could
 * not be fetched again.
 */
export function Loaded<Data>({
  query,
  children,
}: {
  query: UseQueryResult<Data>
  children: (data: Data) => ReactNode
}) {
  const { data, error } = query
  if (data === undefined) {
    if (error === null) return <Loader role="status" aria-label="Loading" />
    return <Failure query={query} title="This could not be loaded" />
  }
  // That a next page did not come is told where it was asked for.
  const isOld = error !== null && !('isFetchNextPageError' in query && query.isFetchNextPageError)
  return (
    <>
      {isOld && <Failure query={query} title="This may be old: it could not be loaded again" />}
      {children(data)}
    </>
  )
}

function Failure({ query, title }: { query: UseQueryResult; title: string }) {
  return (
    <Alert color={query.data === undefined ? 'red' : 'yellow'} role="alert" title={title}>
      <Stack align="start" gap="xs">
        <Text size="sm">{query.error?.message}</Text>
        <Button size="xs" variant="default" onClick={() => query.refetch()}>
          Try again
        </Button>
      </Stack>
    </Alert>
  )
}

/** Hint for an empty page. */
export function Empty({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Alert variant="default" title={title}>
      {children}
    </Alert>
  )
}
