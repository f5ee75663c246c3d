import { PlazaError } from '../errors.js'
import type { SlotLimit } from './limits.js'

/** Counts what is open at the same time. */
export interface Slots {
  /** Takes a slot; returns the function that frees it. @throws PlazaError when all are taken. */
  take(): () => void
}

/** Creates the slots of a limit; calls `onChange` with the number of taken slots. */
export function createSlots(
  limit: SlotLimit,
  most: number = limit.default,
  onChange: (taken: number) => void = () => {},
): Slots {
  let taken = 0
  function add(change: 1 | -1): void {
    taken += change
    onChange(taken)
  }
  return {
    take() {
      if (taken >= most)
        throw new PlazaError(limit.code ?? 'unavailable', limit.refusal ?? 'too many at once')
      add(1)
      return () => add(-1)
    },
  }
}
