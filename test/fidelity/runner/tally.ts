import { type Fault, UNDECODABLE, type Verdict } from '../judge/verdict.js'

/** One message, judged by both sides. */
export interface Comparison {
  readonly className: string
  readonly network: number
  /** The part that the sender plays in the cell. */
  readonly sender: string
  readonly bytes: Uint8Array
  readonly reference: Verdict
  /** Null: accepted. */
  readonly plaza: Fault | null
  readonly call: 'single' | 'bulk' | 'validate' | 'stored'
  /** In a bulk call: the verdict if messages do not depend on each other. */
  readonly separately?: Verdict
  /** Whether the sender has links that came after a newer compact state, or that one has ended. */
  readonly hasEndedLinks?: boolean
}

/** How far two verdicts agree. */
export interface Agreement {
  readonly verdict: boolean
  readonly code: boolean
  /** Null: one side accepts, or the documents give no text. */
  readonly text: boolean | null
}

function agreementOf({ reference, plaza }: Pick<Comparison, 'reference' | 'plaza'>): Agreement {
  const { fault } = reference
  if (fault === null || plaza === null) {
    const isEqual = fault === null && plaza === null && reference.swallowed === null
    return { verdict: isEqual, code: isEqual, text: isEqual ? null : false }
  }
  // Bytes that do not decode get plain text without a code, of which only the beginning is specified.
  if (fault.code === UNDECODABLE)
    return { verdict: true, code: true, text: plaza.text?.startsWith(fault.text!) === true }
  const text = fault.text === null ? null : comparable(fault.text) === comparable(plaza.text)
  return { verdict: true, code: fault.code === plaza.code, text }
}

/** The documents do not say which nonces there are, so the stored one is not compared. */
export function comparable(text: string | null): string | null {
  return text?.replace(/stored nonce \d+$/, 'stored nonce') ?? null
}

/** Whether two verdicts agree in everything that the documents give. */
export function isEqual(comparison: Pick<Comparison, 'reference' | 'plaza'>): boolean {
  const agreement = agreementOf(comparison)
  return agreement.verdict && agreement.code && agreement.text !== false
}

/** The counts of one class. */
export interface ClassCount {
  messages: number
  merged: number
  equalVerdicts: number
  equalCodes: number
  texts: number
  equalTexts: number
  documented: number
  undocumented: number
}

/** A difference that no row documents, with its shortest example. */
export interface Undocumented {
  count: number
  example: Comparison
}

/** Counts comparisons by class, documented row and undocumented difference. */
export class Tally {
  readonly classes = new Map<string, ClassCount>()
  readonly documented = new Map<string, number>()
  readonly undocumented = new Map<string, Undocumented>()

  constructor(private readonly explain: (comparison: Comparison) => string | null) {}

  /** Counts a comparison in its class. */
  add(comparison: Comparison): void {
    const count = this.classOf(comparison.className)
    const agreement = agreementOf(comparison)
    count.messages++
    if (comparison.reference.isMerged) count.merged++
    if (agreement.verdict) count.equalVerdicts++
    if (agreement.code) count.equalCodes++
    if (agreement.text !== null) {
      count.texts++
      if (agreement.text) count.equalTexts++
    }
    if (isEqual(comparison)) return
    const row = this.explain(comparison)
    if (row !== null) {
      count.documented++
      this.documented.set(row, (this.documented.get(row) ?? 0) + 1)
      return
    }
    count.undocumented++
    this.keepExample(comparison)
  }

  /** Whether the two sides differ in the way of a documented row. */
  isDocumented(comparison: Comparison): boolean {
    return !isEqual(comparison) && this.explain(comparison) !== null
  }

  get hasUndocumented(): boolean {
    return this.undocumented.size > 0
  }

  private classOf(name: string): ClassCount {
    const found = this.classes.get(name)
    if (found !== undefined) return found
    const created: ClassCount = {
      messages: 0,
      merged: 0,
      equalVerdicts: 0,
      equalCodes: 0,
      texts: 0,
      equalTexts: 0,
      documented: 0,
      undocumented: 0,
    }
    this.classes.set(name, created)
    return created
  }

  private keepExample(comparison: Comparison): void {
    const id =
      `${comparison.call}: ${describe(comparison.reference)} | ${describeFault(comparison.plaza)}`.replace(
        /\d+|"[^"]*"/g,
        '#',
      )
    const known = this.undocumented.get(id)
    if (known === undefined) {
      this.undocumented.set(id, { count: 1, example: comparison })
      return
    }
    known.count++
    if (comparison.bytes.length < known.example.bytes.length) known.example = comparison
  }
}

/** A verdict in one line. */
export function describe({ fault, isMerged, swallowed }: Verdict): string {
  if (fault !== null) return describeFault(fault)
  if (swallowed !== null) return `accepted and dropped (${describeFault(swallowed)})`
  return isMerged ? 'merged' : 'accepted'
}

/** Formats a fault as code and text, or `accepted` without one. */
export function describeFault(fault: Fault | null): string {
  return fault === null ? 'accepted' : `${fault.code}/${fault.text ?? '(no text in the documents)'}`
}
