import { type Hex, keccak256, parseTransaction, type TransactionSerializableEIP1559 } from 'viem'
import type { EthAccount } from '../../../../hub/registry/eth-account.js'
import type { SignedTransaction } from './attempts.js'
import type { EncodedCall } from './contract-calls.js'
import type { Fees } from './fees.js'

/** What a transaction does and offers. Amounts in wei. */
export interface WalletTransaction extends EncodedCall, Fees {
  readonly chainId: number
  readonly nonce: number
  readonly value: bigint
  readonly gas: bigint
}

/**
 * What having a transaction written down on Ethereum may cost on networks that live on top of it, in wei. It is not part
 * of what a transaction offers, and is a tenth of this on an ordinary day.
 */
const L1_FEE_ALLOWANCE = 20_000_000_000_000n

/** The most that a transaction can take from its wallet, in wei. */
export function maxCostOf({
  value,
  gas,
  maxFee,
}: Pick<WalletTransaction, 'value' | 'gas' | 'maxFee'>): bigint {
  return value + gas * maxFee + L1_FEE_ALLOWANCE
}

/** Signs a transaction as its wallet. */
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

/** What a signed transaction does and offers. */
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
