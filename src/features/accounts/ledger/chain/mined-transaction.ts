import { type Hex, hexToBigInt, keccak256, numberToHex, serializeTransaction } from 'viem'
import { InconsistentReply } from '../../../../hub/chain/log-range.js'

/** A transaction of an EIP-1559 fee, the type that wallets sign, as nodes show it in a block; other types lack members. */
export interface RawTransaction {
  readonly type: Hex
  readonly hash: Hex
  readonly from: Hex
  readonly nonce: Hex
  readonly chainId: Hex
  readonly to: Hex | null
  readonly value: Hex
  readonly input: Hex
  readonly gas: Hex
  readonly maxFeePerGas: Hex
  readonly maxPriorityFeePerGas: Hex
  readonly accessList?: { readonly address: Hex; readonly storageKeys: Hex[] }[]
  readonly r: Hex
  readonly s: Hex
  readonly v: Hex
  readonly yParity?: Hex
}

/** A transaction in a block. */
export interface MinedTransaction {
  readonly hash: Hex
  /** As it was signed; null for one that no wallet of this server signs. */
  readonly raw: Hex | null
}

const EIP_1559 = '0x2'

/**
 * Encodes a transaction as it was signed. Its hash proves that the node has shown it as it is.
 *
 * @throws InconsistentReply when it has another hash.
 */
export function toMinedTransaction(shown: RawTransaction): MinedTransaction {
  const { hash, type, to } = shown
  if (type !== EIP_1559 || to === null) return { hash, raw: null }
  const raw = serializeTransaction(
    {
      type: 'eip1559',
      chainId: Number(shown.chainId),
      nonce: Number(shown.nonce),
      to,
      value: hexToBigInt(shown.value),
      data: shown.input,
      gas: hexToBigInt(shown.gas),
      maxFeePerGas: hexToBigInt(shown.maxFeePerGas),
      maxPriorityFeePerGas: hexToBigInt(shown.maxPriorityFeePerGas),
      accessList: shown.accessList ?? [],
    },
    { r: wordOf(shown.r), s: wordOf(shown.s), yParity: Number(shown.yParity ?? shown.v) },
  )
  if (keccak256(raw) !== hash) throw new InconsistentReply('a transaction has another hash than its contents')
  return { hash, raw }
}

/** Nodes leave out leading zeros. */
function wordOf(quantity: Hex): Hex {
  return numberToHex(hexToBigInt(quantity), { size: 32 })
}
