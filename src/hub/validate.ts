import type { Database } from '../platform/db/connection.js'
import type { Refusal } from '../platform/errors.js'
import { inSlices } from '../platform/process/turns.js'
import type { SignedMessage } from '../protocol/message.js'
import { farcasterSecondsFromUnixSeconds } from '../protocol/time.js'
import { requiresPro, validateContent, validateEnvelope } from '../protocol/validate.js'
import type { VerifyPool } from '../protocol/verify-pool.js'

/** Dependencies of validation. */
export interface Validator {
  readonly db: Database
  /** FarcasterNetwork of the hub. */
  readonly network: number
  readonly verifyPool: VerifyPool
  /** Unix milliseconds. */
  readonly clock: () => number
}

export interface ValidationOptions {
  /** Selects the messages whose signatures and claims are verified; default: all. */
  readonly needsVerification?: (message: SignedMessage) => boolean
  /**
   * Tiers that decide, aligned with the messages; `merge` leaves it to the merge. The merge knows tiers bought in
   * its own batch, so a message that breaks no other rule is left to it.
   */
  readonly tiers: readonly number[] | 'merge'
  /** Messages whose tier does not matter. */
  readonly ignoresTier?: ReadonlySet<SignedMessage>
  /** Another hub has accepted the messages; default: false. */
  readonly isSynced?: boolean
}

/** Messages that are checked in one turn of the event loop: a millisecond. */
const SLICE_MESSAGES = 50

/** Validates messages, and verifies signatures, in the order of the protocol (docs/protocol.md §3.2). */
export async function validateMessages(
  { db, network, clock, verifyPool }: Validator,
  messages: readonly SignedMessage[],
  { needsVerification = () => true, tiers, ignoresTier = new Set(), isSynced = false }: ValidationOptions,
): Promise<(Refusal | null)[]> {
  const nowUnix = Math.floor(clock() / 1000)
  const context = { network, now: farcasterSecondsFromUnixSeconds(nowUnix), isPro: true, isSynced }
  const checkForm = (message: SignedMessage, isPro: boolean) => {
    const envelope = validateEnvelope(message, { ...context, isPro })
    return { message, envelope, content: envelope ?? validateContent(message, { ...context, isPro }) }
  }
  const slices = await inSlices(messages, SLICE_MESSAGES, (slice) =>
    slice.map((message) => checkForm(message, true)),
  )
  let verdicts = slices.flat()
  const tierFids = messages.map((message, index) => {
    if (ignoresTier.has(message) || !requiresPro(message)) return null
    if (tiers === 'merge') return verdicts[index]!.content === null ? null : message.data.fid
    return tiers[index]!
  })
  if (tierFids.some((fid) => fid !== null)) {
    const pros = await selectPros(db, tierFids, nowUnix)
    verdicts = verdicts.map((verdict, index) => {
      const fid = tierFids[index]!
      return fid === null || pros.has(fid) ? verdict : checkForm(verdict.message, false)
    })
  }
  return await verify(verifyPool, verdicts, needsVerification)
}

interface Verdict {
  readonly message: SignedMessage
  /** The refusal of a rule that comes before the signature. */
  readonly envelope: Refusal | null
  /** The refusal of any rule but signature and claim. */
  readonly content: Refusal | null
}

/** Verifies signatures, whose refusal comes before that of the content, and claims, which come last. */
async function verify(
  verifyPool: VerifyPool,
  verdicts: readonly Verdict[],
  needsVerification: (message: SignedMessage) => boolean,
): Promise<(Refusal | null)[]> {
  const selected = verdicts.filter(({ envelope, message }) => envelope === null && needsVerification(message))
  if (selected.length === 0) return verdicts.map(({ content }) => content)
  const invalid = new Set(selected.flatMap(({ content, message }) => (content === null ? [] : [message])))
  const refusals = await verifyPool.verify(
    selected.map(({ message }) => message),
    (message) => invalid.has(message),
  )
  const bySelected = new Map(selected.map((verdict, index) => [verdict, refusals[index] ?? null]))
  return verdicts.map((verdict) => bySelected.get(verdict) ?? verdict.content)
}

/** Returns the fids that have the pro tier now. */
async function selectPros(
  db: Database,
  fids: readonly (number | null)[],
  nowUnix: number,
): Promise<Set<number>> {
  const rows = await db<{ fid: number }[]>`
    select fid
    from hub.fids
    where fid = any (${fids.filter((fid) => fid !== null)}::bigint[]) and pro_until >= ${nowUnix}::bigint
  `
  return new Set(rows.map(({ fid }) => fid))
}
