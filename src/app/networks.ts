import { FarcasterNetwork } from '../protocol/definitions.js'

/** The protocol's number of each network that `HUB_NETWORK` names. */
export const networks = {
  mainnet: FarcasterNetwork.MAINNET,
  testnet: FarcasterNetwork.TESTNET,
  devnet: FarcasterNetwork.DEVNET,
} as const
