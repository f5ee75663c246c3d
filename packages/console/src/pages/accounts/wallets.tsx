import { Anchor, Table, Text } from '@mantine/core'
import { api, dataOf, type Schemas } from '../../api'
import { Paged } from '../../parts/paged'
import { Time } from '../../parts/time'
import { WideTable } from '../../parts/wide-table'
import { ether } from './ether'

/** Balances are asked of chains: seldom. */
const INTERVAL_MS = 15_000

/** The wallets of apps with their balances. */
export function Wallets() {
  return (
    <Paged
      queryKey={['accounts', 'wallets']}
      load={(cursor) =>
        dataOf(api.GET('/admin/accounts/wallets', { params: { query: { limit: 25, cursor } } }))
      }
      itemsOf={({ wallets }) => wallets}
      more="Older wallets"
      refetchInterval={INTERVAL_MS}
    >
      {(wallets) => (wallets.length === 0 ? <Text size="sm">None.</Text> : <WalletTable wallets={wallets} />)}
    </Paged>
  )
}

function WalletTable({ wallets }: { wallets: readonly Schemas['AccountWallet'][] }) {
  return (
    <WideTable label="Wallets" minWidth={820}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Address</Table.Th>
          <Table.Th>App</Table.Th>
          <Table.Th>Network</Table.Th>
          <Table.Th>Can spend</Table.Th>
          <Table.Th ta="right">Pool size</Table.Th>
          <Table.Th ta="right">Used fids</Table.Th>
          <Table.Th>Created</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {wallets.map((wallet) => (
          <Table.Tr key={wallet.id}>
            <Table.Td className="mono">
              <ExplorerLink url={wallet.explorer_url}>{wallet.address}</ExplorerLink>
              <br />
              {wallet.id}
            </Table.Td>
            <Table.Td>{wallet.app}</Table.Td>
            <Table.Td>{wallet.network}</Table.Td>
            <Table.Td>{wallet.balance === null ? wallet.balance_problem : ether(wallet.balance)}</Table.Td>
            <Table.Td ta="right">{wallet.fid_pool_size}</Table.Td>
            <Table.Td ta="right">{wallet.fids_used}</Table.Td>
            <Table.Td>
              <Time at={wallet.created_at} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  )
}

/** A link to a public explorer, where there is one. */
export function ExplorerLink({ url, children }: { url: string | null; children: string }) {
  if (url === null) return <>{children}</>
  return (
    <Anchor href={url} target="_blank" rel="noreferrer" inherit underline="always">
      {children}
    </Anchor>
  )
}
