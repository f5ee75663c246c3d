import type { ChainRpc } from '../../hub/chain/chain-rpc.js'
import type { NetworkName } from '../../hub/chain/networks.js'
import { PlazaError } from '../../platform/errors.js'

/** Chain ids of the networks that payments are for. */
export const paymentChainIds = { base: 8_453, optimism: 10, 'base-sepolia': 84_532 } as const

/** A network that payments are for. */
export type PaymentNetwork = keyof typeof paymentChainIds

/** The networks that wallets spend on, in the order of the table. */
export const paymentNetworks = Object.keys(paymentChainIds) as PaymentNetwork[]

/**
 * Returns the RPC of a network. A test network is one of the followed networks with another chain id, so
 * `base-sepolia` is the one with its id; null when none has it.
 */
export function findPaymentRpc(
  rpcs: ReadonlyMap<NetworkName, ChainRpc>,
  network: PaymentNetwork,
): ChainRpc | null {
  if (network !== 'base-sepolia') {
    const rpc = rpcs.get(network)
    return rpc === undefined || rpc.network.chainId === paymentChainIds['base-sepolia'] ? null : rpc
  }
  return [...rpcs.values()].find((rpc) => rpc.network.chainId === paymentChainIds[network]) ?? null
}

/** The same. @throws PlazaError `not_configured` with what the operator has to set. */
export function paymentRpc(rpcs: ReadonlyMap<NetworkName, ChainRpc>, network: PaymentNetwork): ChainRpc {
  const rpc = findPaymentRpc(rpcs, network)
  if (rpc !== null) return rpc
  const variables =
    network === 'base-sepolia'
      ? 'CHAIN_BASE_RPC_URLS and CHAIN_IDS=base=84532'
      : `CHAIN_${network.toUpperCase()}_RPC_URLS`
  throw new PlazaError(
    'not_configured',
    `this server does not follow ${network}: its operator sets ${variables}`,
    {
      property: 'network',
    },
  )
}
