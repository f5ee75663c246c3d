import { readFileSync } from 'node:fs'
import {
  type Abi,
  type Address,
  concat,
  encodeDeployData,
  getContractAddress,
  type Hex,
  keccak256,
  slice,
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

const SALT_BYTES = 32

/**
 * Encodes the deployment of a collection by CREATE2: its address follows from the call, and repeating the call deploys
 * nothing.
 */
export function encodeDeployment(config: CollectionConfig, purpose: string): EncodedCall {
  const initCode = encodeDeployData({ abi, bytecode, args: [config] })
  return { to: DEPLOYER_ADDRESS, data: concat([keccak256(toHex(purpose)), initCode]) }
}

/** Returns the address of the collection that a deployment creates. */
export function deployedAddress({ data }: Pick<EncodedCall, 'data'>): Address {
  const [salt, initCode] = [slice(data, 0, SALT_BYTES), slice(data, SALT_BYTES)]
  return getContractAddress({ opcode: 'CREATE2', from: DEPLOYER_ADDRESS, salt, bytecode: initCode })
}
