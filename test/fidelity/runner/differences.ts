import { readEnvelope } from '../judge/message.js'
import type { Comparison } from './tally.js'

/** A deliberate difference between Plaza and the reference node. The judge follows the reference node. */
export interface Difference {
  /** Section of docs/protocol.md, and the first column of the row there. */
  readonly section: string
  readonly row: string
  readonly covers: (comparison: Described) => boolean
}

interface Described extends Comparison {
  /** The text of the reference's refusal, or why it drops an accepted message. */
  readonly text: string | null
  readonly plazaText: string | null
  /** The message type; null for bytes that do not decode. */
  readonly type: number | null
  readonly hasBigNumber: boolean
}

const LINKS = [5, 6, 14]
const SHARD_ZERO = [15, 16, 17]

/** The deliberate differences. The test demands that each has its row and that each occurs. */
export const differences: readonly Difference[] = [
  {
    section: '9.1',
    row: 'no active storage',
    covers: ({ sender, plazaText }) => sender === 'without storage' && plazaText === 'insufficient storage',
  },
  {
    section: '9.1',
    row: 'refused KEY_ADD, KEY_REMOVE, LEND_STORAGE',
    covers: ({ reference, plaza, type, plazaText, text }) =>
      reference.swallowed !== null &&
      plaza !== null &&
      SHARD_ZERO.includes(type ?? 0) &&
      plaza.code === reference.swallowed.code &&
      (text === null || text === plazaText),
  },
  {
    section: '9.1',
    row: 'older than everything in a full set',
    covers: ({ reference, plaza }) => reference.isMerged && plaza?.code === 'bad_request.prunable',
  },
  {
    section: '9.1',
    row: 'repetition of the stored compact state',
    covers: ({ type, text, plaza }) =>
      type === 14 &&
      text === 'A newer Compact State message is already merged' &&
      plaza?.code === 'bad_request.duplicate',
  },
  {
    section: '9.1',
    row: 'two compact states of one second',
    covers: ({ type, text, plaza }) =>
      type === 14 && text === 'A newer Compact State message is already merged' && plaza === null,
  },
  {
    section: '9.1',
    row: 'link of the same second as a compact state',
    covers: ({ type, reference, plazaText }) =>
      LINKS.includes(type ?? 0) && reference.isMerged && /compact state/i.test(plazaText ?? ''),
  },
  {
    section: '9.2',
    row: 'numbers above 2^53 − 1',
    covers: ({ hasBigNumber }) => hasBigNumber,
  },
]

/** The row that documents a difference, or null. */
export function explain(comparison: Comparison): string | null {
  const described = describeComparison(comparison)
  const found = differences.find(({ covers }) => covers(described))
  return found === undefined ? null : nameOf(found)
}

/** A difference as the report names it. */
export function nameOf({ section, row }: Difference): string {
  return `§${section} ${row}`
}

function describeComparison(comparison: Comparison): Described {
  const { reference, plaza, bytes } = comparison
  const data = typeOf(bytes)
  return {
    ...comparison,
    text: reference.fault?.text ?? reference.swallowed?.text ?? null,
    plazaText: plaza?.text ?? null,
    type: data?.type ?? null,
    hasBigNumber: data?.hasBigNumber ?? false,
  }
}

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER)

function typeOf(bytes: Uint8Array): { type: number; hasBigNumber: boolean } | null {
  try {
    const { data } = readEnvelope(bytes)
    return data === undefined ? null : { type: data.type, hasBigNumber: hasBigNumber(data.body?.value) }
  } catch {
    return null
  }
}

function hasBigNumber(value: unknown): boolean {
  if (typeof value === 'bigint') return value > MAX_SAFE
  if (value instanceof Uint8Array) return false
  if (Array.isArray(value)) return value.some(hasBigNumber)
  return typeof value === 'object' && value !== null && Object.values(value).some(hasBigNumber)
}
