import type { ChainRpc } from '../../hub/chain/chain-rpc.js'
import type { ChainName } from '../../hub/chain/chains.js'
import { PlazaError } from '../../platform/errors.js'

/** Ids of the chains that payments are for. */
export const paymentChainIds = { base: 8_453, optimism: 10, 'base-sepolia': 84_532 } as const

/** A chain that payments are for. */
export type PaymentChain = keyof typeof paymentChainIds

/** The chains that wallets spend on, in the order of the table. */
export const paymentChains = Object.keys(paymentChainIds) as PaymentChain[]

/**
 * Returns the RPC of a chain. A test network is one of the followed chains with another chain id, so
 * `base-sepolia` is the one with its id; null when none has it.
 */
export function findPaymentRpc(rpcs: ReadonlyMap<ChainName, ChainRpc>, chain: PaymentChain): ChainRpc | null {
  if (chain !== 'base-sepolia') {
    const rpc = rpcs.get(chain)
    return rpc === undefined || rpc.chain.chainId === paymentChainIds['base-sepolia'] ? null : rpc
  }
  return [...rpcs.values()].find((rpc) => rpc.chain.chainId === paymentChainIds[chain]) ?? null
}

/** The same. @throws PlazaError `not_configured` with what the operator has to set. */
export function paymentRpc(rpcs: ReadonlyMap<ChainName, ChainRpc>, chain: PaymentChain): ChainRpc {
  const rpc = findPaymentRpc(rpcs, chain)
  if (rpc !== null) return rpc
  const variables =
    chain === 'base-sepolia'
      ? 'CHAIN_BASE_RPC_URLS and CHAIN_IDS=base=84532'
      : `CHAIN_${chain.toUpperCase()}_RPC_URLS`
  throw new PlazaError(
    'not_configured',
    `this server does not follow ${chain}: its operator sets ${variables}`,
    {
      property: 'network',
    },
  )
}
