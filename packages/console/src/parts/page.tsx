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

/** Shows the data of a query; until then progress, or the error and a button to try again. */
export function Loaded<Data>({
  query,
  children,
}: {
  query: UseQueryResult<Data>
  children: (data: Data) => ReactNode
}) {
  if (query.data !== undefined) return <>{children(query.data)}</>
  if (query.error === null) return <Loader role="status" aria-label="Loading" />
  return (
    <Alert color="red" role="alert" title="This could not be loaded">
      <Stack align="start" gap="xs">
        <Text size="sm">{query.error.message}</Text>
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
