import { Badge, Table, Text } from '@mantine/core'
import { api, dataOf, type Schemas } from '../../api'
import { Paged } from '../../parts/paged'
import { Time } from '../../parts/time'
import { WideTable } from '../../parts/wide-table'
import { ether } from './ether'
import { ExplorerLink } from './wallets'

type Transaction = Schemas['WalletTransaction']

const colors = { recorded: 'yellow', confirmed: 'green', reverted: 'red' } as const
const labels = { recorded: 'pending', confirmed: 'confirmed', reverted: 'reverted' } as const

/** Table of the wallets' transactions, with links to explorers. */
export function Transactions() {
  return (
    <Paged
      queryKey={['accounts', 'transactions']}
      load={(cursor) =>
        dataOf(api.GET('/admin/accounts/transactions', { params: { query: { limit: 25, cursor } } }))
      }
      itemsOf={({ transactions }) => transactions}
      more="Older transactions"
    >
      {(transactions) =>
        transactions.length === 0 ? (
          <Text size="sm">None yet: wallets pay for fids, storage and keys.</Text>
        ) : (
          <TransactionTable transactions={transactions} />
        )
      }
    </Paged>
  )
}

function TransactionTable({ transactions }: { transactions: readonly Transaction[] }) {
  return (
    <WideTable label="Transactions" minWidth={820}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Transaction</Table.Th>
          <Table.Th>Purpose</Table.Th>
          <Table.Th>State</Table.Th>
          <Table.Th>Cost</Table.Th>
          <Table.Th>Created</Table.Th>
          <Table.Th>Final</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {transactions.map((each) => (
          <Table.Tr key={each.id}>
            <Table.Td className="mono">
              {each.hash === null ? (
                '–'
              ) : (
                <ExplorerLink url={each.explorer_url}>{`${each.hash.slice(0, 18)}…`}</ExplorerLink>
              )}
              <br />
              {each.network}
            </Table.Td>
            <Table.Td>{each.purpose}</Table.Td>
            <Table.Td>
              <Badge variant="dot" color={colors[each.state]}>
                {labels[each.state]}
              </Badge>
              {each.failure !== null && <Text size="sm">{each.failure}</Text>}
              {each.attempts > 1 && <Text size="sm">{`${each.attempts} attempts`}</Text>}
            </Table.Td>
            <Table.Td>{each.cost === null ? `at most ${ether(each.max_cost)}` : ether(each.cost)}</Table.Td>
            <Table.Td>
              <Time at={each.created_at} />
            </Table.Td>
            <Table.Td>
              <Time at={each.settled_at} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  )
}
