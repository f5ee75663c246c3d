import type { Transaction } from '../../platform/db/connection.js'
import { asBuffer } from '../../protocol/bytes.js'
import { MessageType, type StorageUnitType } from '../../protocol/definitions.js'
import { isV21 } from '../../protocol/engine-version.js'
import type { SignedMessage } from '../../protocol/message.js'
import { MessageSet } from '../../protocol/message-kind.js'
import { typedKindOf } from '../../protocol/message-kinds.js'
import {
  generationOf,
  limitsOf,
  type StorageLimits,
  type StorageUnits,
  usableUnits,
} from '../storage-limits.js'
import type { MergeBatch } from './batch.js'
import { loadChannels } from './channels/channel-store.js'
import { type KeyClaim, loadKeys } from './gasless-keys.js'
import { loadCompaction } from './load-compaction.js'
import { conflictKeyOf } from './merge-message.js'
import { decodeProof, nameOf, proofConflictKey, usernameConflictKey } from './names.js'
import { ruleOf } from './rules.js'
import { type Account, BatchState, signerId } from './state.js'
import {
  type ConflictKey,
  conflictKeyId,
  type StoredMessageRow,
  storedMessageFromRow,
} from './stored-message.js'

/**
 * Loads all state that merging a batch can read or change, in two round trips for any batch size. Compact states, and
 * links that are older than one, take a third.
 */
export async function loadState(
  db: Transaction,
  batch: MergeBatch,
  keyClaims: ReadonlyMap<SignedMessage, KeyClaim>,
  nowUnix: number,
  network: number,
): Promise<BatchState> {
  const { messages, historical = new Set(), unconfirmed = new Map(), upstreamRemovals = [] } = batch
  const apps = [...keyClaims.values()].flatMap(({ request }) => (request ? [request.requestFid] : []))
  const fids = [...new Set([...messages.map((message) => message.data.fid), ...apps])]
  const names = namesOf(batch)
  const [accounts, signers, units, loans, nameRows, keys, channels] = await Promise.all([
    selectAccounts(db, fids, messages),
    selectSigners(db, messages),
    selectUnits(db, fids, nowUnix),
    selectLoans(db, fids),
    names.length === 0
      ? []
      : db<{ name: string; fid: number; proof: Buffer; messageHash: Buffer | null }[]>`
          select name, fid, proof, message_hash as "messageHash"
          from hub.username_proofs
          where name = any (${names}::text[])
        `,
    loadKeys(db, messages, keyClaims),
    loadChannels(db, messages),
  ])
  const accountsByFid = accountsOf(accounts, units, loans)
  const state = new BatchState(
    accountsByFid,
    signers,
    keys,
    keyClaims,
    nowUnix,
    historical,
    channels,
    (time) => isV21(network, time),
    unconfirmed,
  )
  for (const name of names) state.loadName(name, null)
  for (const row of nameRows) state.loadName(row.name, { ...row, proof: decodeProof(row.proof) })
  const conflictKeys = conflictKeysOf(messages, names, state)
  await loadStoredMessages(db, state, [
    ...conflictKeys,
    ...upstreamRemovals.flatMap((message) => conflictKeyOf(message) ?? []),
  ])
  await loadCompaction(db, state, messages, upstreamRemovals)
  return state
}

function namesOf({ messages, nameTransfers, lostNames = [] }: MergeBatch): string[] {
  const names = new Set([
    ...nameTransfers.map(nameOf),
    ...lostNames.map(({ data }) => nameOf(data.usernameProofBody!)),
  ])
  for (const message of messages) {
    if (typedKindOf(message.data) === undefined) continue
    for (const name of ruleOf(message.data.type).names?.(message) ?? []) names.add(name)
  }
  return [...names]
}

function conflictKeysOf(
  messages: readonly SignedMessage[],
  names: readonly string[],
  state: BatchState,
): ConflictKey[] {
  const conflictKeys = new Map<string, ConflictKey>()
  const add = (conflictKey: ConflictKey) => conflictKeys.set(conflictKeyId(conflictKey), conflictKey)
  for (const message of messages) {
    const own = conflictKeyOf(message)
    if (own === null) continue
    add(own)
    for (const conflictKey of ruleOf(message.data.type).conflictKeys?.(message) ?? []) add(conflictKey)
  }
  for (const name of names) {
    const holder = state.name(name)?.fid
    if (!holder) continue
    add(usernameConflictKey(holder))
    add(proofConflictKey(holder, name))
  }
  return [...conflictKeys.values()]
}

type AccountRow = Pick<Account, 'fid' | 'custodyAddress' | 'proUntil' | 'verifications'>

/** Selects accounts, with the counts of verifications for those that send some. */
function selectAccounts(
  db: Transaction,
  fids: readonly number[],
  messages: readonly SignedMessage[],
): Promise<AccountRow[]> {
  const verifying = messages.flatMap(({ data }) =>
    typedKindOf(data)?.set === MessageSet.verifications ? [data.fid] : [],
  )
  const counts = db`
    case when fid = any (${verifying}::bigint[]) then (
      select jsonb_build_object(
        'live', count(*) filter (where m.type = ${MessageType.VERIFICATION_ADD_ETH_ADDRESS}),
        'removed', count(*) filter (where m.type = ${MessageType.VERIFICATION_REMOVE})
      )
      from hub.messages m
      where m.fid = fids.fid and m.set = ${MessageSet.verifications}
    ) end
  `
  return db<AccountRow[]>`
    select
      fid, custody_address as "custodyAddress", pro_until as "proUntil",
      ${verifying.length > 0 ? counts : db`null`} as verifications
    from hub.fids
    where fid = any (${[...fids]}::bigint[])
  `
}

/** Selects on-chain signers of messages or KEY_ADDs (docs/protocol.md §4.6): active or not, by `signerId`. */
async function selectSigners(
  db: Transaction,
  messages: readonly SignedMessage[],
): Promise<Map<string, boolean>> {
  const keysById = new Map<string, { fid: number; key: Buffer }>()
  for (const { data, signer } of messages) {
    const keys = data.keyAddBody ? [signer, asBuffer(data.keyAddBody.key)] : [signer]
    for (const key of keys) keysById.set(signerId(data.fid, key), { fid: data.fid, key })
  }
  const pairs = [...keysById.values()]
  const rows = await db<{ fid: number; key: Buffer; active: boolean }[]>`
    select s.fid, s.key, s.active
    from unnest(
      ${pairs.map(({ fid }) => fid)}::bigint[],
      ${db.types.byteas(pairs.map(({ key }) => key))}::bytea[]
    ) as inputs (fid, key)
    join hub.signers s using (fid, key)
    where s.key_type = 1
  `
  return new Map(rows.map((row) => [signerId(row.fid, row.key), row.active]))
}

interface UnitsRow {
  fid: number
  unit_type: StorageUnitType
  units: number
  /** Counts expired units too. */
  unitsEver: number
}

function selectUnits(db: Transaction, fids: number[], nowUnix: number): Promise<UnitsRow[]> {
  return db<UnitsRow[]>`
    select
      fid, unit_type,
      coalesce(sum(units) filter (where expires_at > ${nowUnix}::bigint), 0)::integer as units,
      sum(units)::integer as "unitsEver"
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
  const unitsEver = new Map<number, UnitCounts>()
  for (const row of units) {
    addUnits(own, row.fid, row)
    addUnits(unitsEver, row.fid, { ...row, units: row.unitsEver })
  }
  for (const row of loans) {
    addUnits(lent, row.from_fid, row)
    addUnits(borrowed, row.to_fid, row)
  }
  const result = new Map<number, Account>()
  for (const account of accounts) {
    const { fid } = account
    const ownUnits = own.get(fid) ?? noUnits()
    const lentUnits = lent.get(fid) ?? noUnits()
    const borrowedUnits = borrowed.get(fid) ?? noUnits()
    const limits = limitsOf(usableUnits(ownUnits, lentUnits, borrowedUnits))
    const historicalLimits = unlimitedIfNone(
      limitsOf(usableUnits(unitsEver.get(fid) ?? noUnits(), lentUnits, borrowedUnits)),
    )
    result.set(fid, { ...account, ownUnits, lentUnits, limits, historicalLimits })
  }
  return result
}

/** A fid that never rented storage was lent it once, an unknown amount: historical messages are unlimited. */
function unlimitedIfNone(limits: StorageLimits): StorageLimits {
  if (limits[MessageSet.casts] > 0) return limits
  return limitsOf({ legacy: Number.MAX_SAFE_INTEGER, y2024: 0, y2025: 0 })
}

function noUnits(): UnitCounts {
  return { legacy: 0, y2024: 0, y2025: 0 }
}

function addUnits(
  counts: Map<number, UnitCounts>,
  fid: number,
  row: Pick<UnitsRow, 'unit_type' | 'units'>,
): void {
  const units = counts.get(fid) ?? noUnits()
  units[generationOf(row.unit_type)] += row.units
  counts.set(fid, units)
}

async function loadStoredMessages(
  db: Transaction,
  state: BatchState,
  conflictKeys: ConflictKey[],
): Promise<void> {
  if (conflictKeys.length === 0) return
  const rows = await db<StoredMessageRow[]>`
    select m.fid, m.set, m.key, m.type, m.ts, m.hash, m.message
    from unnest(
      ${conflictKeys.map((conflictKey) => conflictKey.fid)}::bigint[],
      ${conflictKeys.map((conflictKey) => conflictKey.set)}::smallint[],
      ${db.types.byteas(conflictKeys.map((conflictKey) => conflictKey.key))}::bytea[]
    ) as inputs (fid, set, key)
    cross join lateral (
      select *
      from hub.messages
      where fid = inputs.fid and set = inputs.set and key >= inputs.key
      order by key
      limit 1
    ) m
    where m.key = inputs.key
  `
  for (const row of rows) state.load(row, storedMessageFromRow(row))
  for (const conflictKey of conflictKeys) state.load(conflictKey, null)
}
