import type { Queryable } from '../../platform/db/connection.js'
import { readAttempts } from '../accounts/ledger/chain/attempts.js'
import type { ContractTransaction, TransactionOrder } from '../accounts/ledger/chain/transaction-order.js'
import { readTransaction } from '../accounts/ledger/chain/wallet-transaction.js'
import { findTransaction } from '../accounts/ledger/transactions.js'

/**
 * Reads the call that is sent for an order. A repeated order may have another one, since settings of the server and
 * addresses of users change; the one recorded first counts.
 *
 * @returns Null when no order of this purpose was recorded, or it has failed.
 * @throws PlazaError `conflict` when the purpose belongs to another request.
 */
export async function readRecordedCall(
  db: Queryable,
  order: Pick<TransactionOrder, 'purpose' | 'requestKey'>,
): Promise<ContractTransaction | null> {
  const transaction = await findTransaction(db, order)
  if (transaction === null) return null
  // Replacements differ in their fees only.
  const [attempt] = await readAttempts(db, transaction.id)
  const { to, data, value } = readTransaction(attempt!.raw)
  return { to, data, value }
}
