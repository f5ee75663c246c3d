import { readFileSync } from 'node:fs'
import {
  type Abi,
  type Address,
  concat,
  encodeDeployData,
  getContractAddress,
  type Hex,
  keccak256,
  toHex,
} from 'viem'
import type { EncodedCall } from '../accounts/ledger/chain/contract-calls.js'

/** The settings of a collection, as its constructor takes them. */
export interface CollectionConfig {
  readonly name: string
  readonly symbol: string
  readonly baseUri: string
  readonly owner: Address
  readonly royaltyRecipient: Address
  readonly royaltyBps: bigint
  readonly maxSupply: bigint
  readonly price: bigint
  readonly maxPerTx: bigint
  readonly maxPerWallet: bigint
  /** Unix seconds; 0 for none. */
  readonly startTimestamp: bigint
  readonly endTimestamp: bigint
}

/** The deterministic deployment proxy, which has this address on every public chain and on anvil. */
const DEPLOYER_ADDRESS: Address = '0x4e59b44847b379578588920cA78FbF26c0B4956C'

// Compiled from contracts/Collection.sol by scripts/contracts.mjs.
const { abi, bytecode } = JSON.parse(
  readFileSync(new URL('./assets/collection.json', import.meta.url), 'utf8'),
) as { readonly abi: Abi; readonly bytecode: Hex }

/**
 * Encodes the deployment of a collection by CREATE2: its address is known before, and repeating it with the same purpose
 * deploys nothing.
 */
export function encodeDeployment(
  config: CollectionConfig,
  purpose: string,
): { readonly call: EncodedCall; readonly address: Address } {
  const initCode = encodeDeployData({ abi, bytecode, args: [config] })
  const salt = keccak256(toHex(purpose))
  const address = getContractAddress({ opcode: 'CREATE2', from: DEPLOYER_ADDRESS, salt, bytecode: initCode })
  return { call: { to: DEPLOYER_ADDRESS, data: concat([salt, initCode]) }, address }
}
