import type { Database, Transaction } from '../../platform/db/connection.js'
import { decodeStoredMessage } from '../../protocol/codec.js'
import { OnChainEvent, UserNameType } from '../../protocol/definitions.js'
import { MessageSet } from '../../protocol/message-kind.js'
import type { Nonce } from '../merge/keys/key-state.js'
import { mergeOrder } from '../merge/rules.js'
import { removesSigner } from '../reorder-buffer.js'
import { chainEventFrame, keyNonceFrame, messageFrame, nameTransferFrame } from './frame.js'
import type { ArchiveWriter } from './writer.js'

export interface ExportOptions {
  readonly db: Database
  readonly writer: ArchiveWriter
  /** Exports only these users; by default all users and released names. */
  readonly fids?: readonly number[]
  /** Last exported fid of an earlier run, from the archive; null to start from the beginning. */
  readonly after: number | null
  readonly signal?: AbortSignal
  /** Called after each user with the number of frames in the archive. */
  readonly onProgress?: (frames: number) => void
}

/** Users read in one transaction. */
const PAGE_FIDS = 100
/** Messages read in one statement. */
const PAGE_MESSAGES = 2000

/** Small sets that other messages depend on: read whole and sorted in merge order. */
const ACCOUNT_SETS = [
  MessageSet.keys,
  MessageSet.verifications,
  MessageSet.usernameProofs,
  MessageSet.userData,
]

/**
 * Writes users into an archive, by fid: on-chain events, name transfers, messages in merge order, nonces of keys, removals
 * of signers.
 *
 * Loans of storage come before the users who have borrowed it: their messages would not fit without it.
 *
 * Keys come first because they sign other messages. Removals of signers come last: messages of a removed
 * signer remain valid (docs/protocol.md §4.9), but merge only before the removal.
 *
 * A page of users is read in one repeatable-read transaction, so each user is consistent. Different users may
 * be of different moments: a long export does not hold back the vacuum of the database.
 *
 * @returns false if the signal stopped it; a later run can resume the archive.
 */
export async function exportAll(options: ExportOptions): Promise<boolean> {
  const { db, writer, fids, signal } = options
  let after = options.after ?? 0
  if (options.after === null && fids === undefined) {
    await exportReleasedNames(db, writer)
    await exportSharedEvents(db, writer)
    await writer.checkpoint(0)
  }
  for (;;) {
    const page = await nextFids(db, after, fids)
    if (page.length === 0) {
      if (fids === undefined) await exportChannelMessages(db, writer)
      return true
    }
    await db.begin('isolation level repeatable read read only', async (transaction) => {
      // A reader of standard output may be slow.
      await transaction`set local idle_in_transaction_session_timeout = 0`
      await exportPage(transaction, page, options)
    })
    if (signal?.aborted) return false
    after = page.at(-1)!
  }
}

/** Estimates the frames of an export: messages, on-chain events, names and nonces. */
export async function countFrames(db: Database, fids?: readonly number[]): Promise<number> {
  const [row] = await db<{ frames: number }[]>`
    select (
      (select coalesce(sum(count), 0) from hub.set_counts where ${fids === undefined} or fid = any (${fids ?? []}::bigint[]))
      + (select count(*) from hub.onchain_events where ${fids === undefined} or fid = any (${fids ?? []}::bigint[]))
      + (select count(*) from hub.username_proofs where ${fids === undefined} or fid = any (${fids ?? []}::bigint[]))
      + (select count(*) from hub.key_nonces where ${fids === undefined} or fid = any (${fids ?? []}::bigint[]))
    )::bigint as frames
  `
  return row!.frames
}

/**
 * Exports released names, so that an older transfer does not restore them in another hub. The others of nobody are lost
 * (`isLost`): their proofs would restore them.
 */
async function exportReleasedNames(db: Database, writer: ArchiveWriter): Promise<void> {
  let after = ''
  for (;;) {
    const rows = await db<{ name: string; proof: Buffer }[]>`
      select name, proof from hub.username_proofs
      where fid = 0 and type = ${UserNameType.USERNAME_TYPE_FNAME} and message_hash is null and name > ${after}
      order by name
      limit ${PAGE_MESSAGES}
    `
    for (const { proof } of rows) await writer.add(nameTransferFrame(proof))
    if (rows.length < PAGE_MESSAGES) return
    after = rows.at(-1)!.name
  }
}

/** Exports on-chain events that belong to no user: those of channels, and the migration of keys. */
async function exportSharedEvents(db: Database, writer: ArchiveWriter): Promise<void> {
  let after = { type: 0, block_number: 0, log_index: 0 }
  for (;;) {
    const rows = await db<{ type: number; block_number: number; log_index: number; event: Buffer }[]>`
      select type, block_number, log_index, event from hub.onchain_events
      where fid = 0 and (type, block_number, log_index)
        > (${after.type}::smallint, ${after.block_number}::bigint, ${after.log_index}::integer)
      order by type, block_number, log_index
      limit ${PAGE_MESSAGES}
    `
    for (const { event } of rows) await writer.add(chainEventFrame(event))
    if (rows.length < PAGE_MESSAGES) return
    after = rows.at(-1)!
  }
}

interface SlotRow {
  readonly channel_id: Buffer
  readonly type: number
  readonly key: Buffer
  readonly message: Buffer
}

/** Exports the messages in the slots of channels, after all users: their senders and signers are merged first. */
async function exportChannelMessages(db: Database, writer: ArchiveWriter): Promise<void> {
  let after: Omit<SlotRow, 'message'> = { channel_id: Buffer.alloc(0), type: 0, key: Buffer.alloc(0) }
  for (;;) {
    const rows = await db<SlotRow[]>`
      select channel_id, type, key, message from hub.channel_messages
      where (channel_id, type, key) > (${after.channel_id}::bytea, ${after.type}::smallint, ${after.key}::bytea)
      order by channel_id, type, key
      limit ${PAGE_MESSAGES}
    `
    for (const { message } of rows) await writer.add(messageFrame(message))
    if (rows.length < PAGE_MESSAGES) return
    after = rows.at(-1)!
  }
}

/**
 * Returns the next users that have on-chain events, or names: where a part of the network is synced, names come of everybody. Other
 * fids have no messages.
 */
async function nextFids(db: Database, after: number, fids: readonly number[] | undefined): Promise<number[]> {
  if (fids !== undefined) {
    const sorted = [...new Set(fids)].sort((a, b) => a - b)
    return sorted.filter((fid) => fid > after).slice(0, PAGE_FIDS)
  }
  const rows = await db<{ fid: number }[]>`
    (select distinct fid from hub.onchain_events where fid > ${after} order by fid limit ${PAGE_FIDS})
    union
    (
      select distinct fid from hub.username_proofs
      where fid > ${after} and message_hash is null
      order by fid
      limit ${PAGE_FIDS}
    )
    order by fid
    limit ${PAGE_FIDS}
  `
  return rows.map(({ fid }) => fid)
}

async function exportPage(db: Transaction, fids: readonly number[], options: ExportOptions): Promise<void> {
  const { writer, signal, onProgress } = options
  const [chain, names, account, nonces] = await Promise.all([
    selectChainEvents(db, fids),
    selectNameTransfers(db, fids),
    selectAccountMessages(db, fids, ACCOUNT_SETS),
    selectKeyNonces(db, fids),
  ])
  await exportLoans(db, fids, options)
  for (const fid of fids) {
    const events = chain.get(fid) ?? []
    for (const { bytes } of events.filter(({ removes }) => !removes)) await writer.add(chainEventFrame(bytes))
    for (const proof of names.get(fid) ?? []) await writer.add(nameTransferFrame(proof))
    for (const message of account.get(fid) ?? []) await writer.add(message)
    await exportMessages(db, fid, writer)
    for (const nonce of nonces.get(fid) ?? []) await writer.add(keyNonceFrame(nonce))
    for (const { bytes } of events.filter(({ removes }) => removes)) await writer.add(chainEventFrame(bytes))
    await writer.checkpoint(fid)
    onProgress?.(writer.frames)
    if (signal?.aborted) return
  }
}

/**
 * Exports the storage that is lent to users before what they have stored in it, with what its lenders need to lend it: their
 * on-chain events, keys, and nonces of keys. Lenders that are exported themselves come once more, with their removed signers.
 */
async function exportLoans(
  db: Transaction,
  borrowers: readonly number[],
  { writer, fids: exported }: ExportOptions,
): Promise<void> {
  const rows = await db<{ fid: number; message: Buffer }[]>`
    select m.fid, m.message
    from hub.storage_loans l
    join hub.messages m on m.fid = l.from_fid and m.set = ${MessageSet.lends} and m.key = int8send(l.to_fid)
    where l.to_fid = any (${borrowers}::bigint[])
    order by m.fid, m.ts, m.hash
  `
  if (rows.length === 0) return
  const loans = groupByFid(rows, ({ message }) => messageFrame(message))
  const lenders = [...loans.keys()]
  const chain = await selectChainEvents(db, lenders)
  const keys = await selectAccountMessages(db, lenders, [MessageSet.keys])
  const nonces = await selectKeyNonces(db, lenders)
  for (const [lender, frames] of loans) {
    const events = chain.get(lender) ?? []
    for (const { bytes } of events.filter(({ removes }) => !removes)) await writer.add(chainEventFrame(bytes))
    for (const frame of [...(keys.get(lender) ?? []), ...frames]) await writer.add(frame)
    for (const nonce of nonces.get(lender) ?? []) await writer.add(keyNonceFrame(nonce))
    if (exported === undefined || exported.includes(lender)) continue
    for (const { bytes } of events.filter(({ removes }) => removes)) await writer.add(chainEventFrame(bytes))
  }
}

async function selectChainEvents(db: Transaction, fids: readonly number[]) {
  const rows = await db<{ fid: number; event: Buffer }[]>`
    select fid, event from hub.onchain_events
    where fid = any (${fids}::bigint[])
    order by fid, block_number, log_index
  `
  const events = rows.map(({ fid, event }) => ({
    fid,
    bytes: event,
    removes: removesSigner(OnChainEvent.decode(event)),
  }))
  return groupByFid(events, (event) => event)
}

async function selectNameTransfers(db: Transaction, fids: readonly number[]): Promise<Map<number, Buffer[]>> {
  const rows = await db<{ fid: number; proof: Buffer }[]>`
    select fid, proof from hub.username_proofs
    where fid = any (${fids}::bigint[]) and fid > 0 and message_hash is null
    order by fid, ts, name
  `
  return groupByFid(rows, ({ proof }) => proof)
}

/** Selects the nonces of users and apps: KEY_ADD messages of keys that were removed are not stored. */
async function selectKeyNonces(db: Transaction, fids: readonly number[]): Promise<Map<number, Nonce[]>> {
  const rows = await db<Nonce[]>`
    select kind, fid, nonce from hub.key_nonces
    where fid = any (${fids}::bigint[])
    order by fid, kind
  `
  return groupByFid(rows, (nonce) => nonce)
}

/** Returns frames of small sets by fid, in merge order. */
async function selectAccountMessages(
  db: Transaction,
  fids: readonly number[],
  sets: readonly MessageSet[],
): Promise<Map<number, Buffer[]>> {
  const rows = await db<{ fid: number; set: MessageSet; message: Buffer }[]>`
    select fid, set, message from hub.messages
    where fid = any (${fids}::bigint[]) and set = any (${sets}::smallint[])
    order by fid, ts, hash
  `
  const ordered = rows.map(({ fid, set, message }) => {
    const { data } = decodeStoredMessage(message)
    const [priority, nonce] = set === MessageSet.keys ? [-1, data.keyAddBody!.nonce] : [mergeOrder(data), 0]
    return { fid, priority, nonce, frame: messageFrame(message, data.usernameProofBody) }
  })
  // The sort is stable: it keeps the order of time within a priority, but for keys.
  ordered.sort((a, b) => a.fid - b.fid || a.priority - b.priority || a.nonce - b.nonce)
  return groupByFid(ordered, ({ frame }) => frame)
}

/** Exports the large sets in index order: set, then time. */
async function exportMessages(db: Transaction, fid: number, writer: ArchiveWriter): Promise<void> {
  let last: { set: number; ts: number; hash: Buffer } = { set: 0, ts: 0, hash: Buffer.alloc(0) }
  for (;;) {
    const rows = await db<{ set: number; ts: number; hash: Buffer; message: Buffer }[]>`
      select set, ts, hash, message from hub.messages
      where fid = ${fid} and (set, ts, hash) > (${last.set}::smallint, ${last.ts}::bigint, ${last.hash}::bytea)
        and set <> all (${ACCOUNT_SETS}::smallint[])
      order by set, ts, hash
      limit ${PAGE_MESSAGES}
    `
    for (const { message } of rows) await writer.add(messageFrame(message))
    if (rows.length < PAGE_MESSAGES) return
    last = rows.at(-1)!
  }
}

function groupByFid<Row extends { readonly fid: number }, T>(
  rows: readonly Row[],
  value: (row: Row) => T,
): Map<number, T[]> {
  const groups = new Map<number, T[]>()
  for (const row of rows) {
    const group = groups.get(row.fid) ?? []
    group.push(value(row))
    groups.set(row.fid, group)
  }
  return groups
}
