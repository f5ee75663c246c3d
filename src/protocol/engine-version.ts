import { FarcasterNetwork } from './definitions.js'

/**
 * When each network switches to engine V21, in Farcaster seconds; null: no date is set (docs/protocol.md §7.1.1).
 *
 * V21 brings channel messages, the channel registry, channel follows, and the limits of verifications. A release
 * that follows a date of the network changes this table, and decides about verifications of before: they own channels and
 * count against the limits here, and in the network they do not (docs/protocol.md §7.1.3, §9.1).
 */
const v21From: Readonly<Record<FarcasterNetwork, number | null>> = {
  [FarcasterNetwork.NONE]: 0,
  [FarcasterNetwork.MAINNET]: null,
  [FarcasterNetwork.TESTNET]: null,
  [FarcasterNetwork.DEVNET]: 0,
}

/** Returns when a network switches to engine V21, in Farcaster seconds; null if no date is set. */
export function v21Start(network: number): number | null {
  return v21From[network as FarcasterNetwork] ?? null
}

/** Returns true if a network runs engine V21 at a time in Farcaster seconds. */
export function isV21(network: number, time: number): boolean {
  const from = v21Start(network)
  return from !== null && time >= from
}
