import type { Transaction } from '../../platform/db/connection.js'
import { literal } from '../../platform/db/literal.js'
import { inPipeline } from '../../platform/db/pipeline.js'
import { asBuffer } from '../../protocol/bytes.js'
import {
  FarcasterNetwork,
  MessageType,
  type StorageUnitType,
  type UserNameProof,
} from '../../protocol/definitions.js'
import { isV21 } from '../../protocol/engine-version.js'
import { KEY_TYPE_ED25519 } from '../../protocol/key-rules.js'
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
import { loadEndedLoans } from './ended-loans.js'
import type { KeyClaim } from './keys/key-claims.js'
import { loadKeys } from './keys/key-store.js'
import { loadCompaction } from './load-compaction.js'
import { conflictKeyOf } from './merge-message.js'
import { decodeProof, nameOf, ownerConflictKey, proofConflictKey, usernameConflictKey } from './names.js'
import { ruleOf } from './rules.js'
import { type Account, BatchState, type SetCount, signerId } from './state.js'
import {
  type ConflictKey,
  conflictKeyId,
  type StoredMessageRow,
  storedMessageFromRow,
} from './stored-message.js'

/**
 * Loads all state that merging a batch can read or change, in one round trip for any batch size. Held names, compact
 * states, and links that are older than one, take another.
 */
export async function loadState(
  db: Transaction,
  batch: MergeBatch,
  keyClaims: ReadonlyMap<SignedMessage, KeyClaim>,
  nowUnix: number,
  network: number,
): Promise<BatchState> {
  const { messages, upstreamRemovals = [], historical = new Set(), synced = new Set() } = batch
  const { isCopy = false, unconfirmed = new Map(), confirmedProofs = new Map() } = batch
  const apps = [...keyClaims.values()].flatMap(({ request }) => (request ? [request.requestFid] : []))
  const fids = [...new Set([...messages.map((message) => message.data.fid), ...apps])]
  const names = namesOf(batch)
  const ownKeys = [
    ...messages.flatMap(conflictKeysOf),
    ...[...confirmedProofs].map(([{ data }, proof]) => ownerConflictKey(data.fid, proof)),
    ...upstreamRemovals.flatMap((message) => conflictKeyOf(message) ?? []),
  ]
  const countedFids = [...new Set(ownKeys.map(({ fid }) => fid))]
  const loans = ownKeys.filter(({ set }) => set === MessageSet.lends)
  const [accounts, signers, storedMessages, nameRows, keys, channels, counts, endedLoans] = await inPipeline([
    selectAccounts(db, fids, messages, nowUnix),
    selectSigners(db, messages),
    selectStoredMessages(db, ownKeys),
    names.length === 0
      ? []
      : db<{ name: string; fid: number; proof: Buffer; messageHash: Buffer | null }[]>`
          select name, fid, proof, message_hash as "messageHash"
          from hub.username_proofs
          where name = any (${names}::text[])
        `,
    loadKeys(db, messages, keyClaims),
    loadChannels(db, messages),
    selectSetCounts(db, countedFids),
    loadEndedLoans(db, loans),
  ])
  const state = new BatchState({
    accounts: new Map(accounts.map((row) => [row.fid, accountOf(row)])),
    signers,
    keys,
    keyClaims,
    historical,
    synced,
    isCopy,
    channels,
    unconfirmed,
    confirmedProofs,
    isMainnet: network === FarcasterNetwork.MAINNET,
    nowUnix,
    isV21: (time) => isV21(network, time),
  })
  state.loadCounts(countedFids, counts)
  for (const name of names) state.loadName(name, null)
  for (const row of nameRows) state.loadName(row.name, { ...row, proof: decodeProof(row.proof) })
  for (const end of endedLoans) state.endedLoans.load({ ...end, set: MessageSet.lends }, end)
  for (const row of storedMessages) state.load(row, storedMessageFromRow(row))
  for (const conflictKey of ownKeys) state.load(conflictKey, null)
  const holderKeys = holderKeysOf(names, batch.nameTransfers, state)
  for (const row of await selectStoredMessages(db, holderKeys)) state.load(row, storedMessageFromRow(row))
  for (const conflictKey of holderKeys) state.load(conflictKey, null)
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

/** Returns the conflict keys that a message reads or changes, but for those of the holders of names. */
function conflictKeysOf(message: SignedMessage): ConflictKey[] {
  const own = conflictKeyOf(message)
  return own === null ? [] : [own, ...(ruleOf(message.data.type).conflictKeys?.(message) ?? [])]
}

/** Returns the conflict keys of those who hold names, or hold them within the batch by a transfer that a later one follows. */
function holderKeysOf(
  names: readonly string[],
  nameTransfers: readonly UserNameProof[],
  state: BatchState,
): ConflictKey[] {
  const holders = [
    ...names.map((name) => ({ name, fid: state.name(name)?.fid })),
    ...nameTransfers.map((proof) => ({ name: nameOf(proof), fid: proof.fid })),
  ]
  return holders.flatMap(({ name, fid }) =>
    fid ? [usernameConflictKey(fid), proofConflictKey(fid, name)] : [],
  )
}

interface AccountRow extends Pick<Account, 'fid' | 'custodyAddress' | 'proUntil' | 'verifications'> {
  readonly rents: readonly RentRow[] | null
  readonly loans: readonly LoanRow[] | null
}

interface RentRow {
  readonly type: StorageUnitType
  readonly units: number
  /** Counts expired units too. */
  readonly ever: number
}

interface LoanRow {
  readonly from: number
  readonly to: number
  readonly type: StorageUnitType
  readonly units: number
}

/** Selects accounts with their storage, and with the counts of verifications for those that send some. */
function selectAccounts(
  db: Transaction,
  fids: readonly number[],
  messages: readonly SignedMessage[],
  nowUnix: number,
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
      ${verifying.length > 0 ? counts : db`null`} as verifications,
      (
        select json_agg(json_build_object('type', unit_type, 'units', units, 'ever', ever))
        from (
          select
            unit_type,
            coalesce(sum(units) filter (where expires_at > ${nowUnix}::bigint), 0)::bigint as units,
            sum(units)::bigint as ever
          from hub.storage_rents r
          where r.fid = fids.fid
          group by unit_type
        ) rents
      ) as rents,
      (
        select json_agg(json_build_object('from', from_fid, 'to', to_fid, 'type', unit_type, 'units', units))
        from (
          select from_fid, to_fid, unit_type, units
          from hub.storage_loans
          where from_fid = fids.fid
          union
          select from_fid, to_fid, unit_type, units
          from hub.storage_loans
          where to_fid = fids.fid
        ) loans
      ) as loans
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
    where s.key_type = ${literal(db, KEY_TYPE_ED25519)}
  `
  return new Map(rows.map((row) => [signerId(row.fid, row.key), row.active]))
}

type UnitCounts = { -readonly [Generation in keyof StorageUnits]: number }

function accountOf({ rents, loans, ...account }: AccountRow): Account {
  const { fid } = account
  const ownUnits = noUnits()
  const unitsEver = noUnits()
  const lentUnits = noUnits()
  const borrowedUnits = noUnits()
  for (const { type, units, ever } of rents ?? []) {
    ownUnits[generationOf(type)] += units
    unitsEver[generationOf(type)] += ever
  }
  for (const { from, to, type, units } of loans ?? []) {
    if (from === fid) lentUnits[generationOf(type)] += units
    if (to === fid) borrowedUnits[generationOf(type)] += units
  }
  const limits = limitsOf(usableUnits(ownUnits, lentUnits, borrowedUnits))
  const historicalLimits = unlimitedIfNone(limitsOf(usableUnits(unitsEver, lentUnits, borrowedUnits)))
  return { ...account, ownUnits, lentUnits, limits, historicalLimits }
}

/** A fid that never rented storage was lent it once, an unknown amount: historical messages are unlimited. */
function unlimitedIfNone(limits: StorageLimits): StorageLimits {
  if (limits[MessageSet.casts] > 0) return limits
  return limitsOf({ legacy: Number.MAX_SAFE_INTEGER, y2024: 0, y2025: 0 })
}

function noUnits(): UnitCounts {
  return { legacy: 0, y2024: 0, y2025: 0 }
}

/** Selects the counts of the sets that hold something. */
async function selectSetCounts(db: Transaction, fids: readonly number[]): Promise<SetCount[]> {
  if (fids.length === 0) return []
  return await db<SetCount[]>`
    select fid, set, count
    from hub.set_counts
    where fid = any (${[...fids]}::bigint[])
  `
}

/** Selects what is stored under conflict keys, each of which may be given several times. */
async function selectStoredMessages(
  db: Transaction,
  givenKeys: readonly ConflictKey[],
): Promise<StoredMessageRow[]> {
  if (givenKeys.length === 0) return []
  const conflictKeys = [...new Map(givenKeys.map((key) => [conflictKeyId(key), key])).values()]
  return await db<StoredMessageRow[]>`
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
}
