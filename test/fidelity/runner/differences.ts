import { type Comparison, describeFault, describe as describeVerdict } from './tally.js'

/** A deliberate difference between Plaza and the reference node. */
export interface Difference {
  /** Section of docs/protocol.md, and the first column of its row there. */
  readonly section: string
  readonly row: string
  readonly covers: (comparison: Comparison & Described) => boolean
}

interface Described {
  readonly says: string
  readonly plazaSays: string
}

export const differences: readonly Difference[] = []

/** The row that documents a difference, or null. */
export function explain(comparison: Comparison): string | null {
  const described = {
    ...comparison,
    says: describeVerdict(comparison.reference),
    plazaSays: describeFault(comparison.plaza),
  }
  const found = differences.find(({ covers }) => covers(described))
  return found === undefined ? null : `§${found.section} ${found.row}`
}
