import { hasBrokenClaim } from '../judge/keys.js'
import { readEnvelope } from '../judge/message.js'
import { type Comparison, comparable, isEqual } from './tally.js'

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
  /** The message type; 0 for bytes that do not decode. */
  readonly type: number
  /** A number above 2^53 - 1. */
  readonly hasBigNumber: boolean
  /** A number above 2^32 - 1. */
  readonly hasLongNumber: boolean
  /** The proof of a name has another fid or second than its message. */
  readonly isProofOfOther: boolean
  /** A key message has a claim that is wrong whatever the state. */
  readonly hasBrokenClaim: boolean
}

const LINKS = [5, 6, 14]
const LEND_STORAGE = 15
const SHARD_ZERO = [LEND_STORAGE, 16, 17]
const NO_CLIENT = 'invalid_internal_state'
const NEWER_COMPACT_STATE = 'A newer Compact State message is already merged'

/** The deliberate differences. The test demands that each has its row. */
export const differences: readonly Difference[] = [
  {
    section: '9.1',
    row: 'no active storage',
    covers: ({ sender, plazaText }) => sender === 'without storage' && plazaText === 'insufficient storage',
  },
  {
    section: '9.1',
    row: 'end of a loan whose lender has no active storage',
    covers: ({ sender, type, text, plaza }) =>
      sender === 'without storage' && type === LEND_STORAGE && text === 'no storage' && plaza === null,
  },
  {
    section: '9.1',
    row: 'refused KEY_ADD, KEY_REMOVE, LEND_STORAGE',
    covers: ({ reference, plaza, type, plazaText, text }) =>
      reference.swallowed !== null &&
      plaza !== null &&
      SHARD_ZERO.includes(type) &&
      (text === null ||
        (comparable(text) === comparable(plazaText) && plaza.code === reference.swallowed.code)),
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
      type === 14 && text === NEWER_COMPACT_STATE && plaza?.code === 'bad_request.duplicate',
  },
  {
    section: '9.1',
    row: 'two compact states of one second',
    covers: ({ type, text, plaza }) => type === 14 && text === NEWER_COMPACT_STATE && plaza === null,
  },
  {
    section: '9.1',
    row: 'link of the same second as a compact state',
    covers: ({ type, reference, plazaText }) =>
      LINKS.includes(type) && reference.isMerged && /compact state/i.test(plazaText ?? ''),
  },
  {
    section: '9.1',
    row: 'remove or compact state that arrives after a newer compact state',
    covers: ({ type, hasEndedLinks, reference }) =>
      LINKS.includes(type) && hasEndedLinks === true && !reference.isMerged,
  },
  {
    section: '9.1',
    row: 'add that arrives after its remove, or after a compact state without its target, and both are gone',
    covers: ({ type, hasEndedLinks, reference }) =>
      LINKS.includes(type) && hasEndedLinks === true && reference.isMerged,
  },
  {
    section: '9.1',
    row: 'clock of a gasless key',
    covers: ({ text, plazaText }) =>
      [text, plazaText].some((each) => each?.startsWith('gasless-key last_used_at')),
  },
  {
    section: '9.1',
    row: "CAST_ADD and CAST_REMOVE with each other's body; loans and key messages with each other's",
    covers: ({ text, plazaText, type }) =>
      [1, 2].includes(type) &&
      plazaText === 'Invalid cast body for remove key' &&
      (text === null || text === 'no storage' || text.startsWith('message ')),
  },
  {
    section: '9.2',
    row: 'numbers above 2^53 − 1',
    covers: ({ hasBigNumber }) => hasBigNumber,
  },
  {
    section: '9.2',
    row: 'fids from 2^32 to 2^53 − 1',
    covers: ({ hasLongNumber }) => hasLongNumber,
  },
  {
    section: '9.3',
    row: 'fid and timestamp in a name proof',
    covers: ({ isProofOfOther, reference, plazaText }) =>
      isProofOfOther && reference.fault?.code === NO_CLIENT && /in username proof/.test(plazaText ?? ''),
  },
  {
    section: '9.3',
    row: 'no RPC',
    covers: ({ reference, plaza, text }) =>
      reference.fault?.code === NO_CLIENT &&
      plaza?.code === 'not_configured' &&
      plaza.text?.startsWith(text!) === true,
  },
  {
    section: '9.4',
    row: '`validateMessage` of a name proof with another fid or second than its message',
    covers: ({ call, isProofOfOther, reference, plaza }) =>
      call === 'validate' && isProofOfOther && reference.isMerged && plaza !== null,
  },
  {
    section: '9.4',
    row: '`validateMessage` of a key message whose claim is wrong whatever the state',
    covers: ({ call, reference, plaza, hasBrokenClaim }) =>
      call === 'validate' && hasBrokenClaim && reference.isMerged && plaza !== null,
  },
  {
    section: '9.4',
    row: '`submitBulkMessages`, one message refused',
    covers: ({ separately, plaza, call }) =>
      call === 'bulk' && separately !== undefined && isEqual({ reference: separately, plaza }),
  },
]

/** The row that documents a difference, or null. */
export function explain(comparison: Comparison): string | null {
  const found = find(comparison)
  if (found !== undefined) return nameOf(found)
  const { separately } = comparison
  if (separately === undefined) return null
  const alone = find({ ...comparison, reference: separately })
  return alone === undefined ? null : nameOf(alone)
}

function find(comparison: Comparison): Difference | undefined {
  const described = describeComparison(comparison)
  return differences.find(({ covers }) => covers(described))
}

/** A difference as the report names it. */
function nameOf({ section, row }: Difference): string {
  return `§${section} ${row}`
}

function describeComparison(comparison: Comparison): Described {
  const { reference, plaza, bytes } = comparison
  return {
    ...comparison,
    text: reference.fault?.text ?? reference.swallowed?.text ?? null,
    plazaText: plaza?.text ?? null,
    ...describeData(bytes),
  }
}

const MAX_EXACT_NUMBER = 2n ** 53n - 1n
const MAX_SHORT_FID = 0xffff_ffffn
const EPOCH = 1_609_459_200n

type DataTraits = Pick<
  Described,
  'type' | 'hasBigNumber' | 'hasLongNumber' | 'isProofOfOther' | 'hasBrokenClaim'
>

const undecodable: DataTraits = {
  type: 0,
  hasBigNumber: false,
  hasLongNumber: false,
  isProofOfOther: false,
  hasBrokenClaim: false,
}

function describeData(bytes: Uint8Array): DataTraits {
  try {
    const { data, signer } = readEnvelope(bytes)
    if (data === undefined) return undecodable
    const numbers = [data.fid, data.body?.value]
    const proof = data.body?.name === 'usernameProof' ? data.body.value : null
    const second = BigInt(data.timestamp) + EPOCH
    return {
      type: data.type,
      hasBigNumber: hasNumberAbove(MAX_EXACT_NUMBER, numbers),
      hasLongNumber: hasNumberAbove(MAX_SHORT_FID, numbers),
      isProofOfOther: proof !== null && (proof.fid !== data.fid || proof.timestamp !== second),
      hasBrokenClaim: hasBrokenClaim(data, signer),
    }
  } catch {
    return undecodable
  }
}

function hasNumberAbove(limit: bigint, value: unknown): boolean {
  if (typeof value === 'bigint') return value > limit
  if (value instanceof Uint8Array) return false
  if (Array.isArray(value)) return value.some((each) => hasNumberAbove(limit, each))
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).some((each) => hasNumberAbove(limit, each))
  )
}
