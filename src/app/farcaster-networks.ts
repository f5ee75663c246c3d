import { FarcasterNetwork } from '../protocol/definitions.js'

/** The protocol's number of each Farcaster network that `HUB_NETWORK` names. */
export const farcasterNetworks = {
  mainnet: FarcasterNetwork.MAINNET,
  testnet: FarcasterNetwork.TESTNET,
  devnet: FarcasterNetwork.DEVNET,
} as const
