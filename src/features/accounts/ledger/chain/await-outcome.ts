import type { Queryable } from '../../../../platform/db/connection.js'
import { describeError, PlazaError, type Refusal } from '../../../../platform/errors.js'
import { toPlazaError } from '../../../../platform/http/failure.js'
import { pause, resultWithin } from '../../../../platform/process/pause.js'
import type { Purchase, Receipt } from '../account-ledger.js'
import { receiptOf } from '../transactions.js'
import { readOutcome } from './attempts.js'
import { contractRefusal } from './contract-calls.js'
import { NONCE_TAKEN } from './transaction-monitor.js'

/** Longest wait of a caller without a time limit; the purchase continues without it. */
const WAIT_MS = 90_000
const POLL_MS = 250

/** Dependencies of a wait for a recorded transaction. */
export interface OutcomeSource {
  readonly db: Queryable
  /** Checks the transactions of the wallet. */
  readonly check: () => Promise<void>
  /** Aborts waiting. */
  readonly signal: AbortSignal
}

/** How long a purchase waits, and what its client does if that was too short. */
export type WaitLimit = Pick<Purchase, 'untilMs' | 'retryText'>

/**
 * Waits until a recorded transaction is settled.
 *
 * @throws PlazaError `unavailable` with how to continue the purchase, in time, and whatever fails: it is recorded, and a client
 * that repeats it otherwise would pay twice.
 */
export async function awaitOutcome(
  source: OutcomeSource,
  transactionId: number,
  { untilMs = performance.now() + WAIT_MS, retryText = 'send the same request again' }: WaitLimit,
): Promise<Receipt | Refusal> {
  let cause: unknown
  const outcome = await pollOutcome(source, transactionId, untilMs).catch((error: unknown) => {
    cause = error
    return null
  })
  if (outcome !== null) return outcome
  throw new PlazaError('unavailable', `the transaction is not mined yet: ${retryText}`, { cause })
}

/** Returns null when the time is over, or when the purchase needs another nonce. */
async function pollOutcome(
  { db, check, signal }: OutcomeSource,
  transactionId: number,
  untilMs: number,
): Promise<Receipt | Refusal | null> {
  const restMs = () => Math.max(0, untilMs - performance.now())
  while (restMs() > 0 && !signal.aborted) {
    await resultWithin(restMs(), check())
    const { state, failure, hash, fid } = await readOutcome(db, transactionId)
    if (state === 'confirmed') return receiptOf({ hash, fid })
    if (failure === NONCE_TAKEN) return null
    if (state === 'reverted') return contractRefusal(failure)
    await pause(Math.min(POLL_MS, restMs()))
  }
  return null
}

/**
 * Returns the result of recording a purchase, which ends by itself when the time is over.
 *
 * @throws PlazaError `unavailable` with how to continue the purchase, which may be recorded at the last moment or although the
 * database did not say so.
 */
export async function recordedInTime<Result>(
  record: () => Promise<Result>,
  { untilMs, retryText }: WaitLimit,
): Promise<Result> {
  try {
    const recorded =
      untilMs === undefined
        ? await record()
        : await resultWithin(Math.max(0, untilMs - performance.now()), record())
    if (recorded !== null) return recorded
  } catch (error) {
    const { code, message } = toPlazaError(error)
    if (retryText === undefined || describeError(code).status < 500) throw error
    throw new PlazaError('unavailable', `${message}: ${retryText}`, { cause: error })
  }
  throw new PlazaError('unavailable', `the network took too long: ${retryText ?? 'try again'}`)
}
