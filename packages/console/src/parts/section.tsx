import { Group, Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** A part of a page with a title, and what can be done there. */
export function Section({
  title,
  actions,
  children,
}: {
  title: string
  actions?: ReactNode
  children: ReactNode
}) {
  return (
    <Stack gap="xs" component="section">
      <Group justify="space-between">
        <Title order={2} size="h4">
          {title}
        </Title>
        {actions}
      </Group>
      {children}
    </Stack>
  )
}
