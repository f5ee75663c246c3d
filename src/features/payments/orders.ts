import { NoConnectionError, type Outage, outageOf } from '../../platform/db/connection-errors.js'
import { isRefusal, PlazaError, type Refusal, refuse } from '../../platform/errors.js'
import { pause, resultWithin } from '../../platform/process/pause.js'
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
/** Time for the end of what has begun to be recorded in time, within the 15 s that are left of a request. */
const MAX_RECORDING_MS = 5_000

/** The part of a ledger that sends orders. */
export type OrderLedger = Pick<ChainLedger, 'submit' | 'settleWallet' | 'readSubmitted'>

/** How long a request waits for its orders. */
export interface OrderWait {
  /**
   * When the request must be answered, in milliseconds of `performance.now()`: before its own deadline, which tells the client
   * nothing of what was recorded.
   */
  readonly untilMs: number
  /** Whether to wait for the blocks that include them, and not only for the broadcast. */
  readonly forBlocks: boolean
  /** Advice to a client that cannot be told what was recorded. */
  readonly retryText: string
}

/** The advice to repeat a request, which sends nothing twice. */
export const repeatText = (idem: string): string =>
  `repeat the same request with "idem": ${JSON.stringify(idem)}`

/**
 * Sends the transactions of orders of one wallet, each at most once per purpose, and waits until blocks include them.
 *
 * All are recorded before the first is broadcast, and the process that settles sends what this one leaves. So from the
 * first recorded order on, a failure is the result of an order and not of the request: a client that repeats a failed request
 * without its `idem` would pay twice.
 *
 * Orders that are not recorded in time are refused, and those whose state is not read in time have no receipt.
 *
 * @throws what recording the first order throws, if none is recorded; `unavailable` if the time is over before, or if it is
 * not known what was recorded.
 */
export async function submitOrders(
  ledger: OrderLedger,
  orders: readonly TransactionOrder[],
  wait: OrderWait,
): Promise<OrderResult[]> {
  const { untilMs, forBlocks } = wait
  const [first] = orders
  if (first === undefined) return []
  const submitted = await recordOrders(ledger, orders, wait)
  let results: OrderResult[] = submitted.map((each) =>
    isRefusal(each) ? each : { hash: each.hash, receipt: null },
  )
  const restMs = () => Math.max(0, untilMs - performance.now())
  while (restMs() > 0) {
    const read = await resultWithin(
      restMs(),
      settleAndRead(ledger, first.walletId, { submitted, previous: results }),
    )
    results = read ?? results
    if (read === null || !forBlocks || !results.some(isWaiting)) break
    await pause(Math.min(POLL_MS, restMs()))
  }
  return results
}

async function settleAndRead(
  ledger: OrderLedger,
  walletId: string,
  {
    submitted,
    previous,
  }: { readonly submitted: readonly Submission[]; readonly previous: readonly OrderResult[] },
): Promise<OrderResult[]> {
  // The process that settles repeats it.
  await ledger.settleWallet(walletId).catch(() => {})
  return await readResults(ledger, submitted, previous)
}

type Submission = SubmittedTransaction | Refusal

/** Records orders until one fails; this one and those after it are refused. */
async function recordOrders(
  ledger: OrderLedger,
  orders: readonly TransactionOrder[],
  { untilMs, retryText }: OrderWait,
): Promise<Submission[]> {
  const submitted: Submission[] = []
  let failure: { readonly cause: unknown } | null = null
  for (let at = 0; at < orders.length && failure === null; at += CONCURRENCY) {
    if (performance.now() >= untilMs) {
      failure = { cause: new PlazaError('unavailable', 'the network took too long: nothing was sent') }
      break
    }
    const part = await Promise.allSettled(
      // The ledger records one after the other: many wait in a part for a slow RPC.
      orders.slice(at, at + CONCURRENCY).map((order) => recordOrder(ledger, order, untilMs)),
    )
    for (const each of part) {
      if (each.status === 'rejected') {
        failure ??= { cause: each.reason }
        submitted.push(refusalOf(each.reason))
      } else if (each.value === null) {
        throw new PlazaError('unavailable', `it is not known what is sent: ${retryText}`)
      } else submitted.push(each.value)
    }
  }
  if (failure === null) return submitted
  if (submitted.every((each) => isRefusal(each))) throw failure.cause
  const { cause } = failure
  return orders.map((_, index) => submitted[index] ?? refusalOf(cause))
}

/**
 * Records an order, and tries again when the database is away: a connection may be lost after the order was recorded.
 *
 * @returns null when it is not known in time whether it is recorded.
 */
async function recordOrder(
  ledger: OrderLedger,
  order: TransactionOrder,
  untilMs: number,
): Promise<Submission | null> {
  const restMs = () => untilMs + MAX_RECORDING_MS - performance.now()
  let mayBeRecorded = false
  while (restMs() > 0) {
    try {
      const submission = await resultWithin(restMs(), ledger.submit({ ...order, untilMs }))
      if (submission !== null) return submission
    } catch (error) {
      // Others of ours name what an RPC has answered: nothing is recorded before that, unless by an earlier try.
      const isOfRpc = error instanceof PlazaError && !(error instanceof NoConnectionError)
      const outage: Outage | null = isOfRpc && !mayBeRecorded ? null : outageOf(error)
      mayBeRecorded ||= outage === 'DatabaseAway' && !(error instanceof NoConnectionError)
      if (outage === null || !mayBeRecorded) throw error
      await pause(Math.min(POLL_MS, Math.max(0, restMs())))
    }
  }
  return null
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof PlazaError) return refuse(error.code, error.message)
  return refuse('unavailable', 'the transaction could not be recorded')
}

/** Whether an earlier copy of a request has recorded any of its orders, and so had the funds for all. */
export async function isRepeated(
  ledger: Pick<ChainLedger, 'isSubmitted'>,
  orders: readonly Pick<TransactionOrder, 'purpose' | 'requestKey'>[],
): Promise<boolean> {
  for (const order of orders) if (await ledger.isSubmitted(order)) return true
  return false
}

function isWaiting(result: OrderResult): boolean {
  return !isRefusal(result) && result.receipt === null
}

/**
 * Reads where orders are included; the previous result of one that cannot be read.
 *
 * What is included is not read again: one order that waits would have up to 199 others read twice a second.
 */
async function readResults(
  ledger: OrderLedger,
  submitted: readonly Submission[],
  previous: readonly OrderResult[],
): Promise<OrderResult[]> {
  const results = [...previous]
  const waiting = submitted.flatMap((each, index) =>
    isRefusal(each) || !isWaiting(previous[index]!) ? [] : [{ each, index }],
  )
  for (let at = 0; at < waiting.length; at += CONCURRENCY) {
    const part = waiting.slice(at, at + CONCURRENCY).map(async ({ each, index }) => {
      results[index] = await ledger.readSubmitted(each).catch(() => previous[index]!)
    })
    await Promise.all(part)
  }
  return results
}
