import { Badge, Table, Text } from '@mantine/core'
import { api, dataOf } from '../../api'
import { Paged } from '../../parts/paged'
import { Time } from '../../parts/time'
import { WideTable } from '../../parts/wide-table'

const colors = { ordered: 'yellow', available: 'green', held: 'blue', used: 'gray' } as const

/** The fids that wallets have ordered. */
export function PoolFids() {
  return (
    <Paged
      queryKey={['accounts', 'fids']}
      load={(cursor) => dataOf(api.GET('/admin/accounts/fids', { params: { query: { limit: 25, cursor } } }))}
      itemsOf={({ fids }) => fids}
      more="Older fids"
    >
      {(fids) =>
        fids.length === 0 ? (
          <Text size="sm">Empty: GET user/fid with a wallet orders the first ones.</Text>
        ) : (
          <WideTable label="Fid pool" minWidth={640}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Fid</Table.Th>
                <Table.Th>State</Table.Th>
                <Table.Th>Paid by wallet</Table.Th>
                <Table.Th>Ordered</Table.Th>
                <Table.Th>Held until</Table.Th>
                <Table.Th>Next attempt</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {fids.map(({ id, fid, state, paid_by, ordered_at, held_until, failures, next_attempt_at }) => (
                <Table.Tr key={id}>
                  <Table.Td>{fid ?? '–'}</Table.Td>
                  <Table.Td>
                    <Badge variant="dot" color={colors[state]}>
                      {failures > 0 && state === 'ordered' ? `${state}, ${failures} failures` : state}
                    </Badge>
                  </Table.Td>
                  <Table.Td className="mono">{paid_by}</Table.Td>
                  <Table.Td>
                    <Time at={ordered_at} />
                  </Table.Td>
                  <Table.Td>
                    <Time at={state === 'held' ? held_until : null} />
                  </Table.Td>
                  <Table.Td>
                    <Time at={next_attempt_at} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </WideTable>
        )
      }
    </Paged>
  )
}
