import { type Hex, toFunctionSelector } from 'viem'
import type { Queryable } from '../../../../platform/db/connection.js'
import { type Refusal, refuse } from '../../../../platform/errors.js'
import type { EncodedCall } from './contract-calls.js'
import { readTransaction } from './wallet-transaction.js'

/** An amount of an ERC-20 token, in its smallest unit. */
interface TokenAmount {
  /** Lowercase hex with 0x. */
  readonly token: Hex
  readonly amount: bigint
}

/** A transfer in a transaction with this nonce. */
interface OpenTransfer extends TokenAmount {
  readonly nonce: number
}

const selector = toFunctionSelector('transfer(address,uint256)')
const WORD_DIGITS = 64
const AMOUNT_AT = selector.length + WORD_DIGITS

/** Returns what a call transfers of an ERC-20 token; null for any other call. */
export function transferOf({ to, data }: EncodedCall): TokenAmount | null {
  if (!data.startsWith(selector) || data.length !== AMOUNT_AT + WORD_DIGITS) return null
  return { token: to.toLowerCase() as Hex, amount: BigInt(`0x${data.slice(AMOUNT_AT)}`) }
}

/** Reads the transfers of a token in a wallet's open transactions. */
export async function readOpenTransfers(
  db: Queryable,
  walletId: string,
  token: Hex,
): Promise<OpenTransfer[]> {
  // Replacements transfer the same.
  const rows = await db<{ raw: Buffer }[]>`
    select a.raw from accounts.transactions t
    join accounts.attempts a on a.transaction_id = t.id and a.attempt = 0
    where t.wallet_id = ${walletId} and t.state = 'recorded'`
  return rows.flatMap(({ raw }) => {
    const transaction = readTransaction(raw)
    const transfer = transferOf(transaction)
    return transfer?.token === token ? [{ ...transfer, nonce: transaction.nonce }] : []
  })
}

/**
 * Returns what a wallet may spend of its balance of a token: all but the open transfers that no block includes.
 *
 * @param count Transactions of the wallet in blocks.
 */
export function spendableTokens(balance: bigint, count: number, open: readonly OpenTransfer[]): bigint {
  const reserved = open.reduce((sum, { nonce, amount }) => (nonce < count ? sum : sum + amount), 0n)
  return balance > reserved ? balance - reserved : 0n
}

/** Refusal for a wallet without enough of a token. */
export function insufficientTokens({ token, amount }: TokenAmount, available: bigint): Refusal {
  return refuse(
    'insufficient_funds',
    `the wallet has ${available} of ${token} available, and the transfer is ${amount}`,
  )
}
