import type { UserNameProof } from '@farcaster/core'
import { MessageType, type StorageUnitType } from '@farcaster/core'
import type { Transaction } from '../../platform/db/connection.js'
import type { SignedMessage } from '../../protocol/message.js'
import { MessageSet } from '../../protocol/message-kind.js'
import { limitsOf, type StorageLimits, type StorageUnits, usableUnits } from '../storage-limits.js'
import type { Account } from './account.js'
import { slotOf } from './decide.js'
import type { KeyClaim } from './gasless-key.js'
import { loadKeys } from './key-rows.js'
import { proofSlot, usernameSlot } from './names.js'
import { generationOf } from './rules/lends.js'
import { ruleOf } from './rules.js'
import { type Slot, type StandingRow, slotName, standingFromRow } from './standing.js'
import { decodeProof, nameOf } from './standing-name.js'
import { BatchState, signerName } from './state.js'

/** What a batch holds that asks for state, as `MergeBatch` has it. */
interface Incoming {
  readonly messages: readonly SignedMessage[]
  readonly nameTransfers: readonly UserNameProof[]
  readonly admitted?: ReadonlySet<SignedMessage>
  readonly withdrawals?: readonly SignedMessage[]
}

/**
 * Loads everything that merging these messages and transfers can look at: two round trips, whatever their
 * number.
 */
export async function loadState(
  db: Transaction,
  { messages, nameTransfers: transfers, admitted = new Set(), withdrawals = [] }: Incoming,
  keyClaims: ReadonlyMap<SignedMessage, KeyClaim>,
  nowUnix: number,
): Promise<BatchState> {
  const apps = [...keyClaims.values()].flatMap(({ request }) => (request ? [request.requestFid] : []))
  const fids = [...new Set([...messages.map((message) => message.data.fid), ...apps])]
  const names = namesOf(messages, transfers)
  const [accounts, signers, units, loans, nameRows, keys] = await Promise.all([
    selectAccounts(db, fids),
    selectSigners(db, messages),
    selectUnits(db, fids, nowUnix),
    selectLoans(db, fids),
    names.length > 0 ? selectNames(db, names) : [],
    loadKeys(db, messages, keyClaims),
  ])
  const state = new BatchState(
    accountsOf(accounts, units, loans),
    signers,
    keys,
    keyClaims,
    nowUnix,
    admitted,
  )
  for (const name of names) state.loadName(name, null)
  for (const row of nameRows) {
    const proof = decodeProof(row.proof)
    state.loadName(row.name, { name: row.name, fid: row.fid, proof, messageHash: row.message_hash })
  }
  const slots = slotsOf(messages, names, state)
  await loadSlots(db, state, [...slots, ...withdrawals.flatMap((message) => slotOf(message) ?? [])])
  await loadLinksToCompact(db, state, messages)
  return state
}

function namesOf(messages: readonly SignedMessage[], transfers: readonly UserNameProof[]): string[] {
  const names = new Set(transfers.map(nameOf))
  for (const message of messages) {
    for (const name of ruleOf(message.data.type).names?.(message) ?? []) names.add(name)
  }
  return [...names]
}

function slotsOf(messages: readonly SignedMessage[], names: readonly string[], state: BatchState): Slot[] {
  const slots = new Map<string, Slot>()
  const add = (slot: Slot) => slots.set(slotName(slot), slot)
  for (const message of messages) {
    const own = slotOf(message)
    if (own) add(own)
    for (const slot of ruleOf(message.data.type).slots?.(message) ?? []) add(slot)
  }
  for (const name of names) {
    const holder = state.name(name)?.fid
    if (!holder) continue
    add(usernameSlot(holder))
    add(proofSlot(holder, name))
  }
  return [...slots.values()]
}

interface AccountRow {
  fid: number
  custody_address: Buffer
  pro_until: number
}

function selectAccounts(db: Transaction, fids: number[]): Promise<AccountRow[]> {
  return db<AccountRow[]>`
    select fid, custody_address, pro_until
    from hub.fids
    where fid = any (${fids}::bigint[])
  `
}

/** The signers of these messages that the chain knows, and whether each is active. */
async function selectSigners(
  db: Transaction,
  messages: readonly SignedMessage[],
): Promise<Map<string, boolean>> {
  const wanted = new Map<string, SignedMessage>()
  for (const message of messages) wanted.set(signerName(message.data.fid, message.signer), message)
  const pairs = [...wanted.values()]
  const rows = await db<{ fid: number; key: Buffer; active: boolean }[]>`
    select s.fid, s.key, s.active
    from unnest(
      ${pairs.map((message) => message.data.fid)}::bigint[],
      ${db.types.byteas(pairs.map((message) => message.signer))}::bytea[]
    ) as wanted (fid, key)
    join hub.signers s using (fid, key)
    where s.key_type = 1
  `
  return new Map(rows.map((row) => [signerName(row.fid, row.key), row.active]))
}

interface UnitsRow {
  fid: number
  unit_type: StorageUnitType
  units: number
  /** With those that have expired. */
  ever: number
}

function selectUnits(db: Transaction, fids: number[], nowUnix: number): Promise<UnitsRow[]> {
  return db<UnitsRow[]>`
    select
      fid, unit_type,
      coalesce(sum(units) filter (where expires_at > ${nowUnix}::bigint), 0)::integer as units,
      sum(units)::integer as ever
    from hub.storage_rents
    where fid = any (${fids}::bigint[])
    group by fid, unit_type
  `
}

interface LoanRow {
  from_fid: number
  to_fid: number
  unit_type: StorageUnitType
  units: number
}

function selectLoans(db: Transaction, fids: number[]): Promise<LoanRow[]> {
  return db<LoanRow[]>`
    select from_fid, to_fid, unit_type, units
    from hub.storage_loans
    where from_fid = any (${fids}::bigint[])
    union
    select from_fid, to_fid, unit_type, units
    from hub.storage_loans
    where to_fid = any (${fids}::bigint[])
  `
}

type UnitCounts = { -readonly [Generation in keyof StorageUnits]: number }

function accountsOf(accounts: AccountRow[], units: UnitsRow[], loans: LoanRow[]): Map<number, Account> {
  const own = new Map<number, UnitCounts>()
  const lent = new Map<number, UnitCounts>()
  const borrowed = new Map<number, UnitCounts>()
  const ever = new Map<number, UnitCounts>()
  for (const row of units) {
    count(own, row.fid, row)
    count(ever, row.fid, { ...row, units: row.ever })
  }
  for (const row of loans) {
    count(lent, row.from_fid, row)
    count(borrowed, row.to_fid, row)
  }
  const result = new Map<number, Account>()
  for (const { fid, custody_address, pro_until } of accounts) {
    const ownUnits = own.get(fid) ?? noUnits()
    const lentUnits = lent.get(fid) ?? noUnits()
    const borrowedUnits = borrowed.get(fid) ?? noUnits()
    const limits = limitsOf(usableUnits(ownUnits, lentUnits, borrowedUnits))
    const limitsEver = orUnlimited(
      limitsOf(usableUnits(ever.get(fid) ?? noUnits(), lentUnits, borrowedUnits)),
    )
    result.set(fid, {
      fid,
      custodyAddress: custody_address,
      proUntil: pro_until,
      ownUnits,
      lentUnits,
      limits,
      limitsEver,
    })
  }
  return result
}

/** Of whoever never had storage nothing is known: it was lent units, once. */
function orUnlimited(limits: StorageLimits): StorageLimits {
  if (limits[MessageSet.casts] > 0) return limits
  return limitsOf({ legacy: Number.MAX_SAFE_INTEGER, y2024: 0, y2025: 0 })
}

function noUnits(): UnitCounts {
  return { legacy: 0, y2024: 0, y2025: 0 }
}

function count(
  counts: Map<number, UnitCounts>,
  fid: number,
  row: Pick<UnitsRow, 'unit_type' | 'units'>,
): void {
  const units = counts.get(fid) ?? noUnits()
  units[generationOf(row.unit_type)] += row.units
  counts.set(fid, units)
}

interface NameRow {
  name: string
  fid: number
  proof: Buffer
  message_hash: Buffer | null
}

function selectNames(db: Transaction, names: string[]): Promise<NameRow[]> {
  return db<NameRow[]>`
    select name, fid, proof, message_hash
    from hub.username_proofs
    where name = any (${names}::text[])
  `
}

async function loadSlots(db: Transaction, state: BatchState, slots: Slot[]): Promise<void> {
  if (slots.length === 0) return
  const rows = await db<StandingRow[]>`
    select m.fid, m.set, m.key, m.type, m.ts, m.hash, m.message
    from unnest(
      ${slots.map((slot) => slot.fid)}::bigint[],
      ${slots.map((slot) => slot.set)}::smallint[],
      ${db.types.byteas(slots.map((slot) => slot.key))}::bytea[]
    ) as wanted (fid, set, key)
    cross join lateral (
      select *
      from hub.messages
      where fid = wanted.fid and set = wanted.set and key >= wanted.key
      order by key
      limit 1
    ) m
    where m.key = wanted.key
  `
  for (const row of rows) state.load(row, standingFromRow(row))
  for (const slot of slots) state.load(slot, null)
}

/** A compact state can displace any link of its user, so the links of those who send one are loaded whole. */
async function loadLinksToCompact(
  db: Transaction,
  state: BatchState,
  messages: readonly SignedMessage[],
): Promise<void> {
  const compacts = messages.filter(({ data }) => data.type === MessageType.LINK_COMPACT_STATE)
  if (compacts.length === 0) return
  const rows = await db<StandingRow[]>`
    select fid, set, key, type, ts, hash, message
    from hub.messages
    where fid = any (${compacts.map(({ data }) => data.fid)}::bigint[]) and set = ${MessageSet.links}
  `
  for (const row of rows) state.load(row, standingFromRow(row))
}
