import { Button, Code, Table, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { api, dataOf, type Schemas } from '../../api'
import { useLive } from '../../live'
import { useCursorQuery } from '../../parts/cursor-query'
import { Dialog } from '../../parts/dialog'
import { AnchorLink } from '../../parts/link'
import { NewerEntries } from '../../parts/newer-entries'
import { NextPage } from '../../parts/next-page'
import { Empty, Loaded, Page } from '../../parts/page'
import { WideTable } from '../../parts/wide-table'
import { BackfillProgress } from './backfill-progress'
import { holdersText } from './holders-text'
import { TrackToken } from './track-token'
import { UntrackToken } from './untrack-token'

/** The tokens whose balances are indexed. */
export function Tokens() {
  useLive('tokens', ['tokens', 'list'])
  const [isTracking, tracking] = useDisclosure()
  const query = useCursorQuery(
    ['tokens', 'list'],
    (page) => dataOf(api.GET('/admin/tokens', { params: { query: { limit: 50, ...page } } })),
    ({ next }) => next.cursor,
  )
  const first = query.data?.pages[0]
  const networks = first?.networks ?? []
  return (
    <Page
      title="Tokens"
      actions={
        <Button onClick={tracking.open} disabled={networks.length === 0}>
          Track a token
        </Button>
      }
    >
      {first !== undefined && networks.length === 0 && (
        <Empty title="No chain is followed">
          <Text size="sm">
            Tokens are read from the logs of chains: set <Code>CHAIN_BASE_RPC_URLS</Code> or that of another
            network, and start the server again.
          </Text>
        </Empty>
      )}
      <NewerEntries query={query} />
      <Loaded query={query}>
        {({ pages }) =>
          pages.every(({ tokens }) => tokens.length === 0) ? (
            <Empty title="No token is tracked yet">
              <Text size="sm">
                Track one above, or with <Code>plaza token watch base 0x…</Code>. The first request for an
                unknown token tracks it, too.
              </Text>
            </Empty>
          ) : (
            <TokenTable tokens={pages.flatMap(({ tokens }) => tokens)} />
          )
        }
      </Loaded>
      <NextPage query={query}>More tokens</NextPage>
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
              <AnchorLink
                to="/tokens/$network/$address"
                params={{ network: token.network, address: token.address }}
              >
                {`${token.symbol} · ${token.name}`}
              </AnchorLink>
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
