import type { Refusal } from '../../platform/errors.js'
import { pause } from '../../platform/process/pause.js'
import type { ChainLedger } from '../accounts/ledger/chain/chain-ledger.js'
import type {
  SubmissionState,
  SubmittedTransaction,
  TransactionOrder,
} from '../accounts/ledger/chain/transaction-order.js'

/** The result of an order: where it is included, the hash under which it waits, or why it is not sent. */
export type OrderResult = SubmissionState | Refusal

/** Orders whose gas is estimated at once. */
const CONCURRENCY = 8
const POLL_MS = 500

/**
 * Sends the transactions of orders, each at most once per purpose, and waits until blocks include them.
 *
 * All are recorded before the first is broadcast, and the process that settles sends what this one leaves.
 *
 * @param waitMs Longest wait; 0 returns after the broadcast.
 */
export async function submitOrders(
  ledger: ChainLedger,
  orders: readonly TransactionOrder[],
  waitMs: number,
): Promise<OrderResult[]> {
  const submitted: (SubmittedTransaction | Refusal)[] = []
  for (let at = 0; at < orders.length; at += CONCURRENCY) {
    submitted.push(
      ...(await Promise.all(orders.slice(at, at + CONCURRENCY).map((order) => ledger.submit(order)))),
    )
  }
  await ledger.settlePending()
  let results = await readResults(ledger, submitted)
  for (let waitedMs = 0; waitedMs < waitMs && results.some(isWaiting); waitedMs += POLL_MS) {
    await pause(POLL_MS)
    await ledger.settlePending()
    results = await readResults(ledger, submitted)
  }
  return results
}

/** Whether an order was refused and nothing was sent. */
export function isRefused(result: OrderResult): result is Refusal {
  return 'code' in result
}

function isWaiting(result: OrderResult): boolean {
  return !isRefused(result) && result.receipt === null
}

async function readResults(
  ledger: ChainLedger,
  submitted: readonly (SubmittedTransaction | Refusal)[],
): Promise<OrderResult[]> {
  const results: OrderResult[] = []
  for (let at = 0; at < submitted.length; at += CONCURRENCY) {
    const part = submitted.slice(at, at + CONCURRENCY)
    results.push(
      ...(await Promise.all(part.map((each) => ('code' in each ? each : ledger.readSubmitted(each))))),
    )
  }
  return results
}
