import type { NetworkName } from '../../hub/chain/networks.js'

/** The tokens that trades are valued by unless the operator names others: USDC, and USDT and DAI on Ethereum. */
export const dollarTokens: Readonly<Partial<Record<NetworkName, readonly string[]>>> = {
  ethereum: [
    '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
    '0xdac17f958d2ee523a2206206994597c13d831ec7',
    '0x6b175474e89094c44da98b954eedeac495271d0f',
  ],
  optimism: ['0x0b2c639c533813f4aa9d7837caf62653d097ff85'],
  base: ['0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'],
  arbitrum: ['0xaf88d065e77c8cc2239327c5edb3a432268e5831'],
}
