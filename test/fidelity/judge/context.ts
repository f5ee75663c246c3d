/** What the rules without state know of the node and the sender. */
export interface Context {
  /** 1 mainnet, 2 testnet, 3 devnet. */
  readonly network: number
  /** Farcaster seconds. */
  readonly now: number
  /** Whether the sender has the pro tier now. */
  readonly isPro: boolean
  /** Whether channel messages are active on this network. */
  readonly hasChannels: boolean
}
