/** Why a message is refused. `text` is null where the documents do not give it. */
export interface Fault {
  readonly code: string
  readonly text: string | null
}

/** The judgement of one message. */
export interface Verdict {
  /** Null: the sender is told that all is well. */
  readonly fault: Fault | null
  /** Whether it is stored or has an effect: false for what is accepted and then dropped in silence. */
  readonly isMerged: boolean
  /** Why an accepted message is dropped in silence. */
  readonly swallowed: Fault | null
}

export const VALIDATION = 'bad_request.validation_failure'
export const INVALID_PARAM = 'bad_request.invalid_param'
export const DUPLICATE = 'bad_request.duplicate'
export const CONFLICT = 'bad_request.conflict'
export const PRUNABLE = 'bad_request.prunable'
/** The plain-text answer to bytes that do not decode; it has no code of its own. */
export const UNDECODABLE = 'undecodable'

/** A fault of a rule. */
export function invalid(text: string | null): Fault {
  return { code: VALIDATION, text }
}

/** Creates a fault; without a text where the documents give none. */
export function fault(code: string, text: string | null): Fault {
  return { code, text }
}

/** Creates the verdict on a message that is refused. */
export function refused(reason: Fault): Verdict {
  return { fault: reason, isMerged: false, swallowed: null }
}

export const merged: Verdict = { fault: null, isMerged: true, swallowed: null }

/** Accepted, and then nothing happens. */
export function dropped(reason: Fault): Verdict {
  return { fault: null, isMerged: false, swallowed: reason }
}
