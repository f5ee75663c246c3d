import { Anchor, Button, Code, Table, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, dataOf, type Schemas } from '../../api'
import { useLive } from '../../live'
import { Dialog } from '../../parts/dialog'
import { Empty, Page } from '../../parts/page'
import { Paged } from '../../parts/paged'
import { WideTable } from '../../parts/wide-table'
import { BackfillProgress } from './backfill-progress'
import { TrackToken } from './track-token'
import { UntrackToken } from './untrack-token'

export const MAX_COUNTED_HOLDERS = 10_001

/** The tokens whose balances are indexed. */
export function Tokens() {
  useLive('tokens', ['tokens', 'list'])
  const [isTracking, tracking] = useDisclosure()
  const first = useQuery({
    queryKey: ['tokens', 'networks'],
    queryFn: () => dataOf(api.GET('/admin/tokens', { params: { query: { limit: 1 } } })),
  })
  const networks = first.data?.networks ?? []
  return (
    <Page
      title="Tokens"
      actions={
        <Button onClick={tracking.open} disabled={networks.length === 0}>
          Track a token
        </Button>
      }
    >
      {first.data && networks.length === 0 && (
        <Empty title="No chain is followed">
          <Text size="sm">
            Tokens are read from the logs of chains: set <Code>CHAIN_BASE_RPC_URLS</Code> or that of another
            network, and start the server again.
          </Text>
        </Empty>
      )}
      <Paged
        queryKey={['tokens', 'list']}
        load={(cursor) => dataOf(api.GET('/admin/tokens', { params: { query: { limit: 50, cursor } } }))}
        itemsOf={({ tokens }) => tokens}
        more="More tokens"
      >
        {(tokens) =>
          tokens.length === 0 ? (
            <Empty title="No token is tracked yet">
              <Text size="sm">
                Track one above, or with <Code>plaza token watch base 0x…</Code>. The first request for an
                unknown token tracks it, too.
              </Text>
            </Empty>
          ) : (
            <TokenTable tokens={tokens} />
          )
        }
      </Paged>
      <Dialog opened={isTracking} onClose={tracking.close} title="Track a token">
        <TrackToken networks={networks} onDone={tracking.close} />
      </Dialog>
    </Page>
  )
}

function TokenTable({ tokens }: { tokens: readonly Schemas['TrackedToken'][] }) {
  return (
    <WideTable label="Tokens" minWidth={820}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Token</Table.Th>
          <Table.Th>Network</Table.Th>
          <Table.Th>Tracked by</Table.Th>
          <Table.Th ta="right">Holders</Table.Th>
          <Table.Th>Backfill</Table.Th>
          <Table.Th>
            <Text span fw="inherit" size="sm">
              Change
            </Text>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {tokens.map((token) => (
          <Table.Tr key={token.id}>
            <Table.Td>
              <Anchor
                component={Link}
                to="/tokens/$network/$address"
                params={{ network: token.network, address: token.address } as never}
              >
                {`${token.symbol} · ${token.name}`}
              </Anchor>
              <Text size="sm" className="mono">
                {token.address}
              </Text>
            </Table.Td>
            <Table.Td>{token.network}</Table.Td>
            <Table.Td>{token.tracked_by === 'operator' ? 'operator' : 'a request'}</Table.Td>
            <Table.Td ta="right">{holdersText(token.holders)}</Table.Td>
            <Table.Td miw={200}>
              <BackfillProgress token={token} />
            </Table.Td>
            <Table.Td>
              <UntrackToken token={token} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  )
}

/** Holders, which are counted up to a bound. */
export function holdersText(holders: number): string {
  return holders >= MAX_COUNTED_HOLDERS ? 'over 10,000' : holders.toLocaleString()
}
