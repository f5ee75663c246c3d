import type { Hex } from 'viem'
import { type ChainName, chainNames } from '../../hub/chain/chains.js'

/** A subscription contract that the operator has configured. */
export interface FollowedContract {
  readonly network: ChainName
  /** Lowercase hex with 0x. */
  readonly address: Hex
}

/** Operator settings of subscriptions. */
export interface SubscriptionSettings {
  readonly contracts: readonly FollowedContract[]
}

/** Reads `base:0x…,optimism:0x…`. The configuration has checked the form. */
export function parseSubscriptionContracts(text = ''): FollowedContract[] {
  const pairs = text
    .toLowerCase()
    .split(',')
    .map((pair) => pair.trim().split(':'))
  return pairs.flatMap(([name, address]) => {
    const network = chainNames.find((each) => each === name)
    return network === undefined ? [] : [{ network, address: address as Hex }]
  })
}
