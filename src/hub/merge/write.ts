import type { Transaction } from '../../platform/db/connection.js'
import { inPipeline } from '../../platform/db/pipeline.js'
import { MessageType } from '../../protocol/definitions.js'
import { MessageSet } from '../../protocol/message-kind.js'
import { mentionedFids, messageTarget } from '../message-target.js'
import { writeChannels } from './channels/channel-store.js'
import { writeEndedLoans } from './ended-loans.js'
import { writeKeys } from './keys/key-store.js'
import { writeLinkCutoffs } from './link-cutoffs.js'
import { encodeProof } from './names.js'
import type { BatchState, MessageChange, NameHolder, SetCount } from './state.js'
import type { StoredMessage } from './stored-message.js'

/**
 * Writes the changes of a batch. All statements are sent at once, so what is sent behind them finds what they wrote.
 *
 * @param deltas How much each set grows or shrinks.
 */
export async function writeChanges(
  db: Transaction,
  state: BatchState,
  deltas: readonly SetCount[],
): Promise<void> {
  const changes = state.changes()
  const deletions = changes.filter((change) => change.after === null)
  const upserts = changes.flatMap((change) => (change.after ? [change.after] : []))
  const previous = changes.flatMap((change) => (change.before ? [change.before] : []))
  await inPipeline([
    deletions.length > 0 ? deleteMessages(db, deletions) : null,
    upserts.length > 0 ? upsertMessages(db, upserts) : null,
    addToCounts(
      db,
      deltas.filter(({ count }) => count !== 0),
    ),
    writeNames(db, state),
    writeLoans(db, changes),
    writeEndedLoans(db, state.endedLoans),
    writeKeys(db, state.keys),
    writeLinkCutoffs(db, state.linkCutoffs),
    writeChannels(db, state.channels),
    deleteCastMentions(db, previous),
    insertCastMentions(db, upserts),
  ])
}

async function deleteMessages(db: Transaction, changes: readonly MessageChange[]): Promise<void> {
  await db`
    delete from hub.messages
    where ctid in (
      select m.ctid
      from unnest(
        ${changes.map(({ conflictKey }) => conflictKey.fid)}::bigint[],
        ${changes.map(({ conflictKey }) => conflictKey.set)}::smallint[],
        ${db.types.byteas(changes.map(({ conflictKey }) => conflictKey.key))}::bytea[]
      ) as deleted (fid, set, key)
      cross join lateral (
        select ctid, key
        from hub.messages
        where fid = deleted.fid and set = deleted.set and key >= deleted.key
        order by key
        limit 1
      ) m
      where m.key = deleted.key
    )
  `
}

async function upsertMessages(db: Transaction, messages: readonly StoredMessage[]): Promise<void> {
  const targets = messages.map((each) => messageTarget(each.message().data))
  await db`
    insert into hub.messages (fid, set, key, ts, hash, type, message, target)
    select fid, set, key, ts, hash, type, message, target
    from unnest(
      ${messages.map((each) => each.fid)}::bigint[],
      ${messages.map((each) => each.set)}::smallint[],
      ${db.types.byteas(messages.map((each) => each.key))}::bytea[],
      ${messages.map((each) => each.ts)}::bigint[],
      ${db.types.byteas(messages.map((each) => each.hash))}::bytea[],
      ${messages.map((each) => each.type)}::smallint[],
      ${db.types.byteas(messages.map((each) => each.encoded))}::bytea[],
      ${db.types.byteas(targets)}::bytea[]
    ) as incoming (fid, set, key, ts, hash, type, message, target)
    on conflict (fid, set, key) do update
    set ts = excluded.ts,
        hash = excluded.hash,
        type = excluded.type,
        message = excluded.message,
        target = excluded.target
  `
}

/** Adds to the counts of sets. */
export async function addToCounts(db: Transaction, deltas: readonly SetCount[]): Promise<void> {
  if (deltas.length === 0) return
  await db`
    insert into hub.set_counts (fid, set, count)
    select fid, set, count
    from unnest(
      ${deltas.map((delta) => delta.fid)}::bigint[],
      ${deltas.map((delta) => delta.set)}::smallint[],
      ${deltas.map((delta) => delta.count)}::integer[]
    ) as delta (fid, set, count)
    on conflict (fid, set) do update set count = set_counts.count + excluded.count
  `
}

async function writeNames(db: Transaction, state: BatchState): Promise<void> {
  const changes = state.nameChanges()
  const lost = changes.flatMap(({ name, after }) => (after ? [] : [name]))
  const names = changes.flatMap(({ after }) => (after ? [after] : []))
  await Promise.all([
    lost.length > 0 ? deleteNames(db, lost) : null,
    names.length > 0 ? upsertNames(db, names) : null,
  ])
}

async function deleteNames(db: Transaction, names: readonly string[]): Promise<void> {
  await db`
    delete from hub.username_proofs
    where name = any (${db.types.texts(names)}::text[])
  `
}

async function upsertNames(db: Transaction, names: readonly NameHolder[]): Promise<void> {
  const proofs = names.map((each) => encodeProof(each.proof))
  await db`
    insert into hub.username_proofs (name, fid, type, ts, proof, message_hash)
    select name, fid, type, ts, proof, message_hash
    from unnest(
      ${db.types.texts(names.map((each) => each.name))}::text[],
      ${names.map((each) => each.fid)}::bigint[],
      ${names.map((each) => each.proof.type)}::smallint[],
      ${names.map((each) => each.proof.timestamp)}::bigint[],
      ${db.types.byteas(proofs)}::bytea[],
      ${db.types.byteas(names.map((each) => each.messageHash))}::bytea[]
    ) as incoming (name, fid, type, ts, proof, message_hash)
    on conflict (name) do update
    set fid = excluded.fid,
        type = excluded.type,
        ts = excluded.ts,
        proof = excluded.proof,
        message_hash = excluded.message_hash,
        checked_at = null,
        must_check = false
  `
}

/** Writes loans to the table of units of lender and borrower, besides `hub.messages`. */
async function writeLoans(db: Transaction, changes: readonly MessageChange[]): Promise<void> {
  const loans = changes.filter(({ conflictKey }) => conflictKey.set === MessageSet.lends)
  await Promise.all(
    loans.map(({ conflictKey, after }) => {
      const toFid = Number(conflictKey.key.readBigUInt64BE())
      const body = after?.message().data.lendStorageBody
      return body
        ? db`
            insert into hub.storage_loans (from_fid, to_fid, unit_type, units)
            values (${conflictKey.fid}, ${toFid}, ${body.unitType}, ${body.numUnits})
            on conflict (from_fid, to_fid) do update set unit_type = excluded.unit_type, units = excluded.units
          `
        : db`delete from hub.storage_loans where from_fid = ${conflictKey.fid} and to_fid = ${toFid}`
    }),
  )
}

/** Adds stored casts to the index of mentioned users. */
async function insertCastMentions(db: Transaction, added: readonly StoredMessage[]): Promise<void> {
  const rows = mentionRows(added)
  if (rows.length === 0) return
  await db`
    insert into hub.cast_mentions (mentioned_fid, ts, hash, fid)
    select * from ${unnestMentions(db, rows)}
    on conflict do nothing
  `
}

/** Removes deleted casts from the index of mentioned users. */
export async function deleteCastMentions(db: Transaction, deleted: readonly StoredMessage[]): Promise<void> {
  const rows = mentionRows(deleted)
  if (rows.length === 0) return
  await db`
    delete from hub.cast_mentions m
    using ${unnestMentions(db, rows)} as deleted (mentioned_fid, ts, hash, fid)
    where m.mentioned_fid = deleted.mentioned_fid and m.ts = deleted.ts and m.hash = deleted.hash and m.fid = deleted.fid
  `
}

function mentionRows(messages: readonly StoredMessage[]) {
  // Only casts are decoded.
  const casts = messages.filter(({ type }) => type === MessageType.CAST_ADD)
  return casts.flatMap((cast) =>
    mentionedFids(cast.message().data).map((mentionedFid) => ({ mentionedFid, cast })),
  )
}

function unnestMentions(db: Transaction, rows: ReturnType<typeof mentionRows>) {
  return db`unnest(
    ${rows.map(({ mentionedFid }) => mentionedFid)}::bigint[],
    ${rows.map(({ cast }) => cast.ts)}::bigint[],
    ${db.types.byteas(rows.map(({ cast }) => cast.hash))}::bytea[],
    ${rows.map(({ cast }) => cast.fid)}::bigint[]
  )`
}
