import { Alert, Code, SimpleGrid, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api, dataOf, type Schemas } from '../../api'
import { useLive } from '../../live'
import { NamedFigure } from '../../parts/figure'
import { formatCount } from '../../parts/format'
import { Empty, Loaded, Page } from '../../parts/page'
import { Section } from '../../parts/section'
import { PoolFids } from './pool-fids'
import { Registrations } from './registrations'
import { Transactions } from './transactions'
import { Wallets } from './wallets'

/** The fid pool, wallets, registrations and transactions. */
export function Accounts() {
  useLive('accounts', ['accounts'])
  const query = useQuery({
    queryKey: ['accounts'],
    queryFn: () => dataOf(api.GET('/admin/accounts')),
  })
  return (
    <Page title="Accounts">
      <Loaded query={query}>
        {(accounts) => (
          <Stack gap="lg">
            <Advice accounts={accounts} />
            <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }}>
              <NamedFigure label="Available fids" value={formatCount(accounts.pool.available)} />
              <NamedFigure label="Held fids" value={formatCount(accounts.pool.held)} />
              <NamedFigure label="Ordered fids" value={formatCount(accounts.pool.ordered)} />
              <NamedFigure label="Used fids" value={formatCount(accounts.pool.used)} />
              <NamedFigure
                label="Pending registrations"
                value={formatCount(accounts.pending_registrations)}
              />
              <NamedFigure label="Pending transactions" value={formatCount(accounts.pending_transactions)} />
            </SimpleGrid>
          </Stack>
        )}
      </Loaded>
      <Section title="Wallets">
        <Wallets />
      </Section>
      <Section title="Registrations">
        <Registrations />
      </Section>
      <Section title="Transactions">
        <Transactions />
      </Section>
      <Section title="Fid pool">
        <PoolFids />
      </Section>
    </Page>
  )
}

/** Hint for a server where no account can be registered. */
function Advice({ accounts: { network, pool, wallets } }: { accounts: Schemas['AccountsResponse'] }) {
  if (network === null)
    return (
      <Empty title="Accounts are not registered here">
        <Text size="sm">
          They are registered on OP Mainnet: set <Code>CHAIN_OPTIMISM_RPC_URLS</Code>. A devnet needs nothing.
        </Text>
      </Empty>
    )
  if (wallets === 0)
    return (
      <Empty title="There is no wallet yet">
        <Text size="sm">
          An app pays for the accounts of its users with a wallet:{' '}
          <Code>plaza wallet create --app &lt;app&gt;</Code> prints its id, for the header{' '}
          <Code>x-wallet-id</Code>.
        </Text>
      </Empty>
    )
  if (pool.available > 0) return null
  return (
    <Alert color="yellow" title="The fid pool is empty">
      <Text size="sm">
        {pool.ordered > 0
          ? 'Ordered fids are registered next: a wallet below may lack funds, or its network may not answer.'
          : 'Fids are ordered when a wallet is first used, and again when they are taken.'}{' '}
        Send ETH to the address of the wallet
        {network === 'local' ? ' (on a devnet: create another one with --balance)' : ''}, or give it a larger
        pool with <Code>plaza wallet create --pool-size</Code>.
      </Text>
    </Alert>
  )
}
