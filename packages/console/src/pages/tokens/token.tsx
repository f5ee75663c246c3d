import { Alert, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { ApiError, api, dataOf, type Schemas } from '../../api'
import { AnchorLink } from '../../parts/link'
import { Empty, Loaded, Page } from '../../parts/page'
import { Section } from '../../parts/section'
import { WideTable } from '../../parts/wide-table'
import { NeedsApp } from '../../selected-app'

type Network = 'ethereum' | 'optimism' | 'base' | 'arbitrum'

interface TokenKey {
  readonly network: Network
  readonly address: string
}

/** The holders and trades of a token, as the selected app gets them. */
export function TokenPage() {
  const { network, address } = useParams({ from: '/signed-in/tokens/$network/$address' })
  const token = { network: network as Network, address }
  return (
    <Page title="Token">
      <Text className="mono" style={{ overflowWrap: 'anywhere' }}>{`${network} ${address}`}</Text>
      <AnchorLink to="/tokens">All tokens</AnchorLink>
      <NeedsApp>
        {() => (
          <>
            <Section title="Holders">
              <Holders {...token} />
            </Section>
            <Section title="Trades of the last day">
              <Trades {...token} />
            </Section>
          </>
        )}
      </NeedsApp>
    </Page>
  )
}

/** As many as the operation `fungible/owner/relevant` lists. */
const MAX_HOLDERS = 200

function Holders({ network, address }: TokenKey) {
  const query = useQuery({
    queryKey: ['tokens', 'holders', network, address],
    queryFn: () =>
      dataOf(
        api.GET('/v2/social/fungible/owner/relevant/', {
          params: { query: { network, contract_address: address } },
        }),
      ),
  })
  return (
    <Loaded query={query}>
      {(reply) => {
        if ('code' in reply)
          return (
            <Alert color="yellow" title="Not complete yet">
              Holders are shown when the history of the token is read to its end.
            </Alert>
          )
        const users = reply.all_relevant_fungible_owners_dehydrated
        if (users.length === 0)
          return (
            <Empty title="No user has it">
              Holders are listed here whose address is the custody address or a verified address of a user.
            </Empty>
          )
        return (
          <>
            {users.length >= MAX_HOLDERS && (
              <Text size="sm" c="dimmed">{`The largest ${MAX_HOLDERS} users. There may be more.`}</Text>
            )}
            <WideTable label="Holders" minWidth={400}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>User</Table.Th>
                  <Table.Th>Fid</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {users.map(({ fid, username, display_name }) => (
                  <Table.Tr key={fid}>
                    <Table.Td>{`${display_name ?? ''} @${username}`}</Table.Td>
                    <Table.Td>{fid}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </WideTable>
          </>
        )
      }}
    </Loaded>
  )
}

/** As many as the operation `fungible/trades` lists. */
const MAX_TRADES = 100

const NOT_FOUND = 404

function Trades({ network, address }: TokenKey) {
  const query = useQuery({
    queryKey: ['tokens', 'trades', network, address],
    queryFn: async () => {
      const request = api.GET('/v2/social/fungible/trades/', {
        params: { query: { network, address, time_window: '24h' } },
      })
      return await dataOf(request).catch((error: unknown) => {
        // There is none of a token without a pool.
        if (error instanceof ApiError && error.status === NOT_FOUND) return { trades: [] }
        throw error
      })
    },
  })
  return (
    <Loaded query={query}>
      {({ trades }) =>
        trades.length === 0 ? (
          <Empty title="No trades">
            Swaps of users in tracked pools are listed here. Add a pool with “Track a token” and the same
            contract.
          </Empty>
        ) : (
          <>
            {trades.length >= MAX_TRADES && (
              <Text size="sm" c="dimmed">{`The newest ${MAX_TRADES}. There may be more.`}</Text>
            )}
            <WideTable label="Trades" minWidth={560}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Trader</Table.Th>
                  <Table.Th>Sold</Table.Th>
                  <Table.Th>Bought</Table.Th>
                  <Table.Th>Dollars</Table.Th>
                  <Table.Th>Transaction</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {trades.map(({ trader, pool, transaction: { hash, net_transfer } }) => (
                  <Table.Tr key={`${hash} ${pool?.address}`}>
                    <Table.Td>{`@${trader.username}`}</Table.Td>
                    <Table.Td>{amountOf(net_transfer.sending_fungible)}</Table.Td>
                    <Table.Td>{amountOf(net_transfer.receiving_fungible)}</Table.Td>
                    <Table.Td>
                      {net_transfer.sending_fungible.balance.in_usd?.toLocaleString('en') ?? '–'}
                    </Table.Td>
                    <Table.Td className="mono">{`${hash.slice(0, 18)}…`}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </WideTable>
          </>
        )
      }
    </Loaded>
  )
}

function amountOf({ token, balance }: Schemas['FungibleBalance']): string {
  return `${balance.in_token} ${token.symbol}`
}
