import { MessageType } from '@farcaster/core'
import type { Transaction } from '../../platform/db/connection.js'
import { mentionedFids } from '../message-target.js'
import type { StoredMessage } from './stored-message.js'

/** Adds stored casts to the index of mentioned users. */
export async function insertCastMentions(db: Transaction, added: readonly StoredMessage[]): Promise<void> {
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

interface MentionRow {
  readonly mentionedFid: number
  readonly cast: StoredMessage
}

function mentionRows(messages: readonly StoredMessage[]): MentionRow[] {
  // Only casts are decoded.
  const casts = messages.filter(({ type }) => type === MessageType.CAST_ADD)
  return casts.flatMap((cast) =>
    mentionedFids(cast.message().data).map((mentionedFid) => ({ mentionedFid, cast })),
  )
}

function unnestMentions(db: Transaction, rows: readonly MentionRow[]) {
  return db`unnest(
    ${rows.map(({ mentionedFid }) => mentionedFid)}::bigint[],
    ${rows.map(({ cast }) => cast.ts)}::bigint[],
    ${db.types.byteas(rows.map(({ cast }) => cast.hash))}::bytea[],
    ${rows.map(({ cast }) => cast.fid)}::bigint[]
  )`
}
