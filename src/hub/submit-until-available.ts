import { setTimeout as sleep } from 'node:timers/promises'
import { PlazaError, type Refusal } from '../platform/errors.js'

/** Time to wait for a hub that is unavailable. */
const MAX_UNAVAILABLE_SECONDS = 120
const RETRY_DELAY_MS = 500

type Outcomes = (Refusal | null)[]

/**
 * Repeats a submission until the hub answers: its database may be away, or its queue full of what others submit. Nothing waits
 * after the signal is aborted. @throws PlazaError `unavailable`
 */
export async function submitUntilAvailable(
  submit: () => Promise<Outcomes>,
  signal?: AbortSignal,
): Promise<Outcomes> {
  let outcomes = await attempt(submit)
  for (let waitedMs = 0; outcomes instanceof PlazaError; waitedMs += RETRY_DELAY_MS) {
    if (waitedMs >= MAX_UNAVAILABLE_SECONDS * 1000 || signal?.aborted) throw outcomes
    await sleep(RETRY_DELAY_MS)
    outcomes = await attempt(submit)
  }
  return outcomes
}

/** The outcomes, aligned with what is submitted; the error when the hub is unavailable. */
async function attempt(submit: () => Promise<Outcomes>): Promise<Outcomes | PlazaError> {
  try {
    const outcomes = await submit()
    const busy = outcomes.find((outcome) => outcome?.code === 'unavailable')
    return busy ? new PlazaError('unavailable', busy.message) : outcomes
  } catch (error) {
    if (error instanceof PlazaError && error.code === 'unavailable') return error
    throw error
  }
}
