import type { Transaction } from '../../platform/db/connection.js'
import { inPipeline, type Statement } from '../../platform/db/pipeline.js'
import { storableText } from '../../platform/text/storable-text.js'
import { MessageType, ReactionType } from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import type { CastCountDeltas, CastName } from './cast-counts.js'
import { type NetChanges, ofType } from './net-changes.js'

/**
 * Projects likes and recasts of casts and of URLs.
 *
 * @param counts Gets the changes of the casts, which the caller writes.
 * @returns the last statements, in order, which the caller runs.
 */
export async function projectReactions(
  db: Transaction,
  changes: NetChanges,
  counts: CastCountDeltas,
): Promise<Statement[]> {
  const removed = ofType(changes.removed, MessageType.REACTION_ADD)
  const added = ofType(changes.added, MessageType.REACTION_ADD)
  if (removed.length === 0 && added.length === 0) return []
  await projectCastReactions(db, removed.filter(isOnCast), added.filter(isOnCast), counts)
  return projectUrlReactions(db, removed.filter(isOnUrl), added.filter(isOnUrl))
}

function isOnCast({ data }: SignedMessage): boolean {
  return data.reactionBody!.targetCastId !== undefined
}

function isOnUrl({ data }: SignedMessage): boolean {
  return data.reactionBody!.targetUrl !== undefined
}

function urlOf({ data }: SignedMessage): string {
  return storableText(data.reactionBody!.targetUrl!)
}

interface Counted {
  target_fid: number
  target_hash: Buffer
  type: ReactionType
}

async function projectCastReactions(
  db: Transaction,
  removed: readonly SignedMessage[],
  added: readonly SignedMessage[],
  counts: CastCountDeltas,
): Promise<void> {
  const [removedRows, addedRows] = await inPipeline([
    removed.length > 0 ? removeCastReactions(db, removed) : [],
    added.length > 0 ? insertCastReactions(db, added) : [],
  ])
  for (const row of removedRows) counts.add(castOf(row), counterOf(row.type), -1)
  for (const row of addedRows) counts.add(castOf(row), counterOf(row.type), 1)
}

function castOf({ target_fid, target_hash }: Counted): CastName {
  return { fid: target_fid, hash: target_hash }
}

function counterOf(type: ReactionType): 'likes' | 'recasts' {
  return type === ReactionType.LIKE ? 'likes' : 'recasts'
}

function removeCastReactions(db: Transaction, messages: readonly SignedMessage[]): Promise<Counted[]> {
  const bodies = messages.map(({ data }) => data.reactionBody!)
  return db<Counted[]>`
    delete from reactions r
    using unnest(
      ${messages.map(({ data }) => data.fid)}::bigint[],
      ${bodies.map(({ type }) => type)}::smallint[],
      ${db.types.byteas(bodies.map(({ targetCastId }) => targetCastId!.hash))}::bytea[],
      ${bodies.map(({ targetCastId }) => targetCastId!.fid)}::bigint[]
    ) as deleted (fid, type, target_hash, target_fid)
    where r.target_hash = deleted.target_hash and r.target_fid = deleted.target_fid
      and r.type = deleted.type and r.fid = deleted.fid
    returning r.target_fid, r.target_hash, r.type
  `
}

function insertCastReactions(db: Transaction, messages: readonly SignedMessage[]): Promise<Counted[]> {
  const bodies = messages.map(({ data }) => data.reactionBody!)
  return db<Counted[]>`
    insert into reactions (fid, type, target_hash, target_fid, ts, signer)
    select *
    from unnest(
      ${messages.map(({ data }) => data.fid)}::bigint[],
      ${bodies.map(({ type }) => type)}::smallint[],
      ${db.types.byteas(bodies.map(({ targetCastId }) => targetCastId!.hash))}::bytea[],
      ${bodies.map(({ targetCastId }) => targetCastId!.fid)}::bigint[],
      ${messages.map(({ data }) => data.timestamp)}::bigint[],
      ${db.types.byteas(messages.map(({ signer }) => signer))}::bytea[]
    )
    on conflict do nothing
    returning target_fid, target_hash, type
  `
}

function projectUrlReactions(
  db: Transaction,
  removed: readonly SignedMessage[],
  added: readonly SignedMessage[],
): Statement[] {
  return [
    ...(removed.length > 0 ? [removeUrlReactions(db, removed)] : []),
    ...(added.length > 0 ? [insertUrlReactions(db, added)] : []),
  ]
}

function removeUrlReactions(db: Transaction, removed: readonly SignedMessage[]): Statement {
  return db`
    delete from url_reactions r
    using unnest(
      ${removed.map(({ data }) => data.fid)}::bigint[],
      ${removed.map(({ data }) => data.reactionBody!.type)}::smallint[],
      ${db.types.texts(removed.map(urlOf))}::text[]
    ) as deleted (fid, type, url)
    where r.url = deleted.url and r.type = deleted.type and r.fid = deleted.fid
  `
}

function insertUrlReactions(db: Transaction, added: readonly SignedMessage[]): Statement {
  return db`
    insert into url_reactions (fid, type, url, ts)
    select *
    from unnest(
      ${added.map(({ data }) => data.fid)}::bigint[],
      ${added.map(({ data }) => data.reactionBody!.type)}::smallint[],
      ${db.types.texts(added.map(urlOf))}::text[],
      ${added.map(({ data }) => data.timestamp)}::bigint[]
    )
    on conflict do nothing
  `
}
