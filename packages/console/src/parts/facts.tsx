import { Table } from '@mantine/core'
import type { ReactNode } from 'react'

/** A table of names and values. */
export function Facts({ facts }: { facts: Readonly<Record<string, ReactNode>> }) {
  return (
    <Table variant="vertical" layout="fixed" withTableBorder>
      <Table.Tbody>
        {Object.entries(facts).map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th w={130}>{name}</Table.Th>
            <Table.Td className="wraps">{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

/** A value as it is, in a font that tells its characters apart; null is a dash. */
export function Verbatim({ value }: { value: string | number | null }) {
  return <span className="mono">{value ?? '–'}</span>
}
