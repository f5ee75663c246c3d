import { Box, Table } from '@mantine/core'
import type { ReactNode } from 'react'

/** A table that is scrolled sideways where the screen is narrow, also by keyboard. */
export function WideTable({
  label,
  minWidth,
  children,
}: {
  label: string
  minWidth: number
  children: ReactNode
}) {
  return (
    <Box role="region" aria-label={label} tabIndex={0} style={{ overflowX: 'auto' }}>
      <Table miw={minWidth}>{children}</Table>
    </Box>
  )
}
