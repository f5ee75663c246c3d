import type { Fragment } from '#postgres'
import type { Database } from '../../platform/db/connection.js'
import { HOUR_SECONDS } from '../../platform/durations.js'
import type { Log } from '../../platform/log/log.js'
import { decodeStoredMessage } from '../../protocol/codec.js'
import { UserNameProof, UserNameType } from '../../protocol/definitions.js'
import { MessageSet } from '../../protocol/message-kind.js'
import type { Endpoint } from '../chain/endpoint.js'
import type { Hub } from '../hub.js'
import { chainOfName, isOwnedAs, lookUpName } from './chain-claims.js'
import type { ChainLookups } from './chain-lookups.js'

export interface NameRecheckOptions {
  /** For reads and for the marks of checked names. */
  readonly db: Database
  readonly hub: Pick<Hub, 'removeLostNames' | 'submitItems'>
  readonly lookups: ChainLookups
  readonly log: Log
  /** Unix milliseconds. */
  readonly clock: () => number
  /** Names are checked again after this many hours; 0 checks only names that older versions merged unchecked, once. */
  readonly everyHours: number
}

/** Result of one run. */
export interface NameRecheckResult {
  readonly kept: number
  readonly removed: number
}

/** Names of one run, each with two calls to every RPC URL. */
const BATCH_SIZE = 100
/** Names without an answer that end a run: the RPC is probably away. They stay as they are, and are behind the others in the next one. */
const MAX_FAILURES = 3
/** Age of the last block from which on a chain is not up to date: an RPC that still syncs knows no names. */
const MAX_BLOCK_AGE_SECONDS = HOUR_SECONDS

const nameTypes = [UserNameType.USERNAME_TYPE_ENS_L1, UserNameType.USERNAME_TYPE_BASENAME] as const

interface NameRow {
  readonly name: string
  readonly fid: number
  readonly proof: Buffer
  /** Null if the proof came without its message, as in a copy from another hub. */
  readonly message: Buffer | null
  /** Unix seconds. */
  readonly checkedAt: number | null
}

/**
 * Resolves a batch of stored names again, those that waited longest first, and removes those that no longer resolve to
 * the owner in their proof. A chain that does not answer, whose RPC URLs disagree or that is not up to date changes
 * nothing.
 */
export async function recheckNames(options: NameRecheckOptions): Promise<NameRecheckResult> {
  const { db, lookups, log, clock } = options
  const nowUnix = Math.floor(clock() / 1000)
  const types = await findTypesUpToDate(lookups, nowUnix)
  const rows = types.length === 0 ? [] : await readNamesToCheck(options, types, nowUnix)
  const kept: NameRow[] = []
  const unanswered: NameRow[] = []
  const lost: NameRow[] = []
  // One after the other: nobody waits for it.
  for (const row of rows) {
    const proof = UserNameProof.decode(row.proof)
    const found = await lookUpName(lookups, proof)
    if ('refusal' in found) unanswered.push(row)
    else if (isOwnedAs(proof, found.answer)) kept.push(row)
    else lost.push(row)
    if (unanswered.length === MAX_FAILURES) break
  }
  await markChecked(db, { kept, unanswered }, nowUnix)
  const outcomes = await removeNames(options, lost)
  const removed = lost.filter((_, index) => outcomes[index] === null)
  for (const { name, fid } of removed)
    log.warn({ name, fid }, 'a name no longer resolves to its owner and is removed')
  return { kept: kept.length, removed: removed.length }
}

/** Returns the types of names whose chain is set up, answers, and has a recent block. */
async function findTypesUpToDate(lookups: ChainLookups, nowUnix: number): Promise<UserNameType[]> {
  const isRecent = async (endpoint: Endpoint) => {
    const header = await endpoint.header(await endpoint.head())
    return header !== null && nowUnix - header.timestamp <= MAX_BLOCK_AGE_SECONDS
  }
  const found = await Promise.all(
    nameTypes.map(async (type) => {
      const chain = chainOfName(type)
      if (!lookups.isConfigured(chain)) return []
      const lookup = await lookups.ask(chain, isRecent)
      return 'answer' in lookup && lookup.answer ? [type] : []
    }),
  )
  return found.flat()
}

/**
 * Removes names. If the operator wants names to be checked again and again, their proofs do not come back with the next
 * comparison with an upstream; if not, what the network has comes back (docs/protocol.md §4.9).
 */
function removeNames({ hub, everyHours }: NameRecheckOptions, lost: readonly NameRow[]) {
  if (everyHours === 0)
    return hub.removeLostNames(lost.flatMap(({ message }) => (message ? [decodeStoredMessage(message)] : [])))
  return hub.submitItems(
    lost.map(({ proof }) => ({ kind: 'nameTransfer', proof: UserNameProof.decode(proof), isLost: true })),
  )
}

/**
 * Reads the names that must be checked, and those that were not checked for long enough, if names are checked again at all: what
 * was checked longest ago first, so that names without an answer do not stand before the others.
 */
async function readNamesToCheck(
  { db, everyHours }: NameRecheckOptions,
  types: readonly UserNameType[],
  nowUnix: number,
): Promise<NameRow[]> {
  const due = await readNames(db, types, db`p.must_check and m.message is not null`, BATCH_SIZE)
  if (everyHours === 0) return due
  const sinceUnix = nowUnix - everyHours * HOUR_SECONDS
  const isOld = db`(p.checked_at is null or p.checked_at <= ${sinceUnix}::bigint)`
  const names = new Set(due.map(({ name }) => name))
  const old = await readNames(db, types, isOld, BATCH_SIZE)
  const all = [...due, ...old.filter(({ name }) => !names.has(name))]
  return all.sort((a, b) => (a.checkedAt ?? 0) - (b.checkedAt ?? 0)).slice(0, BATCH_SIZE)
}

function readNames(
  db: Database,
  types: readonly UserNameType[],
  condition: Fragment,
  limit: number,
): Promise<NameRow[]> {
  // The first two conditions are those of the indexes, as constants: without fnames, and names of nobody.
  return db<NameRow[]>`
    select p.name, p.fid, p.proof, m.message, p.checked_at as "checkedAt"
    from hub.username_proofs p
    left join hub.messages m
      on m.fid = p.fid
      and m.set = ${MessageSet.usernameProofs}::smallint
      and m.key = convert_to(p.name, 'UTF8')
      and m.hash = p.message_hash
    where p.type <> 1
      and p.fid > 0
      and p.type = any (${types}::smallint[])
      and ${condition}
    order by p.checked_at nulls first
    limit ${limit}::bigint
  `
}

/**
 * Stores when names were checked. A name without an answer that has to be checked has to be so still, and one that has got another
 * proof meanwhile was not checked.
 */
async function markChecked(
  db: Database,
  { kept, unanswered }: { readonly kept: readonly NameRow[]; readonly unanswered: readonly NameRow[] },
  nowUnix: number,
): Promise<void> {
  const checked = [...kept, ...unanswered]
  if (checked.length === 0) return
  await db`
    update hub.username_proofs p
    set checked_at = ${nowUnix}::bigint, must_check = p.must_check and checked.is_unanswered
    from unnest(
      ${db.types.texts(checked.map(({ name }) => name))}::text[],
      ${db.types.byteas(checked.map(({ proof }) => proof))}::bytea[],
      ${db.types.bools(checked.map((row) => unanswered.includes(row)))}::boolean[]
    ) as checked (name, proof, is_unanswered)
    where p.name = checked.name and p.proof = checked.proof
  `
}
