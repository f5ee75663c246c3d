import { type BulkJudgement, judgeBulk } from '../judge/bulk.js'
import type { Setting } from '../judge/judge.js'
import type { State } from '../judge/state.js'
import type { Fault, Verdict } from '../judge/verdict.js'

/** Whether Plaza has merged a message: it accepts it, or tells that it was merged and pruned at once. */
export function isMergedByPlaza(answer: Fault | null): boolean {
  return answer === null || answer.code === 'bad_request.prunable'
}

/** A bulk call, as the judge sees it. */
export interface BulkCall {
  readonly state: State
  readonly messages: readonly Uint8Array[]
  readonly setting: Setting
}

/** The judgement of a bulk call without the messages that Plaza refuses on purpose. */
export interface AdjustedJudgement {
  readonly judgement: BulkJudgement
  /** Indexes of messages that the judge would merge and Plaza refuses, as documented. */
  readonly refusedOnPurpose: ReadonlySet<number>
}

/**
 * Judges a bulk call again without the messages that Plaza refuses on purpose: they are in one of the two states
 * only, so the judge's verdicts about other messages of the call would follow from a documented difference.
 */
export function withoutDocumentedRefusals(
  { state, messages, setting }: BulkCall,
  judgement: BulkJudgement,
  answers: readonly (Fault | null)[],
  isDocumented: (index: number, reference: Verdict) => boolean,
): AdjustedJudgement {
  const alone = judgement.separately.verdicts
  const refused = messages.flatMap((_, index) =>
    alone[index]!.isMerged && !isMergedByPlaza(answers[index]!) && isDocumented(index, alone[index]!)
      ? [index]
      : [],
  )
  const refusedOnPurpose = new Set(refused)
  if (refused.length === 0) return { judgement, refusedOnPurpose }
  const others = [...messages.keys()].filter((index) => !refusedOnPurpose.has(index))
  const again = judgeBulk(
    state,
    others.map((index) => messages[index]!),
    setting,
  )
  const merge = (before: readonly Verdict[], now: readonly Verdict[]) =>
    before.map((verdict, index) => now[others.indexOf(index)] ?? verdict)
  return {
    judgement: {
      verdicts: merge(judgement.verdicts, again.verdicts),
      apply: again.apply,
      separately: { verdicts: merge(alone, again.separately.verdicts), apply: again.separately.apply },
    },
    refusedOnPurpose,
  }
}
