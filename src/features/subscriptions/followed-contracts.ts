import type { ChainRpc } from '../../hub/chain/chain-rpc.js'
import type { ChainName } from '../../hub/chain/chains.js'
import { PlazaError } from '../../platform/errors.js'
import type { OperationContext } from '../operation.js'
import { fromChain } from '../tokens/token-metadata.js'
import type { FollowedContract } from './settings.js'
import type { SubscriberRow } from './subscribers.js'
import {
  type ContractSubscription,
  readSubscriptionContracts,
  readSubscriptions,
  type SubscriptionContract,
} from './subscription-contract.js'

type ChainContext = Pick<OperationContext, 'tokenTracking' | 'subscriptions' | 'hydrator'>

/** Owner, prices and names change rarely. */
const MAX_AGE_MS = 60_000

/** A followed contract as its chain reports it. */
export interface ListedContract extends SubscriptionContract {
  readonly network: ChainName
  readonly chainId: number
}

/**
 * Reads the contracts that the operator has configured, at most every minute. Addresses that are no subscription
 * contracts are left out.
 *
 * @throws PlazaError `not_configured` without contracts on followed networks.
 */
export async function readFollowedContracts({
  tokenTracking,
  subscriptions,
  hydrator,
}: ChainContext): Promise<ListedContract[]> {
  const { contracts } = subscriptions
  const rpcs = [...tokenTracking.rpcs.values()].filter(({ chain }) =>
    contracts.some((contract) => contract.network === chain.name),
  )
  if (rpcs.length === 0) {
    throw new PlazaError(
      'not_configured',
      'this server follows no subscription contracts: its operator sets SUBSCRIPTION_CONTRACTS and the RPC URLs of their networks',
    )
  }
  const byNetwork = await Promise.all(
    rpcs.map((rpc) =>
      readContracts(
        { rpc, hydrator },
        contracts.flatMap(({ network, address }) => (network === rpc.chain.name ? [address] : [])),
      ),
    ),
  )
  return byNetwork.flat()
}

/** Reads subscription contracts of a chain, at most every minute. */
export async function readContracts(
  { rpc, hydrator }: { readonly rpc: ChainRpc } & Pick<OperationContext, 'hydrator'>,
  addresses: readonly FollowedContract['address'][],
): Promise<ListedContract[]> {
  const { name: network, chainId } = rpc.chain
  const key = `subscription contracts ${addresses.join(' ')} on ${network}`
  return await hydrator.singleFlight.read(key, MAX_AGE_MS, async () => {
    const found = await fromChain(rpc, (endpoint) => readSubscriptionContracts(endpoint, addresses))
    return {
      value: found.flatMap((each) => (each === null ? [] : [{ ...each, network, chainId }])),
      tags: [],
    }
  })
}

/** A row and its subscription, which is active. */
export interface ActiveSubscription<Row> {
  readonly row: Row
  readonly contract: ListedContract
  readonly subscription: ContractSubscription
}

/**
 * Reads the subscriptions of rows from their contracts, in their order, until so many are active. Each step reads as many rows
 * as the limit: mostly the first one is enough.
 */
export async function firstActive<Row extends SubscriberRow>(
  context: Pick<OperationContext, 'tokenTracking' | 'clock'>,
  contracts: readonly ListedContract[],
  { rows, limit }: { readonly rows: readonly Row[]; readonly limit: number },
): Promise<ActiveSubscription<Row>[]> {
  const active: ActiveSubscription<Row>[] = []
  for (let start = 0; start < rows.length && active.length < limit; start += limit)
    active.push(...(await keepActive(context, contracts, rows.slice(start, start + limit))))
  return active.slice(0, limit)
}

async function keepActive<Row extends SubscriberRow>(
  { tokenTracking, clock }: Pick<OperationContext, 'tokenTracking' | 'clock'>,
  contracts: readonly ListedContract[],
  rows: readonly Row[],
): Promise<ActiveSubscription<Row>[]> {
  const pairs = rows.flatMap((row) => {
    const contract = contracts.find(
      ({ network, address }) => network === row.network && address === row.address,
    )
    return contract ? [{ row, contract, account: row.account }] : []
  })
  const nowSeconds = clock() / 1000
  const active = await Promise.all(
    [...tokenTracking.rpcs.values()].map(async (rpc) => {
      const own = pairs.filter(({ contract }) => contract.network === rpc.chain.name)
      if (own.length === 0) return []
      const subscriptions = await fromChain(rpc, (endpoint) => readSubscriptions(endpoint, own))
      return own.map(({ row, contract }, index) => ({ row, contract, subscription: subscriptions[index]! }))
    }),
  )
  const order = new Map(rows.map((row, index) => [row, index]))
  return active
    .flat()
    .filter(({ subscription }) => subscription.expiresAt > nowSeconds)
    .sort((a, b) => order.get(a.row)! - order.get(b.row)!)
}
