import { createHash } from 'node:crypto'
import { keccak256, parseTransaction, type TransactionSerializableEIP1559 } from 'viem'
import type { EthAccount } from '../../../../hub/registry/eth-account.js'
import { bytesOfHex } from '../../../../protocol/bytes.js'
import type { SignedTransaction } from './attempts.js'
import type { EncodedCall } from './contract-calls.js'
import type { GasPrice } from './wallet-rpc.js'

/** Fees per unit of gas in wei: the maximum, and the part for the block producer. */
export interface Fees {
  readonly maxFee: bigint
  readonly tip: bigint
}

/** Multiple of the base fee to offer. It grows by at most an eighth per block (EIP-1559). */
const HEADROOM = 2n

/** Computes the fees of a new transaction. Returns null while the network requires more. */
export function newFees({ base, tip }: GasPrice, maxAllowed: bigint): Fees | null {
  if (base > maxAllowed) return null
  const maxFee = minBigint(HEADROOM * base + tip, maxAllowed)
  return { maxFee, tip: minBigint(tip, maxFee) }
}

/**
 * Computes the fees of a replacement: an eighth more of both; nodes require a tenth.
 *
 * @returns Null when that exceeds the allowed fee.
 */
export function replacementFees(previous: Fees, price: GasPrice, maxAllowed: bigint): Fees | null {
  const suggested = newFees(price, maxAllowed)
  if (suggested === null) return null
  const maxFee = maxBigint(suggested.maxFee, raisedByEighth(previous.maxFee))
  const tip = maxBigint(suggested.tip, raisedByEighth(previous.tip))
  return maxFee > maxAllowed || tip > maxFee ? null : { maxFee, tip }
}

function raisedByEighth(fee: bigint): bigint {
  return fee + fee / 8n + 1n
}

/** Returns the smaller amount. */
export function minBigint(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

function maxBigint(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

/** A transaction and its fees. Amounts in wei. */
export interface WalletTransaction extends EncodedCall, Fees {
  readonly chainId: number
  readonly nonce: number
  readonly value: bigint
  readonly gas: bigint
}

/**
 * Allowance for the L1 data fee of rollups, in wei. It is not part of a transaction's fee limit; usual fees
 * are a tenth of this.
 */
const L1_FEE_ALLOWANCE = 20_000_000_000_000n

/** Returns the most that a transaction can cost its wallet, in wei. */
export function maxCostOf(transaction: Pick<WalletTransaction, 'value' | 'gas' | 'maxFee'>): bigint {
  const { value, gas, maxFee } = transaction
  return value + gas * maxFee + L1_FEE_ALLOWANCE
}

/** Values of a tag: less than the margin of the smallest gas limit, a fifth of 21,000. */
const TAGS = 1_024n

/** Returns the tag of a purpose. */
export function purposeTag(purpose: string): number {
  return createHash('sha256').update(purpose).digest().readUInt16BE() % Number(TAGS)
}

/** Returns the tag of a transaction: the remainder of its gas limit, which its replacements keep. */
export function gasTagOf({ gas }: Pick<WalletTransaction, 'gas'>): number {
  return Number(gas % TAGS)
}

/**
 * Lowers a gas limit to the next one with the tag of a purpose, by which the transaction is known when its record is lost: the
 * same call may be paid for another purpose, and elsewhere with the wallet's key.
 *
 * @param estimate The least that the call needs.
 */
export function tagGas(gas: bigint, purpose: string, estimate: bigint): bigint {
  const tagged = gas - ((gas + TAGS - BigInt(purposeTag(purpose))) % TAGS)
  return tagged < estimate ? gas : tagged
}

/** Signs a transaction with the wallet's key. */
export async function signTransaction(
  { maxFee, tip, ...transaction }: WalletTransaction,
  { signer }: EthAccount,
): Promise<SignedTransaction> {
  const raw = await signer.signTransaction({
    ...transaction,
    type: 'eip1559',
    maxFeePerGas: maxFee,
    maxPriorityFeePerGas: tip,
  })
  return { raw: bytesOfHex(raw), hash: bytesOfHex(keccak256(raw)) }
}

/** Decodes a signed transaction. */
export function readTransaction(raw: Buffer): WalletTransaction {
  const parsed = parseTransaction(`0x02${raw.toString('hex', 1)}`) as TransactionSerializableEIP1559
  return {
    chainId: parsed.chainId,
    nonce: parsed.nonce ?? 0,
    to: parsed.to!,
    data: parsed.data ?? '0x',
    value: parsed.value ?? 0n,
    gas: parsed.gas ?? 0n,
    maxFee: parsed.maxFeePerGas ?? 0n,
    tip: parsed.maxPriorityFeePerGas ?? 0n,
  }
}
