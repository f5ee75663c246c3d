import { PlazaError } from '../errors.js'
import type { CallerName } from './caller-name.js'
import type { SlotLimit } from './limits.js'

/** Counts what is open at the same time. */
export interface Slots {
  /** Takes a slot of a caller; returns the function that frees it. @throws PlazaError that says which limit is reached. */
  take(caller: CallerName): () => void
}

export interface SlotOptions {
  /** Most of all callers; the limit's default unless given. */
  readonly max?: number | undefined
  /** Most of each caller. */
  readonly maxOfCaller?: number | undefined
  /** Gets the number of taken slots. */
  readonly onChange?: ((taken: number) => void) | undefined
}

/** Creates the slots of a limit for all callers together and one for each of them. */
export function createSlots(
  limit: SlotLimit,
  limitOfCaller: SlotLimit,
  { max = limit.default, maxOfCaller = limitOfCaller.default, onChange = () => {} }: SlotOptions = {},
): Slots {
  const takenBy = new Map<CallerName, number>()
  let taken = 0

  return {
    take(caller) {
      const own = takenBy.get(caller) ?? 0
      // The limit of the caller first: it is the one that the caller can do something about.
      if (own >= maxOfCaller) throw refusal(limitOfCaller, maxOfCaller)
      if (taken >= max) throw refusal(limit, max)
      takenBy.set(caller, own + 1)
      onChange(++taken)
      return () => {
        const rest = takenBy.get(caller)! - 1
        if (rest > 0) takenBy.set(caller, rest)
        else takenBy.delete(caller)
        onChange(--taken)
      }
    },
  }
}

function refusal(
  { code = 'unavailable', refusal: text = 'too many at once' }: SlotLimit,
  max: number,
): PlazaError {
  return new PlazaError(code, `${text}: ${max}`)
}
