import { type Hex, keccak256, parseTransaction, type TransactionSerializableEIP1559 } from 'viem'
import type { EthAccount } from '../../../../hub/registry/eth-account.js'
import type { SignedTransaction } from './attempts.js'
import type { EncodedCall } from './contract-calls.js'
import type { Fees } from './fees.js'

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
export function maxCostOf({
  value,
  gas,
  maxFee,
}: Pick<WalletTransaction, 'value' | 'gas' | 'maxFee'>): bigint {
  return value + gas * maxFee + L1_FEE_ALLOWANCE
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
  return { raw: hexToBuffer(raw), hash: hexToBuffer(keccak256(raw)) }
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

function hexToBuffer(hex: Hex): Buffer {
  return Buffer.from(hex.slice(2), 'hex')
}
