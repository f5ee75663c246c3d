import { MessageType } from '@farcaster/core'
import type { Transaction } from '../../platform/db/connection.js'
import { lookupMentions } from '../lookup.js'
import type { Standing } from './standing.js'

/** Makes casts that have come be found by whom they mention. */
export async function insertCastMentions(db: Transaction, come: readonly Standing[]): Promise<void> {
  const rows = mentionRows(come)
  if (rows.length === 0) return
  await db`
    insert into hub.cast_mentions (mentioned_fid, ts, hash, fid)
    select * from ${unnested(db, rows)}
    on conflict do nothing
  `
}

/** Forgets whom casts mention that are gone. */
export async function deleteCastMentions(db: Transaction, gone: readonly Standing[]): Promise<void> {
  const rows = mentionRows(gone)
  if (rows.length === 0) return
  await db`
    delete from hub.cast_mentions m
    using ${unnested(db, rows)} as gone (mentioned_fid, ts, hash, fid)
    where m.mentioned_fid = gone.mentioned_fid and m.ts = gone.ts and m.hash = gone.hash and m.fid = gone.fid
  `
}

interface MentionRow {
  readonly mentionedFid: number
  readonly cast: Standing
}

function mentionRows(standing: readonly Standing[]): MentionRow[] {
  // Only casts are decoded: what else stands in a batch is not looked into for this.
  const casts = standing.filter(({ type }) => type === MessageType.CAST_ADD)
  return casts.flatMap((cast) =>
    lookupMentions(cast.message().data).map((mentionedFid) => ({ mentionedFid, cast })),
  )
}

function unnested(db: Transaction, rows: readonly MentionRow[]) {
  return db`unnest(
    ${rows.map(({ mentionedFid }) => mentionedFid)}::bigint[],
    ${rows.map(({ cast }) => cast.ts)}::bigint[],
    ${db.types.byteas(rows.map(({ cast }) => cast.hash))}::bytea[],
    ${rows.map(({ cast }) => cast.fid)}::bigint[]
  )`
}
